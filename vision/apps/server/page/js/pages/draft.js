// A deck from photos: photos in, the cards that were found, names by taps, then the deck.
import { h, icon, toast, dialog } from "../lib/dom.js";
import { length, t } from "../lib/i18n.js";
import { call, get, post, sendBody } from "../lib/api.js";
import { accepted } from "../lib/about.js";
import { loadOffers, chooseDeck } from "../lib/offers.js";

export async function showDraft(main, name) {
  document.title = name;
  const [draft, { templates }] = await Promise.all([get(`/drafts/${name}`), get("/drafts")]);
  const page = new DraftPage(name, draft, templates);
  main.replaceChildren(page.node);
  page.paint();
}
class DraftPage {
  constructor(name, draft, templates) {
    Object.assign(this, { name, draft, templates, back: null });
    this.state = h("p.soft", { role: "status" });
    this.photos = h("ul.tiny.soft", { "aria-live": "polite" });
    this.grid = h("div.cardgrid", {});
    this.done = h("button.btn.main", { onclick: () => this.finish() }, icon("plus"), t("drafts.finish"));
    this.node = h(
      "div.wrap",
      {},
      h("h1", {}, name),
      h("p.soft", {}, t("drafts.how")),
      h("div.row", {}, this.photoButton(), ...this.nameButtons()),
      this.state,
      this.photos,
      this.grid,
      h("div.row", {}, this.done, h("a.btn", { href: "#/decks" }, icon("back"), t("back"))),
    );
  }
  get kept() {
    return this.draft.cards.filter((card) => !card.dropped);
  }
  photoButton() {
    const file = h("input", { type: "file", id: "draft-photos", accept: accepted(), multiple: true, hidden: true });
    file.addEventListener("change", () => {
      const files = [...file.files];
      file.value = "";
      this.send(files);
    });
    return h(
      "span",
      {},
      h("button.btn.main", { onclick: () => file.click() }, icon("camera"), t("drafts.photos")),
      file,
    );
  }
  nameButtons() {
    const boxes = this.templates.map((template) =>
      h("button.btn", { onclick: () => this.change(() => post(`/drafts/${this.name}/names`, { template })) }, icon("rules"), t("drafts.template", { template })),
    );
    return [h("button.btn", { onclick: () => this.paste() }, icon("edit"), t("drafts.list")), ...boxes];
  }
  async send(files) {
    for (const [k, file] of files.entries()) {
      this.state.textContent = t("drafts.cutting", { k: k + 1, n: files.length });
      const before = this.draft;
      try {
        this.draft = await sendBody(`/drafts/${this.name}/photos`, file);
        this.tell(photoTold(file.name, before, this.draft));
      } catch (error) {
        this.tell(t("drafts.photo_failed", { name: file.name, why: error.words || error.message }), ".warning");
      }
      this.paint();
    }
  }
  tell(line, style = "") {
    this.photos.append(h("li" + style, {}, line));
  }
  async change(act) {
    try {
      this.draft = await act();
      this.paint();
      return true;
    } catch (error) {
      toast(error.words || error.message, true);
      return false;
    }
  }
  patch(card, body) {
    return this.change(() => call("PATCH", `/drafts/${this.name}/cards/${card.id}`, body));
  }
  paste() {
    const text = h("textarea", { id: "draft-names", rows: 10, "aria-label": t("drafts.list") });
    const apply = async () => {
      if (await this.change(() => post(`/drafts/${this.name}/names`, { text: text.value }))) box.close();
    };
    const box = dialog(
      t("drafts.list"),
      t("close"),
      h("p.soft.tiny", {}, t("drafts.list_how", { n: this.kept.length })),
      text,
      h("button.btn.main", { onclick: apply }, t("drafts.apply")),
    );
  }
  async finish() {
    const make = (replace) => post(`/drafts/${this.name}/deck`, { replace });
    try {
      const { learned } = await get("/decks");
      const isThere = learned.some((deck) => deck.name === this.name);
      if (isThere && !confirm(t("drafts.replace", { name: this.name }))) return;
      await make(isThere);
      await loadOffers();
      chooseDeck(this.name);
      toast(t("drafts.made", { name: this.name }), false, {
        label: t("does.title"),
        run: () => (location.hash = `#/does/${this.name}`),
      });
      location.hash = "#/decks";
    } catch (error) {
      toast(error.words || error.message, true);
    }
  }
  // A tap on a card: its name, the wrong way up, no card; or whose back it is.
  open(card) {
    if (this.back) {
      const back = this.back;
      this.back = null;
      this.patch(back, { back_of: card.id });
      return;
    }
    const field = h("input", { id: "card-name", type: "text", value: card.name, autocapitalize: "none", autocomplete: "off" });
    const close = (act) => async () => {
      if ((await act()) !== false) box.close();
    };
    const save = async (e) => {
      e.preventDefault();
      if (await this.patch(card, { name: field.value })) box.close();
    };
    const turn = close(() => this.patch(card, { half: !card.half }));
    const drop = close(() => this.patch(card, { dropped: true }).then(() => this.undoDrop(card)));
    const pair = close(() => {
      this.back = card;
      toast(t("drafts.tap_front"));
    });
    const box = dialog(
      t("drafts.card"),
      t("close"),
      h("img.cardface", { src: this.face(card), alt: "" }),
      ...card.doubts.map((doubt) => h("p.warning", {}, t("drafts.doubt." + doubt))),
      h("form", { onsubmit: save }, h("label.field", { for: "card-name" }, t("decks.name"), field), h("button.btn.main", {}, t("drafts.save"))),
      h(
        "div.row",
        {},
        h("button.btn.small", { onclick: turn }, icon("turn"), t("drafts.turn")),
        h("button.btn.small", { onclick: pair }, icon("redo"), t("drafts.back")),
        h("button.btn.small.danger", { onclick: drop }, icon("trash"), t("drafts.drop")),
      ),
    );
    field.focus();
  }
  undoDrop(card) {
    toast(t("drafts.dropped"), false, {
      label: t("edit.undo"),
      run: () => this.patch(card, { dropped: false }),
    });
  }
  face(card) {
    return `/api/v1/drafts/${this.name}/cards/${card.id}.jpg?${card.seen}${card.half}`;
  }
  paint() {
    const kept = this.kept,
      named = kept.filter((card) => card.name).length;
    const { width_mm: wide, height_mm: high, beside } = this.draft;
    const told = beside && wide ? " " + t("drafts.told_size", { wide: length(wide), high: length(high) }) : "";
    this.state.textContent = t("drafts.state", { n: kept.length, named }) + told;
    this.done.disabled = named < 2;
    this.grid.replaceChildren(
      ...kept.map((card, k) =>
        h(
          "button.cardcell",
          { "aria-label": t("drafts.nth", { n: k + 1, name: card.name }), onclick: () => this.open(card) },
          h("img", { src: this.face(card), alt: "", loading: "lazy" }),
          h("span.tiny", {}, card.name || `${k + 1}`),
          card.doubts.length ? h("span.badge", {}, "?") : null,
        ),
      ),
    );
  }
}
// How many cards a photo showed: each that was known already is seen once more.
function photoTold(name, before, after) {
  if (after.photos === before.photos) return t("drafts.photo_known", { name });
  const seen = ({ cards }) => cards.reduce((sum, card) => sum + card.seen, 0);
  const fresh = after.cards.length - before.cards.length;
  return t("drafts.photo_told", { name, found: seen(after) - seen(before), fresh });
}

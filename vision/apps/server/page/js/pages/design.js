// What one card does: entered on its face by finger, mouse or keys, and by numbers.
import { h, icon } from "../lib/dom.js";
import { say, sentence, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { Entry } from "../lib/entry.js";
import { STRETCHES, WEAPONS } from "../lib/design.js";
import { CardFace } from "../scene/card_face.js";
import { listenTo } from "../scene/face_keys.js";
import { PartList, choices, powerChoice, wholeField } from "../panels/design_parts.js";
import { faceOf, lookAt, unseen } from "../panels/twins.js";

export async function showDesign(main, deck, name) {
  const told = await get(`/decks/${deck}/designs`);
  const page = new DesignPage(deck, name, told);
  if (!page.design) throw new Error(t("does.gone", { name }));
  document.title = `${name} · ${deck}`;
  main.replaceChildren(page.node);
  page.paint();
  return () => page.entry.leave();
}
class DesignPage {
  constructor(deck, name, told) {
    Object.assign(this, { deck, name, chosen: null });
    this.entry = new Entry(deck, told, () => this.paint());
    this.names = this.entry.told.designs.map((one) => one.name);
    const size = [told.card.width_mm, told.card.height_mm];
    this.size = size;
    this.face = new CardFace({
      size,
      label: t("does.face", { name }),
      change: (design, how) => this.entry.put(name, design, how),
      select: (chosen, isNew) => this.choose(chosen, isNew),
    });
    const step = (kind) => () => this.step(kind);
    this.undo = h("button.btn.small", { onclick: step("undo") }, icon("undo"), t("edit.undo"));
    this.redo = h("button.btn.small", { onclick: step("redo") }, icon("redo"), t("edit.redo"));
    listenTo(this.face, { undo: step("undo"), redo: step("redo"), remove: () => this.remove(this.chosen) });
    this.makeForms();
    this.state = h("p.tiny.soft", { role: "status" });
    this.messages = h("ul.problems", { "aria-live": "polite" });
    this.twins = h("div.row", {});
    this.node = this.layout();
  }
  layout() {
    const at = this.names.indexOf(this.name);
    const link = (name, sign, words) =>
      name ? h("a.btn.small", { href: `#/does/${this.deck}/${name}` }, icon(sign), words, " ", name) : null;
    const turn = () => this.face.setTurn(this.face.turned + 1);
    return h(
      "div.wrap.design",
      {},
      h("h1", {}, this.name),
      h(
        "div.designcols",
        {},
        h(
          "div",
          {},
          h("div.facebox", {}, this.face.svg, this.face.lens),
          h("div.row", {}, this.undo, this.redo, h("button.btn.small", { onclick: turn }, icon("turn"), t("does.turn"))),
          this.state,
        ),
        h(
          "div.designform",
          {},
          h("section.panel", {}, this.pick.node, this.how, this.powerBox),
          h("section.panel", {}, h("div.row", {}, this.speed.node, this.health.node), this.parts.node, this.messages),
          h("section.panel", {}, h("h2", {}, t("does.twins")), this.twins),
          h("details", {}, h("summary", {}, t("does.keys")), h("p.soft.tiny", {}, t("does.keys_how"))),
          h(
            "div.row",
            {},
            h("a.btn", { href: `#/does/${this.deck}` }, icon("back"), t("does.all")),
            link(this.names[at + 1], "play", t("does.next")),
          ),
        ),
      ),
    );
  }
  get design() {
    return this.entry.of(this.name);
  }
  choose(chosen, isNew = false) {
    this.chosen = chosen;
    if (chosen) this.face.tool = chosen.kind;
    if (!isNew) this.paint();
  }
  async step(kind) {
    this.chosen = null;
    await this.entry.step(this.name, kind);
  }
  remove(chosen) {
    const design = this.design;
    this.chosen = null;
    this.entry.put(this.name, { ...design, [chosen.kind]: design[chosen.kind].filter((_, at) => at !== chosen.at) });
  }
  paint() {
    const design = this.design;
    if (!design) return;
    if (this.chosen && !design[this.chosen.kind][this.chosen.at]) this.chosen = null;
    const [card] = Object.values(design.cards);
    this.face.show(faceOf(this.deck, card), design, this.chosen);
    const isWaiting = this.entry.waiting.size > 0;
    this.undo.disabled = !design.can_undo && !isWaiting;
    this.redo.disabled = !design.can_redo || isWaiting;
    this.state.textContent = this.entry.trouble || (isWaiting ? t("does.saving") : t("does.saved"));
    this.state.classList.toggle("bad", Boolean(this.entry.trouble));
    this.paintTools();
    this.speed.show(design.speed);
    this.health.show(design.health);
    this.parts.paint(design, this.chosen);
    this.messages.replaceChildren(...(isWaiting ? [] : design.problems).map((one) => h("li", {}, sentence(say(one)))));
    this.paintTwins(design);
  }
  makeForms() {
    const own = (field) => (value) => this.entry.put(this.name, { ...this.design, [field]: value });
    this.pick = choices(
      t("does.tool"),
      [WEAPONS, STRETCHES],
      (kind) => {
        this.face.tool = kind;
        this.choose(null);
      },
      (kind) => t(kind === WEAPONS ? "does.weapon" : "does.stretch"),
    );
    this.power = powerChoice(t("does.next_power"), (power) => {
      this.face.power = power;
      this.paintTools();
    });
    this.powerBox = h("div", {}, h("p.tiny.soft", {}, t("does.next_power")), this.power.node);
    this.how = h("p.tiny.soft", {});
    this.speed = wholeField("speed", t("does.speed"), own("speed"));
    this.health = wholeField("health", t("does.health"), own("health"));
    this.parts = new PartList(this.size, {
      choose: (chosen) => this.choose(chosen),
      change: (chosen, part) => this.entry.put(this.name, this.face.changed(() => part, chosen)),
      remove: (chosen) => this.remove(chosen),
    });
  }
  paintTools() {
    const isWeapon = this.face.tool === WEAPONS;
    this.pick.show(this.face.tool);
    this.power.show(this.face.power);
    this.powerBox.hidden = !isWeapon;
    this.how.textContent = t(isWeapon ? "does.weapon_how" : "does.stretch_how");
  }
  paintTwins(design) {
    const [, ...others] = Object.values(design.cards);
    const look = (cards) =>
      lookAt(this.deck, this.design, this.size, cards, (card, isSo) => this.entry.look(this.name, card, isSo));
    const missing = this.entry.told.teams.filter((team) => !design.cards[team]);
    const content = [
      ...others.map((card) =>
        h("button.btn.small", { onclick: () => look([card]) }, icon(design.looked_at.includes(card) ? "check" : "help"), card),
      ),
      unseen(design).length > 1 ? h("button.btn.small", { onclick: () => look(unseen(design)) }, t("does.look_all")) : null,
      others.length ? null : h("p.soft.tiny", {}, t("does.no_twin")),
      ...design.turned.map((card) => h("p.warning", {}, t("does.turned", { card }))),
      missing.length && others.length ? h("p.soft.tiny", {}, t("does.missing", { teams: missing.join(", ") })) : null,
    ];
    const words = JSON.stringify([design.cards, design.looked_at]);
    if (words === this.shown) return; // a button that is being pressed stays
    this.shown = words;
    this.twins.replaceChildren(...content.filter(Boolean));
  }
}

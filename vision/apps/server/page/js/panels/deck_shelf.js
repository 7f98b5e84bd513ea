// The learned decks: looked at, renamed, duplicated, deleted with a way back, as files and links.
import { h, icon, toast, dialog } from "../lib/dom.js";
import { t, when, length } from "../lib/i18n.js";
import { call, get, post, sendBody } from "../lib/api.js";
import { outside } from "./share.js";

const at = (name) => `/decks/${name}`;
// A field for a name that a deck can have.
export const nameField = (id, value = "") =>
  h("input", {
    id,
    type: "text",
    value,
    pattern: "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{Nd}][\\p{Ll}\\p{Lm}\\p{Lo}\\p{Nd}\\p{M}\\-]{0,60}",
    required: true,
    autocapitalize: "none",
    autocomplete: "off",
  });
// Asks for a name that a deck can have; done(name) is told it.
function askName(title, value, done) {
  const field = nameField("deck-name", value);
  const send = async (e) => {
    e.preventDefault();
    try {
      await done(field.value);
      box.close();
    } catch (error) {
      toast(error.words || error.message, true);
    }
  };
  const form = h(
    "form",
    { onsubmit: send },
    h("label.field", { for: "deck-name" }, t("decks.name"), field),
    h("p.tiny.soft", {}, t("decks.name_how")),
    h("button.btn.main", {}, title),
  );
  const box = dialog(title, t("close"), form);
  field.focus();
}
async function showLinks(deck) {
  const list = h("ul.links", {});
  const paint = async () => {
    const [{ shares }, origin] = await Promise.all([get(at(deck.name) + "/shares"), outside()]);
    list.replaceChildren(...shares.map((share) => linkItem(share, origin, paint)));
  };
  const make = async () => {
    await post(at(deck.name) + "/shares", { days: 30 });
    await paint();
  };
  await paint();
  dialog(
    t("decks.share"),
    t("close"),
    h("p.soft.tiny", {}, t("decks.share_how")),
    h("button.btn.main", { onclick: make }, icon("share"), t("share.make")),
    list,
  );
}
function linkItem(share, origin, repaint) {
  const end = async () => {
    await call("DELETE", `/deck-shares/${share.token}`);
    toast(t("share.ended"));
    await repaint();
  };
  return h(
    "li.panel",
    {},
    h("input", {
      type: "text",
      readonly: true,
      value: origin + share.url,
      "aria-label": t("share.link"),
      onfocus: (e) => e.target.select(),
    }),
    h("img.code", { src: `/api/v1/shared-decks/${share.token}/qr.svg`, alt: t("phones.code") }),
    h("p.tiny.soft", {}, t("share.until", { when: when(share.expires) })),
    h("button.btn.small.danger", { onclick: end }, icon("trash"), t("share.end")),
  );
}
function look(deck) {
  const faces = deck.cards.map((card) =>
    h(
      "figure",
      {},
      h("img", { src: `/api/v1/decks/${deck.name}/cards/${card}.jpg`, alt: "", loading: "lazy" }),
      h("figcaption.tiny", {}, card),
    ),
  );
  dialog(deck.name, t("close"), h("div.faces", {}, faces));
}
// One deck; changed() is called when the list must be asked for again.
export function deckItem(deck, changed) {
  const rename = () =>
    askName(t("decks.rename"), deck.name, async (name) => {
      await call("PATCH", at(deck.name), { name });
      await changed();
    });
  const copy = () =>
    askName(t("decks.copy"), `${deck.name}-2`, async (name) => {
      await post(at(deck.name) + "/copy", { name });
      await changed();
    });
  const back = async () => {
    await post(at(deck.name) + "/restore");
    await changed();
  };
  const remove = async () => {
    await call("DELETE", at(deck.name));
    toast(t("decks.deleted", { name: deck.name }), false, { label: t("edit.undo"), run: back });
    await changed();
  };
  const button = (name, sign, run) =>
    h("button.btn.small", { onclick: run }, icon(sign), t("decks." + name));
  const base = `/api/v1/decks/${deck.name}`;
  const end = h("button.btn.small.danger", { onclick: remove }, icon("trash"), t("decks.delete"));
  const item = (thumb, words, ...tools) =>
    h(
      "li.item.deckitem",
      {},
      thumb,
      h("div", {}, h("b", {}, deck.name), h("p.tiny.soft", {}, words)),
      h("div.row.tools", {}, ...tools),
    );
  if (deck.error) return item(h("span.thumb"), deck.error, end);
  return item(
    h("img.thumb", { src: `${base}/preview.jpg?width=200`, alt: "" }),
    t("decks.size", { n: deck.cards.length, w: length(deck.width_mm), h: length(deck.height_mm) }),
    button("look", "image", () => look(deck)),
    h("a.btn.small", { href: `#/does/${deck.name}` }, icon("rules"), t("does.title")),
    button("share", "share", () => showLinks(deck)),
    menu(
      t("decks.more"),
      button("rename", "edit", rename),
      button("copy", "plus", copy),
      h("a.btn.small", { href: `${base}/file`, download: "" }, icon("download"), t("decks.export")),
      end,
    ),
  );
}
// What is rarely done: behind one button; Escape closes it.
function menu(title, ...tools) {
  const onKey = (e) => {
    if (e.key !== "Escape" || !node.open) return;
    node.open = false;
    opener.focus();
  };
  const opener = h("summary.btn.small", {}, icon("more"), title);
  const close = () => (node.open = false);
  const node = h("details.menu", { onkeydown: onKey }, opener, h("div.row", { onclick: close }, ...tools));
  return node;
}
// Takes the file of a deck in.
export function importButton(changed) {
  const file = h("input", { type: "file", id: "deck-file", accept: ".sightline-deck", hidden: true });
  file.addEventListener("change", async () => {
    const [packed] = file.files;
    file.value = "";
    try {
      const deck = await sendBody("/decks", packed);
      toast(t("decks.imported", { name: deck.name }));
      await changed();
    } catch (error) {
      toast(error.words || error.message, true);
    }
  });
  return h(
    "span",
    {},
    h("button.btn", { onclick: () => file.click() }, icon("download"), t("decks.import")),
    file,
  );
}

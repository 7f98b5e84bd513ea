// Correcting the table: what can be done with the chosen card, and without one.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { centre, spread } from "../lib/geometry.js";
import { cardName, teamMark } from "../lib/names.js";
import { picker } from "./picker.js";
import { rulesDialog } from "./rules.js";

export function editPanel(round, actions) {
  const { editor } = actions;
  if (editor.points) return [outlining(editor)];
  return [
    editor.card ? chosen(round, editor) : h("p.soft", {}, t("edit.choose")),
    tools(round, actions),
    objects(round, actions),
    allCards(round, actions),
  ];
}
function outlining(editor) {
  const n = editor.points.length;
  return h(
    "section.panel",
    {},
    h("h2", {}, t("edit.outline")),
    h("p.soft", {}, t("edit.outline_how", { n })),
    h("p.soft.tiny.keys", {}, t("edit.outline_keys")),
    h(
      "div.row",
      {},
      h(
        "button.btn.main",
        { disabled: n < 3, onclick: () => editor.finishOutline() },
        t("edit.done"),
      ),
      h("button.btn", { onclick: () => editor.cornerBack() }, icon("undo"), t("edit.corner_back")),
      h("button.btn", { onclick: () => editor.dropOutline() }, t("cancel")),
    ),
  );
}
function chosen(round, editor) {
  const c = editor.card;
  const pick = () =>
    picker(
      round,
      { title: t("edit.identity_of", { card: cardName(c.id) }), likely: c.choices },
      (id) => editor.identify(id),
    );
  return h(
    "section.panel.sel",
    {},
    h("div.row", {}, c.team ? teamMark(c.team) : null, h("h2", {}, cardName(c.id))),
    h("p.soft.tiny", {}, t("edit.how")),
    h("p.soft.tiny.keys", {}, t("edit.how_keys")),
    h(
      "div.row",
      {},
      h("button.btn.main", { onclick: pick }, t("edit.identity")),
      h("button.btn", { onclick: () => editor.turn(180) }, icon("turn"), t("edit.half_turn")),
      h("button.btn.danger", { onclick: () => editor.remove() }, icon("trash"), t("edit.delete")),
    ),
    c.choices.length
      ? h(
          "div.pick",
          {},
          c.choices.map((id) =>
            h(
              "button.btn.likely",
              { onclick: () => editor.identify(id) },
              t("edit.is", { card: cardName(id) }),
            ),
          ),
        )
      : null,
  );
}
function tools(round, { editor, send }) {
  const hidden = new Set(round.cards.map((c) => c.id));
  const add = () => picker(round, { title: t("edit.add"), hidden }, (id) => editor.add(id));
  return h(
    "div.row",
    {},
    h("button.btn", { onclick: add }, icon("plus"), t("edit.add")),
    h("button.btn", { onclick: () => editor.outlineMode() }, icon("rock"), t("edit.outline")),
    h(
      "button.btn",
      { onclick: () => rulesDialog(round, send) },
      icon("rules"),
      t("rules.title"),
    ),
  );
}
function objects(round, { send }) {
  if (!round.objects.length) return null;
  const item = ({ id }) =>
    h(
      "li.row",
      {},
      h("span", {}, t("edit.object", { id })),
      h(
        "button.btn.small.danger",
        { onclick: () => send({ kind: "remove", id }) },
        icon("trash"),
        t("edit.delete"),
      ),
    );
  return h("ul", {}, round.objects.map(item));
}
function allCards(round, actions) {
  const button = (c) =>
    h(
      c.doubtful ? "button.btn.likely" : "button.btn",
      {
        onclick: () => {
          actions.editor.choose(c.id);
          actions.find(centre(c.outline_px), spread(c.outline_px) * 3);
        },
      },
      cardName(c.id),
    );
  return h(
    "details",
    {},
    h("summary", {}, t("edit.all_cards", { n: round.cards.length })),
    h("div.pick", {}, round.cards.map(button)),
  );
}

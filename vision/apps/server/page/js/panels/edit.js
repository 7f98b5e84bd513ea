// Correcting the table: what can be done with the chosen card, and without one.
import { h, icon } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { centre, spread } from "../lib/geometry.js";
import { sideMark, titleOf } from "../lib/names.js";
import { optionsOf } from "../lib/offers.js";
import { picker } from "./picker.js";
import { rulesDialog } from "./rules.js";
import { settings, settingsOf } from "./settings.js";

// The words for pieces of a board, where they differ from those for cards.
const words = (round, key, values = {}) =>
  t(round.named === "piece" ? `edit.piece_${key}` : `edit.${key}`, values);

export function editPanel(round, actions) {
  const { editor } = actions;
  if (editor.points) return [outlining(editor)];
  if (editor.placing) return [placing(editor)];
  return [
    editor.card ? chosen(round, actions) : h("p.soft", {}, words(round, "choose")),
    tools(round, actions),
    things(round, actions),
    settings(round, actions),
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
function placing(editor) {
  return h(
    "section.panel",
    {},
    h("h2", {}, sentence(titleOf(editor.placing))),
    h("p.soft", {}, t("edit.put")),
    h("p.soft.tiny.keys", {}, t("edit.put_keys")),
    h("button.btn", { onclick: () => editor.stopPlacing() }, t("cancel")),
  );
}
function chosen(round, actions) {
  const { editor } = actions,
    c = editor.card,
    { title, side } = round.pieces.get(c.id),
    name = sentence(title);
  const pick = () =>
    picker(
      round,
      { title: words(round, "identity_of", { card: name }), likely: c.choices, offered: offered(round) },
      (id) => editor.identify(id),
    );
  return h(
    "section.panel.sel",
    {},
    h("div.row", {}, side ? sideMark(side) : null, h("h2", {}, name)),
    h("p.soft.tiny", {}, t("edit.how")),
    h("p.soft.tiny.keys", {}, words(round, "how_keys")),
    h(
      "div.row",
      {},
      round.named === "piece" && round.doubtful.has(c.id)
        ? h("button.btn.main", { onclick: () => editor.confirm() }, t("edit.right"))
        : null,
      c.fixed ? null : h("button.btn", { onclick: pick }, words(round, "identity")),
      turns(round, c).map(([deg, label]) =>
        h("button.btn", { onclick: () => editor.turn(deg) }, icon("turn"), t(label)),
      ),
      c.fixed
        ? null
        : h("button.btn.danger", { onclick: () => editor.remove() }, icon("trash"), t("edit.delete")),
    ),
    settingsOf(round, actions, c),
    c.choices.length
      ? h(
          "div.pick",
          {},
          c.choices.map((id) =>
            h(
              "button.btn.likely",
              { onclick: () => editor.identify(id) },
              t("edit.is", { card: titleOf(id) }),
            ),
          ),
        )
      : null,
  );
}
// How far a button turns a piece: to and fro on a board, right round where it may lie anyhow.
const turns = (round, { turn_deg: deg }) =>
  round.named === "card"
    ? [[180, "edit.half_turn"]]
    : deg
      ? [
          [-deg, "edit.turn_left"],
          [deg, "edit.turn_right"],
        ]
      : [];
// Which pieces there are to be named; null for all.
const offered = (round) =>
  round.spare && new Set([...round.spare, ...round.laid.map(({ id }) => id)]);
function tools(round, { editor, send }) {
  const hidden = new Set(round.laid.map((c) => c.id));
  const options = { title: words(round, "add"), hidden, offered: offered(round) };
  const add = () => picker(round, options, (id) => editor.add(id));
  return h(
    "div.row",
    {},
    round.spare?.size === 0
      ? null
      : h("button.btn", { onclick: add }, icon("plus"), words(round, "add")),
    round.isPlayed && round.named === "card"
      ? h("button.btn", { onclick: () => editor.outlineMode() }, icon("thing"), t("edit.outline"))
      : null,
    optionsOf(round.deck, round.offer).length
      ? h(
          "button.btn",
          { onclick: () => rulesDialog(round, send) },
          icon("rules"),
          t("rules.title"),
        )
      : null,
  );
}
function things(round, { send }) {
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
  const button = ({ id }) => {
    const { outline_px: outline, title } = round.pieces.get(id);
    const choose = () => {
      actions.editor.choose(id);
      actions.find(centre(outline), spread(outline) * 3);
    };
    const spec = round.doubtful.has(id) ? "button.btn.likely" : "button.btn";
    return h(spec, { onclick: choose }, sentence(title));
  };
  return h(
    "details",
    {},
    h("summary", {}, words(round, "all_cards", { n: round.laid.length })),
    h("div.pick", {}, round.laid.map(button)),
  );
}

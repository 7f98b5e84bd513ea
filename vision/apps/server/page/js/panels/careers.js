// Careers: who sits at the sides of an evening, and one career whole.
import { h, icon, dialog } from "../lib/dom.js";
import { t, say, number, when } from "../lib/i18n.js";
import { sideMark, plainSideName } from "../lib/names.js";

const NEW = "new";

// offer: the game; known: all careers of it; seat(side, career id or null); begin(name): its id.
export function seatsPanel(offer, known, seated, { seat, begin }) {
  const rows = offer.sides.map(({ id }) => {
    const here = seated.find((one) => one.side === id && one.game === offer.game);
    return seatRow(id, here, known, { seat, begin });
  });
  return h(
    "section.panel.careers",
    {},
    h("h2", {}, t("career.title")),
    h("p.soft", {}, t("career.lead")),
    rows,
  );
}
function seatRow(side, here, known, { seat, begin }) {
  const name = plainSideName(side);
  const choose = h(
    "select",
    { id: "career-" + side, onchange: () => chosen() },
    h("option", { value: "" }, t("career.nobody")),
    known.map((one) => h("option", { value: one.id }, one.name)),
    h("option", { value: NEW }, t("career.new")),
  );
  const reset = () => (choose.value = here?.id ?? "");
  const chosen = () => {
    if (choose.value !== NEW) return seat(side, choose.value || null);
    const box = askName(t("career.player"), "", async (text) => seat(side, await begin(text)));
    box.addEventListener("close", reset);
    return null;
  };
  reset();
  return h(
    "div.orderline",
    { role: "group", "aria-label": name },
    h("label.team", { for: "career-" + side }, sideMark(side), name),
    h("div.row", {}, choose, here ? h("span", {}, inShort(here)) : null),
  );
}
// Who serves, his rank and points, and the way to the whole.
const inShort = (one) => [
  h("a", { href: `#/career/${one.id}` }, one.figure || t("career.unnamed")),
  " ",
  t("career.stands", { rank: say(one.rank), points: number(one.points) }),
  one.open ? h("span.warning.tiny", {}, " " + t("career.open")) : null,
];
export function askName(title, value, done) {
  const input = h("input", { type: "text", id: "career-name", maxlength: 100, value });
  const save = (event) => {
    event.preventDefault();
    if (!input.value.trim()) return input.focus();
    box.close();
    return done(input.value.trim());
  };
  const form = h(
    "form",
    { onsubmit: save },
    h("label.field", { for: "career-name" }, title, input),
    h("button.btn.main", { type: "submit" }, t("career.save")),
  );
  const box = dialog(title, t("close"), form);
  input.focus();
  return box;
}
// The figures of a career, the one who serves first.
export function figuresPanel(career, { rename }) {
  const figures = career.figures.map((figure, k) => figurePart(figure, k, career, rename));
  return h("section.panel", {}, h("h2", {}, t("career.figures")), figures.reverse());
}
function figurePart(figure, k, career, rename) {
  const name = figure.name || t("career.unnamed");
  const stands = { rank: say(career.rank), points: number(career.points) };
  const state = figure.ended ? say(figure.ended) : t("career.stands", stands);
  const ask = () => askName(t("career.name"), figure.name, (text) => rename(k, text));
  return h(
    "div.figure",
    {},
    h(
      "h3.row",
      {},
      h("span", {}, name),
      h("span.soft", {}, state),
      h(
        "button.ico",
        { "aria-label": t("career.rename", { name }), onclick: ask },
        icon("edit"),
      ),
    ),
    figure.idle ? h("p.soft.tiny", {}, t("career.idle", { n: figure.idle })) : null,
    figure.lines.length ? linesTable(figure.lines, name) : null,
  );
}
function linesTable(lines, name) {
  const head = ["round", "before", "gained", "after"].map((key, k) =>
    h(k ? "th.n" : "th", { scope: "col" }, t("career." + key)),
  );
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": t("career.of", { name }) },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, head, h("th", { scope: "col" }, t("career.then")))),
      h("tbody", {}, lines.map(lineRow)),
    ),
  );
}
function lineRow(line) {
  if (line.round === null)
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, t("career.by_hand")),
      h("td.n", {}, "–"),
      h("td.n", {}, "–"),
      h("td.n", {}, number(line.points)),
      h("td", {}, ""),
    );
  const told = [
    say(line.ended ?? line.rank),
    line.settled ? null : h("span.warning.tiny", {}, " " + t("career.unsettled")),
    line.sure ? null : h("span.warning.tiny", {}, " " + t("career.unsure")),
  ];
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/round/${line.round}` }, line.name || when(line.created)),
    ),
    h("td.n", {}, number(line.before)),
    h("td.n", {}, number(line.gained)),
    h("td.n", {}, number(line.points)),
    h("td", {}, told),
  );
}
export function handPanel(career, { setPoints, undo, redo, renamePlayer, remove }) {
  const points = h("input", {
    type: "text",
    inputmode: "numeric",
    pattern: "[0-9]{1,5}",
    required: true,
    id: "career-points",
    value: career.points,
  });
  const save = (event) => {
    event.preventDefault();
    setPoints(Number(points.value)); // the form is sent only if its pattern fits
  };
  const rename = () => askName(t("career.player"), career.name, renamePlayer);
  return h(
    "section.panel",
    {},
    h("h2", {}, t("career.hand")),
    h("p.soft", {}, t("career.hand_more")),
    h(
      "form.row",
      { onsubmit: save },
      h("label.field", { for: "career-points" }, t("career.points"), points),
      h("button.btn", { type: "submit" }, t("career.save")),
    ),
    h(
      "div.row",
      {},
      h("button.btn", { disabled: !career.undoable, onclick: undo }, icon("undo"), t("edit.undo")),
      h("button.btn", { disabled: !career.redoable, onclick: redo }, icon("redo"), t("edit.redo")),
      h("button.btn", { onclick: rename }, icon("edit"), t("career.player")),
      h("button.btn.danger", { onclick: remove }, icon("trash"), t("career.delete")),
    ),
  );
}
export function copiesPanel(copies) {
  if (!copies.length) return null;
  const item = (one) =>
    h(
      "li",
      {},
      h("a", { href: `#/round/${one.round}` }, one.name || t("career.copy")),
      " ",
      h("a", { href: `#/round/${one.counts_as}` }, t("career.counts")),
    );
  return h("section.panel", {}, h("p", {}, t("career.copies")), h("ul", {}, copies.map(item)));
}

// The result as tables: for screen readers, for paper, for who likes numbers.
import { h } from "../lib/dom.js";
import { t, number, sentence } from "../lib/i18n.js";
import { sideMark, sideName } from "../lib/names.js";
import { cardsOf, stepOut } from "../lib/round.js";
import { oddsPanel } from "./odds.js";

function table(caption, heads, rows) {
  const head = ([words, isNumber]) => h(isNumber ? "th.n" : "th", { scope: "col" }, words);
  return h(
    "table",
    {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map(head))),
    h("tbody", {}, rows),
  );
}
export function scoreTable(round) {
  const { winners } = round,
    { columns, sides } = round.ledger,
    { scores } = round.tallies.at(-1);
  const row = ({ id }) => {
    const won = sides.length > 1 && winners.includes(id);
    const cell = ({ id: column }) =>
      h("td.n", {}, column === "total" ? h("b", {}, scores[id].total) : scores[id][column]);
    return h(
      won ? "tr.win" : "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("span.team", {}, sideMark(id), sideName(id)),
        won ? h("span.sr", {}, " " + t("scores.wins")) : null,
      ),
      columns.map(cell),
    );
  };
  const heads = [[t("table.side")], ...columns.map(({ name }) => [sentence(name), true])];
  return table(t("table.scores"), heads, sides.map(row));
}
function fate(round, piece, state) {
  if (!state.out) return state.note ?? (piece.health ? t("fate.in") : "");
  const step = stepOut(round, piece.id);
  if (state.note !== null) return t("fate.out", { step });
  const side = state.taken_by ? sideName(state.taken_by) : t("fate.nobody");
  return t("fate.taken", { step, side });
}
const byNumber = (a, b) =>
  (a.number === "") - (b.number === "") ||
  Number(a.number) - Number(b.number) ||
  a.id.localeCompare(b.id);

// What lies there is called a card where there is nothing else.
const called = (round, what) =>
  t(cardsOf(round).every(({ kind }) => kind === "card") ? `table.card${what}` : `table.piece${what}`);

const AS_IT_WAS = { out: false, note: null, harm: 0, held: 0 }; // of which a tally says nothing

// A row for each piece: what stands on it and how it fared; without a game, where it lies.
export function pieceTable(round, onPiece) {
  const { words } = round.ledger,
    { pieces: states } = round.tallies.at(-1);
  const counted = ["number", "harm", "held"].filter((key) => words["piece." + key]);
  const value = {
    number: (piece) => piece.number,
    harm: (piece, state) => (piece.health ? `${state.harm}/${piece.health}` : ""),
    held: (piece, state) => (piece.health ? state.held : ""),
  };
  const row = (piece) => {
    const state = states[piece.id] ?? AS_IT_WAS;
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        h("button.link", { onclick: () => onPiece(piece.id) }, sentence(piece.title)),
      ),
      counted.map((key) => h("td.n", {}, value[key](piece, state))),
      h("td", {}, fate(round, piece, state)),
    );
  };
  const heads = [
    [called(round, "")],
    ...counted.map((key) => [words["piece." + key], true]),
    [t("table.fate")],
  ];
  return table(called(round, "s"), heads, cardsOf(round).sort(byNumber).map(row));
}
export function placeTable(round, onPiece) {
  const row = (card) => {
    const piece = round.pieces.get(card.id);
    const places = [card.x_mm, card.y_mm, card.theta_deg];
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        onPiece
          ? h("button.link", { onclick: () => onPiece(card.id) }, sentence(piece.title))
          : sentence(piece.title),
      ),
      places.map((value) => h("td.n", {}, number(value, 1))),
    );
  };
  const heads = [[called(round, "")], ...["x", "y", "turn"].map((key) => [t("table." + key), true])];
  return table(called(round, "s"), heads, round.cards.map(row));
}
export const scrolling = (label, content) =>
  h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, content);

export function tablesPanel(round, { choose }) {
  const onPiece = (piece) => choose({ piece });
  if (!round.isPlayed) return [scrolling(called(round, "s"), placeTable(round, onPiece))];
  return [
    scrolling(t("table.scores"), scoreTable(round)),
    oddsPanel(round),
    scrolling(called(round, "s"), pieceTable(round, onPiece)),
  ];
}

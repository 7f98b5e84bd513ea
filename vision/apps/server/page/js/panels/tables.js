// The result as tables: for screen readers, for paper, for who likes numbers.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { cardName, teamMark, teamName } from "../lib/names.js";

const team = (name) => h("span.team", {}, teamMark(name), teamName(name));
const won = (round, name) => round.winners.includes(name) && Object.keys(round.scores).length > 1;
const heads = (names) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      names.map(([key, isNumber]) =>
        h(isNumber ? "th.n" : "th", { scope: "col" }, t("table." + key)),
      ),
    ),
  );

export const scoreTable = (round) =>
  h(
    "table",
    {},
    h("caption", {}, t("table.scores")),
    heads([["team"], ["kills", 1], ["rocks", 1], ["own", 1], ["total", 1]]),
    h(
      "tbody",
      {},
      Object.entries(round.scores).map(([name, p]) =>
        h(
          won(round, name) ? "tr.win" : "tr",
          {},
          h(
            "th",
            { scope: "row" },
            team(name),
            won(round, name) ? h("span.sr", {}, " " + t("scores.wins")) : null,
          ),
          h("td.n", {}, p.kills),
          h("td.n", {}, p.rocks),
          h("td.n", {}, p.own),
          h("td.n", {}, h("b", {}, p.total)),
        ),
      ),
    ),
  );

function fate(card) {
  if (card.dies_at === null) return card.kind === "ship" ? t("fate.alive") : "";
  const taker = card.taken_by ? teamName(card.taken_by) : t("fate.nobody");
  return t(card.kind === "ship" ? "fate.dead" : "fate.gone", { n: card.dies_at, team: taker });
}

export const cardTable = (round, onCard) =>
  h(
    "table",
    {},
    h("caption", {}, t("table.cards")),
    heads([["card"], ["speed", 1], ["damage", 1], ["rocks", 1], ["fate"]]),
    h(
      "tbody",
      {},
      [...round.cards]
        .sort((a, b) => (a.speed ?? 99) - (b.speed ?? 99) || a.id.localeCompare(b.id))
        .map((c) =>
          h(
            "tr",
            {},
            h("td", {}, h("button.link", { onclick: () => onCard(c.id) }, cardName(c.id))),
            h("td.n", {}, c.speed ?? ""),
            h("td.n", {}, c.kind === "ship" ? `${c.damage}/${c.health}` : ""),
            h("td.n", {}, c.kind === "ship" ? c.rocks : (round.pools[c.id] ?? "")),
            h("td", {}, fate(c)),
          ),
        ),
    ),
  );

export const scrolling = (label, table) =>
  h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, table);
export const tablesPanel = (round, { choose }) => [
  scrolling(t("table.scores"), scoreTable(round)),
  scrolling(
    t("table.cards"),
    cardTable(round, (card) => choose({ card })),
  ),
];

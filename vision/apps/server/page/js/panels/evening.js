// An evening: its name and its sides', its running table, its end.
import { h, icon, dialog } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { call } from "../lib/api.js";
import { gameTitle, markIn } from "../lib/offers.js";
import { plainSideName, sideMark, sideName } from "../lib/names.js";
import { headline } from "./headline.js";

export function namesPanel(evening, { sides, rename, renameSide }) {
  const name = h("input", {
    type: "text",
    id: "evening-name",
    value: evening.name,
    maxlength: 100,
    onchange: () => rename(name.value),
  });
  const field = (side) => {
    const input = h("input", {
      type: "text",
      id: "team-" + side,
      maxlength: 40,
      value: evening.teams[side] || "",
      placeholder: plainSideName(side),
      onchange: () => renameSide(side, input.value),
    });
    return h(
      "label.field",
      { for: "team-" + side },
      h("span.team", {}, sideMark(side), plainSideName(side)),
      input,
    );
  };
  return h(
    "section.panel",
    {},
    h("label.field", { for: "evening-name" }, t("evening.name"), name),
    h("div.pick", {}, sides.map(field)),
  );
}
// A table for each game that was played: points of two games do not add.
export function runningTable(evening, reload) {
  const { games, rounds } = evening;
  const of = (game) => rounds.filter((round) => round.game === game.game);
  const known = new Set(games.map(({ game }) => game));
  const unread = rounds.filter((round) => !known.has(round.game));
  const tables = games.map((game) => table(game, of(game), evening, reload));
  const rest = { game: null, totals: {}, wins: {}, open: [], unordered: [] };
  if (unread.length || !tables.length) tables.push(table(rest, unread, evening, reload));
  return h("section.panel.running", {}, tables);
}
function table(game, rounds, evening, reload) {
  const { totals } = game;
  const all = new Set(rounds.flatMap(({ scores }) => Object.keys(scores ?? {})));
  const sides = [...all].sort((a, b) => (totals[b] ?? 0) - (totals[a] ?? 0)); // who leads is in sight
  const title = game.game ? gameTitle(game.game) : t(rounds.length ? "evening.rest" : "evening.table");
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": title },
    h(
      "table",
      {},
      h("caption", {}, title),
      head(sides, game.game),
      h(
        "tbody",
        {},
        rounds.map((round) => roundRow(round, evening, { sides, reload })),
      ),
      sides.length ? foot(game, sides, evening.rounds) : null,
    ),
  );
}
const head = (sides, game) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("th", { scope: "col" }, t("evening.round")),
      sides.map((x) => h("th.n", { scope: "col" }, h("span.team", {}, markIn(game, x), sideName(x)))),
    ),
  );
// What a round of an evening is called: its number, if it counts.
function title({ id, name, number: n, same_as: first, state }, rounds) {
  const nth = n === null ? t(state === "failed" ? "evening.failed" : "evening.again") : t("evening.nth", { n });
  const of = rounds.find((round) => round.id === first);
  return [
    h("a", { href: `#/round/${id}` }, name || nth),
    of ? h("p.tiny.soft", {}, t("evening.same", { round: of.name || t("evening.nth", { n: of.number }) })) : null,
  ];
}
// A photo that came twice: does it count, or does it go?
function askAgain({ id }, reload) {
  const button = (spec, words, method, body) =>
    h(spec, { onclick: async () => { await call(method, `/scans/${id}`, body); reload(); } }, t(words));
  return h(
    "div.row",
    {},
    button("button.btn.small", "evening.count", "PATCH", { counted: true }),
    button("button.btn.small", "evening.drop", "DELETE"),
  );
}
function roundRow(round, evening, { sides, reload }) {
  const { scores, winners, open, unordered, same_as: again, headline: over } = round;
  const wide = (...inside) => h("td", { colspan: Math.max(sides.length, 1) }, inside);
  const points = (side) =>
    scores[side] === undefined
      ? "–"
      : h(winners.includes(side) ? "b" : "span", {}, number(scores[side]));
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, title(round, evening.rounds)),
    again
      ? wide(askAgain(round, reload))
      : !scores
        ? wide(round.state === "failed" ? "" : t("evening.unread")) // its name says it
        : open || unordered
          ? wide(headline(over)) // what is in no sum stands in no column
          : sides.map((side) => h("td.n", {}, points(side))),
  );
}
// Which rounds are in no sum, and why.
function leftOut(key, ids, rounds) {
  const names = ids.map((id) => rounds.find((round) => round.id === id));
  const words = names.map(({ name, number: n }) => name || t("evening.nth", { n }));
  return ids.length ? t(key, { n: ids.length, rounds: words.join(", ") }) : null;
}
function foot({ totals, wins, open, unordered }, sides, rounds) {
  const left = leftOut("evening.open", open, rounds);
  const notes = [left, leftOut("evening.unordered", unordered, rounds)].filter(Boolean);
  const best = Math.max(...Object.values(totals));
  const leads = (x) => totals[x] === best && sides.some((side) => (totals[side] ?? 0) < best);
  const row = (words, cell) =>
    h("tr", {}, h("th", { scope: "row" }, words), sides.map((x) => h("td.n", {}, cell(x))));
  const isAny = Object.keys(totals).length > 0; // else no round is settled, and nothing adds up
  const sum = (x) => [
    h("b", {}, isAny ? number(totals[x] ?? 0) : "–"),
    leads(x) && !left ? " ♛" : "", // nobody leads while one is open
  ];
  return h(
    "tfoot",
    {},
    row(t("evening.sum"), sum),
    row(t("evening.wins"), (x) => (isAny ? number(wins[x] || 0) : "–")),
    notes.map((words) => h("tr", {}, h("td.tiny", { colspan: sides.length + 1 }, words))),
  );
}
export function endDialog(id) {
  const end = async () => {
    await call("DELETE", `/evenings/${id}`);
    box.close();
    location.hash = "#/";
  };
  const box = dialog(
    t("evening.delete"),
    t("close"),
    h("p", {}, t("evening.delete_more")),
    h("button.btn.danger", { onclick: end }, icon("trash"), t("evening.delete")),
  );
}

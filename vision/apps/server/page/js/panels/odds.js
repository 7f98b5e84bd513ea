// How sure the score is: who wins, and each score with its share; when it is so in words below.
import { h } from "../lib/dom.js";
import { t, number, percent, sentence } from "../lib/i18n.js";
import { sideMark, sideName } from "../lib/names.js";

const SURE = 0.99; // as the headline has it: more is "over 99 %"
const share = (p) => (p > SURE ? t("odds.over", { p: percent(SURE) }) : percent(p));

export function oddsPanel(round) {
  const { lines = [], winners = [], scores = [] } = round.ledger.odds ?? {};
  if (!lines.length) return null;
  const [head, ...rest] = lines,
    more = winners.length ? rest.slice(1) : rest; // who wins stands in the table
  const words = h("ul", {}, more.map((line) => h("li.soft", {}, sentence(line))));
  return h(
    "section.panel.odds",
    {},
    h(
      "table",
      {},
      h("caption", {}, sentence(head)),
      h("tbody", {}, winners.map(winner), scores.length > 1 ? scores.map(score) : null),
    ),
    !more.length || !winners.length
      ? words
      : h("details", {}, h("summary", {}, t("odds.when")), words),
  );
}
function row(what, p) {
  const bar = h("i", {});
  bar.style.width = `${100 * p}%`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, what),
    h("td.share", { "aria-hidden": "true" }, h("span", {}, bar)),
    h("td.n", {}, share(p)),
  );
}
const side = (id, ...more) => h("span.team", {}, sideMark(id), ...more);
const winner = ({ sides, probability }) =>
  row(
    sides.length
      ? [h("span.sr", {}, t("odds.wins") + " "), sides.map((id) => side(id, h("b", {}, sideName(id))))]
      : t("odds.nobody"),
    probability,
  );
const score = ({ totals, probability }) =>
  row(
    Object.entries(totals).map(([id, n]) =>
      side(id, h("span.sr", {}, sideName(id)), number(n)),
    ),
    probability,
  );

// How sure the score is, in words, under it.
import { h } from "../lib/dom.js";
import { sentence } from "../lib/i18n.js";

export function oddsPanel(round) {
  const lines = round.ledger.odds?.lines ?? [];
  if (!lines.length) return null;
  const [head, ...more] = lines;
  return h(
    "section.panel.odds",
    {},
    h("h2", {}, sentence(head)),
    h("ul", {}, more.map((line) => h("li.soft", {}, sentence(line)))),
  );
}

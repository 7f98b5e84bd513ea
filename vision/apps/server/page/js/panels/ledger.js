// The ledger in words, from the events; the same keys in every language.
import { h } from "../lib/dom.js";
import { t, list, number, percent } from "../lib/i18n.js";
import { cardName, teamName } from "../lib/names.js";

const edgeName = (edge) => t("edge." + edge);
export function hitWords(hit) {
  if (!hit) return t("hit.space");
  const card = cardName(hit.card);
  if (hit.shielded) return t("hit.shield", { card, edge: edgeName(hit.edge) });
  return hit.edge ? t("hit.edge", { card, edge: edgeName(hit.edge) }) : t("hit.card", { card });
}
export const shotName = (shot) => t("shot.name", { ship: cardName(shot.ship), n: shot.laser + 1 });
export const shotLine = (shot) =>
  t("shot.line", { shot: shotName(shot), power: shot.power, hit: hitWords(shot.hit) });
export function marginWords(shot) {
  if (shot.margin_mm === null) return t("margin.never");
  return t("margin.words", {
    mm: number(shot.margin_mm, shot.margin_mm < 10 ? 2 : 0),
    other: hitWords(shot.margin_outcome),
    sigma: number(shot.sigma_mm, 2),
    p: percent(shot.flip),
  });
}
export function stepLines(round, step, before) {
  const lines = [];
  const total = { ...(before?.damage || {}) };
  for (const m of step.mined)
    lines.push([
      "",
      t("event.mined", { ship: cardName(m.ship), n: m.rocks, source: cardName(m.source) }),
      [m.ship],
    ]);
  for (const v of step.vaporised)
    lines.push(["", t("event.vaporised", { n: v.rocks, source: cardName(v.source) }), [v.source]]);
  const hurt = new Map();
  for (const d of step.damage) hurt.set(d.card, [...(hurt.get(d.card) || []), d]);
  for (const [card, parts] of hurt) {
    const sum = parts.reduce((a, d) => a + d.points, 0) + (total[card] || 0);
    const health = round.cards.find((c) => c.id === card)?.health;
    lines.push([
      "",
      t("event.damage", {
        card: cardName(card),
        parts: list(parts.map((d) => t("event.from", { n: d.points, team: teamName(d.team) }))),
        sum,
        health,
      }),
      [card],
    ]);
  }
  for (const d of step.destroyed) {
    const owner = round.cards.find((c) => c.id === d.card)?.team;
    const key =
      d.taken_by === null
        ? "event.dead_nobody"
        : d.taken_by === owner
          ? "event.dead_own"
          : "event.dead";
    lines.push([
      "kill",
      t(key, { card: cardName(d.card), team: teamName(d.taken_by || ""), n: d.points }) +
        (d.rocks_lost ? ". " + t("event.rocks_lost", { n: d.rocks_lost }) : ""),
      [d.card],
    ]);
  }
  for (const g of step.gone) lines.push(["", t("event.gone", { card: cardName(g) }), [g]]);
  return lines;
}
export function ledgerPanel(round, { choose, replay } = {}) {
  if (!round.steps.length) return h("p.soft", {}, t("ledger.none"));
  const shotItem = (i) => {
    const line = shotLine(round.shots[i]);
    return h(
      "li",
      { "data-shot": i },
      choose ? h("button", { onclick: () => choose({ shot: i }) }, line) : h("p", {}, line),
    );
  };
  const section = (step, k) => {
    const title = t("ledger.speed", { n: step.speed });
    return h(
      "section",
      { "data-step": k },
      h("h3", {}, replay ? h("button.link", { onclick: () => replay.goTo(k) }, title) : title),
      h(
        "ul",
        {},
        step.shots.map(shotItem),
        stepLines(round, step, round.timeline[k]).map(([kind, text]) =>
          h(kind ? "li." + kind : "li", {}, h("p", {}, text)),
        ),
      ),
    );
  };
  return h("div.ledger", {}, round.steps.map(section));
}

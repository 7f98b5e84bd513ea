// What is known of the chosen card or shot.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { cardName, teamMark } from "../lib/names.js";
import { critical } from "./doubts.js";
import { hitWords, marginWords, shotLine, shotName } from "./ledger.js";
import { rulings } from "./rulings.js";

export function selectionPanel(round, actions) {
  const { card, shot } = actions.selection;
  if (card) return aboutCard(round, actions);
  return shot === undefined ? null : aboutShot(round, actions);
}
function aboutCard(round, { selection, choose }) {
  const c = round.cards.find((x) => x.id === selection.card);
  const mine = round.shots.map((x, i) => [x, i]).filter(([x]) => x.ship === c.id);
  const isShip = c.kind === "ship";
  const line = ([x, i]) =>
    h(
      "li",
      {},
      h("button.link", { onclick: () => choose({ shot: i }) }, shotLine(x)),
      h("p.tiny.soft", {}, marginWords(x)),
    );
  return h(
    "section.panel.sel",
    { "aria-live": "polite" },
    h("div.row", {}, c.team ? teamMark(c.team) : null, h("h2", {}, cardName(c.id))),
    isShip
      ? h(
          "p.soft",
          {},
          t("ship.facts", { speed: c.speed, damage: c.damage, health: c.health, n: c.rocks }),
        )
      : null,
    c.dies_at !== null
      ? h("p.err", {}, t(isShip ? "ship.dies" : "asteroid.gone", { n: c.dies_at }))
      : null,
    mine.length
      ? h("ul", {}, mine.map(line))
      : isShip
        ? h("p.soft", {}, t("ship.silent"))
        : null,
  );
}
function aboutShot(round, actions) {
  const x = round.shots[actions.selection.shot];
  const look = () => {
    const [at, span] = critical(round, x);
    actions.stage.lookAt(at, span * 1.6);
  };
  return h(
    "section.panel.sel",
    { "aria-live": "polite" },
    h("h2", {}, shotName(x)),
    h("p", {}, shotLine(x)),
    h("p.soft", {}, marginWords(x)),
    x.ruled ? h("p", {}, t("ruling.done", { hit: hitWords(x.hit) })) : null,
    rulings(x, actions),
    h(
      "div.row",
      {},
      h("button.btn.small", { onclick: () => actions.choose({ card: x.ship }) }, cardName(x.ship)),
      h("button.btn.small", { onclick: look }, icon("fit"), t("doubt.look")),
    ),
  );
}

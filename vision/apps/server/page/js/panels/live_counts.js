// How many pieces each side has laid.
import { h } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { sideMark, sideName } from "../lib/names.js";
import { offerOf } from "../lib/offers.js";

const side = (id, ...more) => h("span.team", {}, sideMark(id), sideName(id), ...more);
function row([id, n], most) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, side(id)),
    h(
      "td.n",
      {},
      h("b", {}, number(n)),
      most ? [" ", h("span.soft", {}, t("live.of", { n: most }))] : null,
    ),
    h(
      "td.live-bar",
      { "aria-hidden": "true" },
      most ? h("progress", { max: most, value: n, tabindex: "-1" }) : null,
    ),
  );
}
export class LiveCounts {
  constructor() {
    this.rows = h("tbody", {});
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, t("table.side")),
      h("th", { scope: "col" }, t("live.laid")),
      h("td", {}),
    );
    this.caption = h("caption", {});
    const table = h(
      "table.live-counts",
      {},
      this.caption,
      h("thead.sr", {}, head),
      this.rows,
    );
    this.node = h("section.panel", {}, table);
  }
  paint(game) {
    const counts = Object.entries(game.watch?.counts || {});
    const most = offerOf(game.deck)?.laid ?? 0;
    this.caption.textContent = t(most ? "live.counts" : "live.on_board");
    this.rows.replaceChildren(...counts.map((one) => row(one, most)));
  }
}
// The same in one line, for streams: who has laid anything.
export const countStrip = (watch) =>
  Object.entries(watch?.counts || {})
    .filter(([, n]) => n)
    .map(([id, n]) => side(id, " ", h("b", {}, number(n))));

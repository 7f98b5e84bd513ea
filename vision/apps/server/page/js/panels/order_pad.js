// Choosing an order: what was tapped, what may follow, what it says; typed words as well.
import { h, icon, toast } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { OrderSheet, sheetPad } from "./order_sheet.js";
import { typedOrder } from "./typed_order.js";

const failed = (error) => toast(error.words || String(error), true);

// taps: the choosing as it stands; give(order) takes the text, or null; label says what giving does
export function orderPad(taps, options) {
  return taps instanceof OrderSheet ? sheetPad(taps, options) : tapPad(taps, options);
}
function tapPad(taps, { give, label, isOpen = true }) {
  const { order, narrowed, trail } = taps;
  return h(
    "div.pad",
    {},
    taps.heard.length
      ? h(
          "div.heard",
          {},
          h("h3", {}, t("orders.heard")),
          h("ul", {}, taps.heard.map((said) => h("li", {}, sentence(said)))),
        )
      : null,
    order ? read(taps, order) : h("p.soft", {}, t(trail.length ? "orders.go_on" : "orders.begin")),
    h(
      "div.row",
      {},
      order
        ? h(
            "button.btn.main.big",
            { onclick: () => taps.settled().then((now) => now && give(now.order)), disabled: !isOpen },
            label,
          )
        : null,
      trail.length
        ? h(
            "button.btn",
            { onclick: () => taps.back().catch(failed) },
            icon("undo"),
            t("orders.back"),
          )
        : null,
    ),
    narrowed ? h("p.soft", {}, t("orders.which")) : null,
    h("div.pick", {}, (narrowed ?? taps.offered).map((choice) => button(taps, choice))),
    typedOrder((text) => taps.type(text)),
  );
}
const read = (taps, { said, warning, lines }) =>
  h(
    "div.order",
    { role: "status" },
    h("p.said", {}, sentence(said)),
    lines.length ? h("ol.lines", {}, lines.map((line) => part(taps, line))) : null,
    warning ? h("p.warning", {}, sentence(warning)) : null,
  );
// A part of an order of several, which may be taken out of it.
const part = (taps, { said, warning, without }) =>
  h(
    "li",
    {},
    h("span", {}, sentence(said), warning ? h("span.warning", {}, " ", sentence(warning)) : null),
    h(
      "button.btn.small",
      {
        "aria-label": t("orders.without", { said }),
        onclick: () => (without ? taps.type(without) : taps.go([])).catch(failed),
      },
      icon("trash"),
    ),
  );
const button = (taps, choice) =>
  h(
    taps.narrowed ? "button.btn.likely" : choice.warning ? "button.btn.lost" : "button.btn",
    { onclick: () => taps.choose(choice).catch(failed) },
    h("span", {}, sentence(choice.said)),
    choice.warning ? h("span.tiny", {}, choice.warning) : null,
  );

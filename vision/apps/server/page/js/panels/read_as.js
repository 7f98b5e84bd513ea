// A photo that could not be read, as which game or deck it may be read after all.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { allOffers, offerTitle } from "../lib/offers.js";
import { readAgain } from "../lib/uploads.js";

const OTHER_GAME = ["table_not_found", "deck"]; // failures that another game may explain
const PASSING = ["timed_out", "out_of_memory", "worker_failed"]; // worth another try as it was
const MOST_BUTTONS = 6;

export const mayPass = ({ code }) => PASSING.includes(code);
export function readAsPanel(scan) {
  if (!OTHER_GAME.includes(scan.error?.code)) return null;
  const offers = allOffers();
  const again = (offer) => readAgain(scan, offer);
  const buttons = offers
    .slice(0, MOST_BUTTONS)
    .map((one) => h("button.btn.small", { onclick: () => again(one) }, offerTitle(one)));
  const rest = offers.slice(MOST_BUTTONS);
  const select = h(
    "select",
    { "aria-label": t("read_as.other"), onchange: () => again(rest[select.selectedIndex - 1]) },
    h("option", { value: "" }, t("read_as.other")),
    rest.map((one) => h("option", {}, offerTitle(one))),
  );
  return h(
    "div.read-as",
    { role: "group", "aria-label": t("read_as.title") },
    h("p.tiny", {}, t("read_as.title")),
    h("div.row", {}, buttons, rest.length ? select : null),
  );
}

// The keys, as a list.
import { h, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const KEYS = ["P", ", .", "+ − 0", "← ↑ → ↓", "[ ]", "Ctrl+Z", "Esc", "M", "?"];
export function help() {
  const row = (key, i) =>
    h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, t("help." + i)));
  dialog(t("help.title"), t("close"), h("table", {}, h("tbody", {}, KEYS.map(row))));
}

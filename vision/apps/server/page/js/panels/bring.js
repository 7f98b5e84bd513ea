// Photos that someone chose, dropped or pasted: several may be of one table.
import { h, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chosenDeck, offerOf } from "../lib/offers.js";
import { take } from "../lib/uploads.js";

export function bring(files) {
  const most = offerOf(chosenDeck())?.photos ?? 1;
  if (files.length < 2 || files.length > most) return take(files.map((file) => [file]));
  const choose = (tables) => () => {
    box.close();
    take(tables);
  };
  const n = files.length;
  const box = dialog(
    t("bring.title", { n }),
    t("close"),
    h("p", {}, t("bring.lead")),
    h(
      "div.row",
      {},
      h("button.btn.main", { onclick: choose([files]) }, t("bring.one")),
      h("button.btn", { onclick: choose(files.map((file) => [file])) }, t("bring.each", { n })),
    ),
  );
  return box;
}

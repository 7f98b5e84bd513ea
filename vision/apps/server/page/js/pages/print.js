// A round on paper.
import { h, icon } from "../lib/dom.js";
import { t, when } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { ledgerPanel } from "../panels/ledger.js";
import { scoreTable } from "../panels/tables.js";

export async function showPrint(main, { base }) {
  const round = await get(`${base}/round`);
  document.title = t("print.title");
  main.replaceChildren(
    h(
      "article.printed",
      {},
      h(
        "div.row.noprint",
        {},
        h("button.btn", { onclick: () => history.back() }, icon("back"), t("back")),
        h("button.btn.main", { onclick: () => print() }, icon("print"), t("take.print")),
      ),
      h("h1", {}, t("print.title"), round.name ? ": " + round.name : ""),
      h("p.soft", {}, when(round.created)),
      h("img", {
        src: `/api/v1${base}/picture.jpg`,
        alt: t("stage.label", { n: round.cards.length }),
      }),
      scoreTable(round),
      h("h2", {}, t("tab.ledger")),
      ledgerPanel(round),
    ),
  );
}

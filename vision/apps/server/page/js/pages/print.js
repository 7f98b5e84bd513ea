// A round on paper.
import { h, icon } from "../lib/dom.js";
import { t, when } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { news } from "../lib/news.js";
import { cardsOf, readRound } from "../lib/round.js";
import { headline } from "../panels/headline.js";
import { ledgerPanel } from "../panels/ledger.js";
import { oddsPanel } from "../panels/odds.js";
import { placeTable, scoreTable } from "../panels/tables.js";

export async function showPrint(main, { base }) {
  const load = async () => paint(main, base, readRound(await get(`${base}/round`)));
  await load();
  news.follow(load);
}
function paint(main, base, round) {
  const { ledger } = round,
    title = t("print.title", { game: ledger.words["game.title"] ?? ledger.game });
  document.title = title;
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
      h("h1", {}, title, round.name ? ": " + round.name : ""),
      h("p.soft", {}, when(round.created)),
      h("img", {
        src: `/api/v1${base}/picture.jpg?at=${round.revision}`,
        alt: t("stage.label", { n: cardsOf(round).length }),
      }),
      ...(round.isPlayed
        ? [
            headline(round.headline),
            scoreTable(round),
            oddsPanel(round),
            h("h2", {}, t("tab.ledger")),
            ledgerPanel(round),
          ].filter(Boolean)
        : [placeTable(round)]),
    ),
  );
}

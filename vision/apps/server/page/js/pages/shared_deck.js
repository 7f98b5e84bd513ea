// A deck that somebody shows: all its faces, and its file to take home.
import { h, icon } from "../lib/dom.js";
import { length, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";

export async function showSharedDeck(main, token) {
  const base = `/shared-decks/${token}`;
  const deck = await get(base);
  document.title = deck.name;
  const size = { n: deck.cards.length, w: length(deck.width_mm), h: length(deck.height_mm) };
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1", {}, deck.name),
      h("p.soft", {}, t("decks.size", size)),
      h("img.sheet", { src: `/api/v1${base}/preview.jpg`, alt: t("decks.faces") }),
      h("a.btn.main", { href: `/api/v1${base}/file`, download: "" }, icon("download"), t("decks.export")),
      h("p.tiny.soft", {}, t("decks.take_home")),
    ),
  );
}

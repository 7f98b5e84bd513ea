// Are several photos all of one table? The likelier answer stands first.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { recentEvening } from "../lib/about.js";
import { get } from "../lib/api.js";
import { offerOf, wantedDeck } from "../lib/offers.js";
import { answer } from "../lib/uploads.js";

const photosOf = (deck) => offerOf(deck).photos;

// Of one table are photos where what was said, or played last, is spread over several.
async function isLikelyOne() {
  const wanted = wantedDeck();
  if (wanted) return photosOf(wanted) > 1;
  const evening = await recentEvening().catch(() => null);
  if (!evening) return false;
  const { scans } = await get(`/scans?evening=${evening.id}&limit=5`).catch(() => ({ scans: [] }));
  const last = scans.find((scan) => scan.state === "done")?.deck ?? evening.deck;
  return last ? photosOf(last) > 1 : false;
}
export async function answers(held, done = () => {}) {
  const n = held.files.length,
    isOne = await isLikelyOne();
  const button = (is) =>
    h(
      is === isOne ? "button.btn.main" : "button.btn",
      {
        onclick: () => {
          done();
          answer(held, is);
        },
      },
      t(is ? "bring.one" : "bring.each", { n }),
    );
  return h("div.row", {}, button(isOne), button(!isOne));
}

// Photos that someone chose, dropped or pasted: several may be of one table.
import { h, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { allOffers, offerOf, wantedDeck } from "../lib/offers.js";
import { hold, take } from "../lib/uploads.js";
import { answers } from "./answers.js";

const photosOf = (deck) => offerOf(deck).photos;

export async function bring(files) {
  const wanted = wantedDeck();
  const most = wanted ? photosOf(wanted) : Math.max(...allOffers().map((one) => one.photos), 1);
  if (files.length < 2 || files.length > most) return take(files.map((file) => [file]));
  const held = await hold(files);
  const box = dialog(
    t("bring.title", { n: files.length }),
    t("close"),
    h("p", {}, t("bring.lead")),
    await answers(held, () => box.close()),
    h("p.tiny.soft", {}, t("bring.kept")),
  );
}

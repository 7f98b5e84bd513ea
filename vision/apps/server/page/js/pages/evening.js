// An evening and its running table.
import { h, icon, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, post, call } from "../lib/api.js";
import { news } from "../lib/news.js";
import { nameSides } from "../lib/names.js";
import { allOffers, offerOf } from "../lib/offers.js";
import { seatsPanel } from "../panels/careers.js";
import { eveningCoach } from "../panels/coach.js";
import { playedPanel } from "../panels/evening_played.js";
import { endDialog, namesPanel, runningTable } from "../panels/evening.js";

export async function showEvening(main, id) {
  let shown = "";
  // By itself only where nobody is writing just now; the sums are always those of the server.
  const load = async (isOurs = false) => {
    const evening = await get(`/evenings/${id}`);
    const told = JSON.stringify(evening);
    if (told === shown && !isOurs) return;
    shown = told;
    const isWriting = !isOurs && document.activeElement?.matches("input, select");
    await paint(main, evening, load, isWriting);
  };
  await load();
  news.follow(() => load());
}
async function paint(main, evening, load, isWriting) {
  const { id } = evening;
  document.title = evening.name || t("evening.title");
  nameSides(evening.teams);
  const table = runningTable(evening, () => load(true));
  const was = main.querySelector(".running");
  if (isWriting && was) return was.replaceWith(table);
  const save = async (body) => {
    await call("PATCH", `/evenings/${id}`, body);
    toast(t("edit.saved"));
    await load(true);
  };
  const played = Object.keys(evening.totals);
  const offered = (offerOf(evening.deck)?.sides ?? []).map((side) => side.id);
  const names = namesPanel(evening, {
    sides: played.length ? played : offered,
    rename: (name) => save({ name }),
    renameSide: (side, name) => save({ teams: { [side]: name } }),
  });
  const seats = await careers(evening, load);
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1.sr", {}, evening.name || t("evening.title")),
      table,
      eveningCoach(evening),
      names,
      playedPanel(evening, save),
      seats,
      h(
        "div.row",
        {},
        h("a.btn", { href: "#/" }, icon("back"), t("back")),
        h(
          "button.btn.danger",
          { onclick: () => endDialog(id) },
          icon("trash"),
          t("evening.delete"),
        ),
      ),
    ),
  );
}
// Whose careers its rounds count for, where a game keeps them.
async function careers({ id, deck, rounds, careers: seated }, load) {
  const decks = new Set([deck, ...rounds.map((round) => round.deck)]);
  const offers = allOffers().filter((offer) => offer.careers && decks.has(offer.deck));
  if (!offers.length) return null;
  const { careers: known } = await get("/careers");
  return offers.map((offer) => {
    const { game } = offer;
    const seat = async (side, career) => {
      try {
        await call("PUT", `/evenings/${id}/careers`, { game, seats: { [side]: career } });
      } catch (error) {
        toast(error.words || String(error), true);
      }
      await load(true);
    };
    const begin = async (name) => (await post("/careers", { game, name })).id;
    const own = known.filter((one) => one.game === game);
    return seatsPanel(offer, own, seated, { seat, begin });
  });
}

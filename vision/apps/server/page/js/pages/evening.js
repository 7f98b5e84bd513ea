// An evening and its running table.
import { h, icon, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, post, call } from "../lib/api.js";
import { nameSides } from "../lib/names.js";
import { allOffers, chosenDeck, offerOf } from "../lib/offers.js";
import { seatsPanel } from "../panels/careers.js";
import { playedPanel } from "../panels/evening_played.js";
import { endDialog, namesPanel, runningTable } from "../panels/evening.js";

export async function showEvening(main, id) {
  let evening = await get(`/evenings/${id}`);
  document.title = evening.name || t("evening.title");
  nameSides(evening.teams);
  const save = async (body) => {
    evening = { ...evening, ...(await call("PATCH", `/evenings/${id}`, body)) };
    toast(t("edit.saved"));
  };
  const played = Object.keys(evening.totals);
  const offered = (offerOf(evening.deck || chosenDeck())?.sides ?? []).map((side) => side.id);
  const names = namesPanel(evening, {
    sides: played.length ? played : offered,
    rename: (name) => save({ name }),
    renameSide: async (side, name) => {
      await save({ teams: { [side]: name } });
      showEvening(main, id);
    },
  });
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1.sr", {}, evening.name || t("evening.title")),
      names,
      playedPanel(evening, async (played) => {
        await save(played);
        showEvening(main, id);
      }),
      runningTable(evening, () => showEvening(main, id)),
      await careers(main, evening),
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
async function careers(main, { id, rounds, careers: seated }) {
  const decks = new Set([chosenDeck(), ...rounds.map((round) => round.deck)]);
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
      await showEvening(main, id);
    };
    const begin = async (name) => (await post("/careers", { game, name })).id;
    const own = known.filter((one) => one.game === game);
    return seatsPanel(offer, own, seated, { seat, begin });
  });
}

// What may be read and played here: decks, each with its game's sides, pieces and options.
import { get } from "./api.js";
import { learn } from "./names.js";

const DECK = "deck";
let offers = [];
export async function loadOffers() {
  offers = (await get("/games")).games;
  [...offers].reverse().forEach(learn); // the program's own deck has the last word
}
export const allOffers = () => offers;
// A round brings its own where its deck may have changed since.
export const offerOf = (deck, asItWas = null) =>
  asItWas || offers.find((one) => one.deck === deck) || offers[0];
// Whose options are fields of a form, before a round or in one.
export const optionsOf = (deck, asItWas = null) => offerOf(deck, asItWas)?.options || [];

export const playedOffers = () => offers.filter((one) => one.sides.length && one.followed);

// The deck that lies there; the first, unless another was chosen.
export const chosenDeck = (among = offers) => {
  const kept = localStorage.getItem(DECK);
  return among.some((one) => one.deck === kept) ? kept : among[0]?.deck;
};
export const chooseDeck = (deck) => localStorage.setItem(DECK, deck);

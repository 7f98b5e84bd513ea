// What may be read and played here: decks, each with its game's sides, pieces and options.
import { get } from "./api.js";
import { say } from "./i18n.js";
import { learn, markOf, sideMark } from "./names.js";

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

// What a game is called. A learned deck goes by its own name.
export const gameTitle = (game) => say(offers.find((one) => one.game === game && !one.learned)?.title) ?? game;
// A side's mark as its game has it: blue is a square in one and a disc in another.
export const markIn = (game, id) => {
  const side = offers.find((one) => one.game === game)?.sides.find((one) => one.id === id);
  return side ? markOf(side) : sideMark(id);
};
export const offerTitle = ({ learned, game, deck }) => (learned ? deck : gameTitle(game));
// The games themselves, each once, by their names.
export const knownGames = () => offers.filter((one) => !one.learned && one.sides.length);
// Learned decks are not found by themselves.
export const otherDecks = () => offers.filter((one) => one.learned);

// As what photos are to be read, where someone said so in this tab; else null: it is found out.
const WANTED = "read-as";
export const wantedDeck = () => {
  const kept = sessionStorage.getItem(WANTED);
  return offers.some((one) => one.deck === kept) ? kept : null;
};
export const wantDeck = (deck) =>
  deck ? sessionStorage.setItem(WANTED, deck) : sessionStorage.removeItem(WANTED);

// The deck of a live table; the first, unless another was chosen.
export const chosenDeck = (among = offers) => {
  const kept = localStorage.getItem(DECK);
  return among.some((one) => one.deck === kept) ? kept : among[0]?.deck;
};
export const chooseDeck = (deck) => localStorage.setItem(DECK, deck);

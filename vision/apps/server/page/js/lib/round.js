// A round as the server tells it -> as panels read it.
import { language } from "./i18n.js";
import { learn } from "./names.js";

// Adds what is asked for again and again: `events` in one row, each with its `step`; `tallies`
// before the first step and after each; `pieces` by id; `doubtful` pieces; whether it `isPlayed`;
// what is `laid` there by hand. While the round is open nobody is among the `winners`.
export function readRound(plain) {
  const ledger = plain.ledger[language()];
  learn(ledger);
  const rows = ledger.steps.flatMap(({ events }, step) => events.map((e) => ({ ...e, step })));
  return {
    ...plain,
    ledger,
    events: rows.map((event, index) => ({ ...event, index })),
    tallies: [ledger.opening, ...ledger.steps.map((step) => step.tally)],
    pieces: new Map(ledger.pieces.map((piece) => [piece.id, piece])),
    doubtful: new Set(doubts(plain).flatMap((issue) => issue.cards)),
    winners: ledger.winners,
    isPlayed: ledger.sides.length > 0,
    ...laid(plain),
  };
}
// What a hand may move, and as what a change names it; `spare` may be put there, null for any.
function laid({ hands, cards, card_mm }) {
  if (hands) return { laid: hands.pieces, named: "piece", spare: new Set(hands.spare) };
  const own = { size_mm: card_mm, step_mm: 1, turn_deg: 1 };
  return { laid: cards.map((card) => ({ ...card, ...own })), named: "card", spare: null };
}
export const doubts = (round) => round.issues.filter((i) => i.severity === "doubt");
const UNDER = ["thing", "board", "sheet"]; // what others lie on, or beside
export const cardsOf = (round) => round.ledger.pieces.filter(({ kind }) => !UNDER.includes(kind));
export const thingsOf = (round) => round.ledger.pieces.filter((piece) => piece.kind === "thing");
// Whether anybody has ordered, in a game that is played by orders.
export const isOrdered = (round) => Boolean(round.orders?.some(({ order }) => order !== null));
// An event that has an id can be chosen and spoken of.
export const eventsOf = (round, piece) => round.events.filter((e) => e.id && e.pieces[0] === piece);
export const pathsOf = (event) => event.marks.filter((mark) => mark.kind === "path");
// After which step a piece was out of the game; its title, or null.
export function stepOut(round, piece) {
  const at = round.ledger.steps.findIndex((step) => step.tally.pieces[piece]?.out);
  return at < 0 ? null : round.ledger.steps[at].title;
}

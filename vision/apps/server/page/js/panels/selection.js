// What is known of the chosen piece or event.
import { h, icon } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { sideMark } from "../lib/names.js";
import { eventsOf, stepOut } from "../lib/round.js";
import { placeOf } from "./doubts.js";
import { ruledWords, rulings } from "./rulings.js";

export function selectionPanel(round, actions) {
  const { piece, event } = actions.selection;
  if (piece) return aboutPiece(round, actions, round.pieces.get(piece));
  return event === undefined ? null : aboutEvent(round, actions, round.events[event]);
}
// What stands on a piece, and how it fared, in the game's words.
function facts(round, piece) {
  const { words } = round.ledger,
    state = round.tallies.at(-1).pieces[piece.id];
  if (!state) return "";
  return [
    piece.number && `${words["piece.number"] ?? ""} ${piece.number}`,
    piece.health && `${words["piece.harm"] ?? ""} ${state.harm}/${piece.health}`,
    piece.health && words["piece.held"] && `${words["piece.held"]} ${state.held}`,
    state.note,
  ]
    .filter(Boolean)
    .join(" · ");
}
function aboutPiece(round, { choose }, piece) {
  const mine = eventsOf(round, piece.id);
  const out = stepOut(round, piece.id);
  const line = (event) =>
    h(
      "li",
      {},
      h(
        "button.link",
        { onclick: () => choose({ event: event.index }) },
        sentence(event.said),
      ),
      event.closeness?.said ? h("p.tiny.soft", {}, event.closeness.said) : null,
    );
  return h(
    "section.panel.sel",
    { "aria-live": "polite" },
    h("div.row", {}, piece.side ? sideMark(piece.side) : null, h("h2", {}, sentence(piece.title))),
    h("p.soft", {}, facts(round, piece)),
    out ? h("p.err", {}, t("piece.out", { step: out })) : null,
    mine.length
      ? h("ul", {}, mine.map(line))
      : piece.side
        ? h("p.soft", {}, t("piece.idle"))
        : null,
  );
}
function aboutEvent(round, actions, event) {
  const doer = round.pieces.get(event.pieces[0]);
  const look = () => {
    const { at, span } = placeOf(round, event);
    actions.stage.lookAt(at, span * 1.6);
  };
  return h(
    "section.panel.sel",
    { "aria-live": "polite" },
    h("h2", {}, event.title),
    h("p", {}, sentence(event.said)),
    event.closeness?.said ? h("p.soft", {}, event.closeness.said) : null,
    ruledWords(round, event),
    rulings(round, event, actions),
    h(
      "div.row",
      {},
      doer
        ? h(
            "button.btn.small",
            { onclick: () => actions.choose({ piece: doer.id }) },
            sentence(doer.title),
          )
        : null,
      h("button.btn.small", { onclick: look }, icon("fit"), t("doubt.look")),
    ),
  );
}

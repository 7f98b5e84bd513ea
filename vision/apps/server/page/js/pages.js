// All pages but the first: by their addresses.
import { Problem } from "./lib/api.js";
import { takeSpectator } from "./lib/live_keys.js";
import { showCareer } from "./pages/career.js";
import { showDecks } from "./pages/decks.js";
import { showDesign } from "./pages/design.js";
import { showDesigns } from "./pages/designs.js";
import { showDraft } from "./pages/draft.js";
import { showSharedDeck } from "./pages/shared_deck.js";
import { showEvening } from "./pages/evening.js";
import { showRound } from "./pages/round.js";
import { showSeat } from "./pages/seat.js";
import { showPrint } from "./pages/print.js";
import { showLive } from "./pages/live.js";
import { showTables } from "./pages/tables.js";
import { showOverlay } from "./pages/overlay.js";
import { showProjector } from "./pages/projector.js";
import { showStream } from "./pages/stream.js";

// #/live: the tables; #/live/ID: one; …/overlay: the picture alone; …/overlay/clear: not even that;
// #/live/ID/projector: its beams alone, for a projector over the table or a screen under it
// #/live/tv: the newest, for a television
// …?spectator=ID.KEY: with the beams that only spectators' screens are sent
// #/live/stream, #/live/ID/stream: what lies over a stream
function live(main, given) {
  const path = takeSpectator(given);
  const [stream] = path.filter((part) => part.split("?")[0] === "stream");
  if (stream) return showStream(main, path[0] === stream ? null : path[0], stream);
  if (path[0] === "tv") return showOverlay(main, null, { clear: false, tv: true });
  if (path[1] === "projector") return showProjector(main, path[0]);
  const at = path.indexOf("overlay");
  const id = at === 0 ? null : path[0];
  if (at >= 0) return showOverlay(main, id, { clear: path[at + 1] === "clear" });
  return id ? showLive(main, id) : showTables(main);
}
const ID = /^[0-9a-f]{20}$/;
// Opens the page of an address; who came by a link sees what it is for: a round, a seat or a deck.
export function openPage(main, [name, ...rest], { shared, seat, deck }) {
  const [id] = rest;
  if (id && ["round", "print", "evening"].includes(name) && !ID.test(id))
    throw new Problem(404, "not_found", "");
  if (deck) return showSharedDeck(main, deck);
  if (seat) return showSeat(main, seat);
  if (shared)
    return (name === "print" ? showPrint : showRound)(main, {
      base: `/shared/${shared}`,
      token: shared,
    });
  if (name === "round" && id)
    return showRound(main, { base: `/scans/${id}`, id }, { tv: rest[1] === "tv" });
  if (name === "print" && id) return showPrint(main, { base: `/scans/${id}` });
  if (name === "evening" && id) return showEvening(main, id);
  if (name === "career" && id) return showCareer(main, id);
  if (name === "decks") return showDecks(main);
  if (name === "draft" && id) return showDraft(main, id);
  if (name === "does" && id) return rest[1] ? showDesign(main, id, rest[1]) : showDesigns(main, id);
  if (name === "live") return live(main, rest);
  throw new Problem(404, "not_found", "");
}

// Pieces that were moved: where each stands by now, beside where the photo has it.
import { s } from "../lib/dom.js";
import { centre, cut, poly } from "../lib/geometry.js";
import { sideStyle } from "../lib/names.js";
import { pathsOf } from "../lib/round.js";
import { pieceTag } from "./marks.js";

const WAYS = ["move", "throw"];

// Where the pieces stand that have moved before a step, and in it as far as is seen: id -> place.
export function places(events, shares, step) {
  const found = new Map();
  for (const event of events) {
    const share = step === null || event.step < step ? 1 : shares[event.index];
    for (const mark of pathsOf(event))
      if (share > 0 && WAYS.includes(mark.style) && mark.points_px.length)
        for (const id of [...(event.along ?? []), event.pieces[0]]) {
          found.delete(id); // what was moved last lies on top
          found.set(id, cut(mark.points_px, share).at(-1));
        }
  }
  return found;
}
// A piece at another place: its edge, its number; crossed where it is out.
export function ghost(piece, [x, y], isOut) {
  const [cx, cy] = centre(piece.outline_px);
  const outline = piece.outline_px.map(([px, py]) => [px + x - cx, py + y - cy]);
  const { colour } = sideStyle(piece.side);
  const q = Math.floor(outline.length / 4);
  const lines = [
    [outline[0], outline[2 * q]],
    [outline[q], outline[3 * q]],
  ].map(([[x1, y1], [x2, y2]]) => s("line.ov-cross", { x1, y1, x2, y2 }));
  return [
    s(
      isOut ? "g.ghost.dead" : "g.ghost",
      {},
      s("polygon", { points: poly(outline), fill: colour }),
      isOut ? lines : null,
    ),
    pieceTag({ ...piece, outline_px: outline }),
  ].filter(Boolean);
}

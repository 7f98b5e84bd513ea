// Marks of the ledger -> drawings on the photo.
import { s } from "../lib/dom.js";
import { poly, centre, cut, spread } from "../lib/geometry.js";
import { sideStyle } from "../lib/names.js";
import { pathsOf } from "../lib/round.js";

const BURST = "M0-11 3-5 9-8 6-2 11 1 5 4 6 10 0 6-6 10-5 4-11 1-6-2-9-8-3-5z",
  COUNTED = "M-5-9H6L10-2 7 8-2 10-9 4-9-4z",
  SHIELD = "M0-10 8-7V0C8 5 4 8 0 10-4 8-8 5-8 0V-7z";
const STRONGEST = 3,
  BESIDE = 15; // a second sign at one place stands so far beside the first
const EDGE = { stroke: "#0d1117", "stroke-width": 2 };

// The lines of a path, the lowest first; `cut` to a share by drawPath.
export function pathNode(mark, { contested = false } = {}) {
  const strength = Math.min(mark.strength, STRONGEST);
  const look = mark.style === "beam" ? "p" + strength : mark.style;
  const kinds = [contested && "fence", "b0", "b1", !["p1", "move"].includes(look) && "b2", "grab"];
  const lines = kinds.filter(Boolean).map((kind) => s("polyline." + kind));
  if (isOwn(mark)) for (const line of lines) if (line.matches(".b1")) line.setAttribute("stroke", colour(mark));
  return s(`g.${look}${mark.fades ? ".fades" : ""}`, {}, lines);
}
const colour = (mark) => sideStyle(mark.side).colour;
const isOwn = (mark) => mark.style !== "beam" || mark.strength < 1; // in the colour of its side
export function drawPath(node, mark, share = 1) {
  const points = poly(cut(mark.points_px, share));
  for (const line of node.children) line.setAttribute("points", points);
  return node;
}
// The paths of an event, for a close-up.
export const stillPaths = (event) =>
  s(
    "g.event",
    {},
    pathsOf(event).map((mark) => drawPath(pathNode(mark), mark)),
  );

// Something upright at a place, of its own size on the screen, but at most so large on the photo.
function upright(kind, at, most, ...children) {
  const node = s("g." + kind, { "pointer-events": "none" }, ...children);
  node.place = [...at, most];
  return node;
}
// far: so many times as large, to be read from across the room; numbers then as large as it takes.
export function scaleUpright(node, scale, far = 1) {
  const [x, y, most] = node.place;
  const isFree = far > 1 && node.matches(".number, .pips");
  const size = Math.min((1.05 * far) / scale, isFree ? Infinity : most / 10);
  node.setAttribute("transform", `translate(${x} ${y}) scale(${size})`);
}
// What stands on a piece: its number on its side's badge; a question where it is not known.
export function pieceTag(piece) {
  if (piece.known && !piece.number) return null;
  const { colour, path } = sideStyle(piece.side);
  const plate = piece.known
    ? s("path", { d: path, fill: colour, ...EDGE })
    : s("circle", { r: 9, fill: "#4b5567", ...EDGE });
  const size = spread(piece.outline_px) * 0.28;
  const words = piece.known ? piece.number : "?";
  return upright("tag.number", centre(piece.outline_px), size, plate, s("text", {}, words));
}
// The health that is left to a harmed piece, and what it lost, under its number; as the film has it.
export function harmPips(piece, harm) {
  const { health, outline_px: outline } = piece;
  if (!harm || !health) return null;
  const pip = (_, k) =>
    s(k < health - harm ? "circle.left" : "circle.lost", { cx: (k - (health - 1) / 2) * 8, cy: 15, r: 3.2 });
  const plate = s("rect", { x: -health * 4 - 3, y: 9.5, width: health * 8 + 6, height: 11, rx: 5.5 });
  return upright("tag.pips", centre(outline), spread(outline) * 0.28, plate, Array.from({ length: health }, pip));
}
// Where something may lie that no piece tells of.
export const doubtTag = ({ at_px: at }) =>
  upright("tag.open", at, 1e9, s("circle", { r: 11, fill: "#ffb020", ...EDGE }), s("text", {}, "?"));
function sign(mark) {
  if (mark.kind === "burst")
    return [s("path", { d: BURST, fill: "#ff8a1f", ...EDGE, "stroke-width": 1.8 }), mark.text];
  return mark.style === "shield"
    ? [s("path", { d: SHIELD, fill: "#59e0ff", ...EDGE }), ""]
    : [s("path", { d: COUNTED, fill: "#e6d7c0", ...EDGE }), mark.text];
}
// What an event did, where it did it.
export function signs(event, round) {
  const shown = event.marks.filter((mark) => mark.at_px && ["burst", "badge"].includes(mark.kind));
  const piece = round.pieces.get(event.pieces.at(-1));
  const most = piece?.outline_px.length ? spread(piece.outline_px) * 0.2 : 1e9;
  return shown.map((mark, i) => {
    const [plate, words] = sign(mark);
    const parts = s("g", { transform: `translate(${i * BESIDE} 0)` }, plate, s("text", {}, words));
    return upright("tag.mark", mark.at_px, most, parts);
  });
}
// When a way was gone, in the middle of it; where ways are in the colours of their sides.
export const times = (event) =>
  pathsOf(event)
    .filter((mark) => mark.label && isOwn(mark) && mark.points_px.length > 1)
    .map((mark) =>
      upright(
        "tag.time",
        cut(mark.points_px, 0.5).at(-1),
        1e9,
        s("circle", { r: 9, fill: colour(mark), ...EDGE }),
        s("text", {}, mark.label),
      ),
    );
// Outlines and words of an event.
export const drawn = (event) =>
  event.marks.map((mark) => {
    if (mark.kind === "outline")
      return s("polygon.ov-card", { points: poly(mark.points_px), stroke: colour(mark) });
    if (mark.kind !== "tag" || !mark.at_px) return null;
    return upright("tag", mark.at_px, 1e9, s("text.said", { fill: colour(mark) }, mark.text));
  });

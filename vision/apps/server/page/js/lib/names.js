// Sides and pieces by their ids: what the server calls them, how sides look.
import { s } from "./dom.js";
import { say } from "./i18n.js";

const SHAPES = {
  triangle: "M0-11 10.5 8.5H-10.5z",
  square: "M-9-9H9V9H-9z",
  diamond: "M0-12 12 0 0 12-12 0z",
  disc: "M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0z",
  hexagon: "M-6-10H6L11 0 6 10H-6L-11 0z",
  pentagon: "M0-11 11-3 7 10H-7L-11-3z",
};
const NOBODY = { colour: "#c9b59a", shape: "hexagon" };
const sides = new Map(),
  titles = new Map(),
  numbers = new Map();
let given = {};
// What a round or an offer of the server tells.
export function learn({ sides: newSides = [], kinds = [], pieces = [] }) {
  for (const side of [...newSides, ...kinds]) sides.set(side.id, side);
  for (const piece of pieces) {
    titles.set(piece.id, piece.title);
    if (piece.number !== undefined) numbers.set(piece.id, piece.number);
  }
}
// The players' own names for sides.
export const nameSides = (names) => {
  given = names || {};
};
export const plainSideName = (id) => say(sides.get(id)?.name) ?? id;
export const sideName = (id) => given[id] || plainSideName(id);
export const numberOf = (id) => numbers.get(id) ?? "";
export const titleOf = (id) => say(titles.get(id)) ?? id;
const styleOf = ({ colour, shape }) => ({ colour, path: SHAPES[shape] || SHAPES.disc });
export const sideStyle = (id) => styleOf(sides.get(id) || NOBODY);
export const sideMark = (id) => markOf(sides.get(id) || NOBODY);
// Of a side as its own game has it: two games may have one of the same name.
export const markOf = (side) => {
  const { colour, path } = styleOf(side);
  return s(
    "svg",
    { viewBox: "-13 -13 26 26", width: 20, height: 20, "aria-hidden": "true" },
    s("path", {
      d: path,
      fill: colour,
      stroke: "#fff",
      "stroke-width": 2,
      "stroke-linejoin": "round",
    }),
  );
};
// Who orders: the players' own name of a side, or what the server calls one of its players.
export const partyName = ({ id, name, side }) => (id === side ? sideName(side) : (say(name) ?? id));

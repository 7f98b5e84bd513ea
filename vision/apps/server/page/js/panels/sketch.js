// What one gets, before there is a round: cards on a table, then who hits whom and the score.
import { s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const CARDS = [
  ["one", 46, 62, -14],
  ["two", 104, 40, 22],
  ["two", 128, 92, -6],
  ["one", 72, 104, 8],
];
const card = ([side, x, y, turn]) =>
  s(`rect.card-${side}`, { x: -12, y: -17, width: 24, height: 34, rx: 3, transform: `translate(${x} ${y}) rotate(${turn})` });
const table = (x, ...over) =>
  s("g", { transform: `translate(${x} 0)` }, s("rect.cloth", { x: 4, y: 8, width: 164, height: 124, rx: 10 }), CARDS.map(card), over);
const beam = (points) => s("polyline.beam", { points, pathLength: 1 });

export function sketch() {
  const score = s(
    "g.sum",
    { transform: "translate(86 8)" },
    s("rect", { x: -44, y: -8, width: 88, height: 26, rx: 13 }),
    s("circle.card-one", { cx: -26, cy: 5, r: 6 }),
    s("text", { x: -10, y: 10 }, "4"),
    s("circle.card-two", { cx: 12, cy: 5, r: 6 }),
    s("text", { x: 28, y: 10 }, "2"),
  );
  const hits = s("g.hits", {}, s("path", { d: "M95 26l18 28m0-28l-18 28" }));
  return s(
    "svg.sketch",
    { viewBox: "0 0 372 140", role: "img", "aria-label": t("home.sketch") },
    table(0),
    s("path.to", { d: "M178 70h16m-6-6 6 6-6 6" }),
    table(200, beam("50,46 92,38"), beam("120,76 82,100"), hits, score),
  );
}

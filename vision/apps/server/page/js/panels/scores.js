// The score over the photo: a chip for each side, counting with the replay.
import { h, s, write } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { sideMark, sideName } from "../lib/names.js";
import { headline } from "./headline.js";

const chip = (side) =>
  h(
    "div.chip",
    { role: "listitem", "data-side": side },
    sideMark(side),
    h("span.nm", {}, sideName(side), h("small", {})),
    h("b", {}, "0"),
  );
const crown = () =>
  s(
    "svg.crown",
    { viewBox: "0 0 24 24", role: "img", "aria-label": t("scores.wins") },
    s("path", { d: "M3 18l-1-11 6 4 4-7 4 7 6-4-1 11z" }),
  );
const setCrown = (node, isWinner) => {
  node.classList.toggle("win", isWinner);
  const now = node.querySelector(".crown");
  if (isWinner && !now) node.append(crown());
  else if (!isWinner) now?.remove();
};

export class Scores {
  constructor() {
    this.chips = h("div.scores", { role: "list", "aria-label": t("scores.label") });
    this.over = h("div.over", { role: "status" });
    this.node = h("div.scorebox", {}, this.over, this.chips);
    this.shown = {};
  }
  build(sides) {
    if (this.chips.dataset.sides === sides.join()) return;
    this.chips.dataset.sides = sides.join();
    this.chips.dataset.count = sides.length;
    this.chips.replaceChildren(...sides.map(chip));
    this.shown = {};
  }
  // The players have other names for their sides.
  rename() {
    for (const node of this.chips.children)
      node.querySelector(".nm").firstChild.textContent = sideName(node.dataset.side);
  }
  // The headline: asked for by who opens a round, and after every change.
  tell(over) {
    const line = headline(over);
    if (line?.textContent !== this.over.textContent || line?.className !== this.over.firstChild?.className)
      this.over.replaceChildren(...(line ? [line] : []));
  }
  // points: how things stand; winners only at the end; gauges: columns to be shown all along, the
  // first large
  paint(points, winners, { gauges = [], columns = [] } = {}) {
    const sides = Object.keys(points);
    const [large = "total"] = gauges;
    this.build(sides);
    sides.forEach((side, i) => {
      const node = this.chips.children[i],
        shows = points[side][large];
      if (this.shown[side] !== undefined && this.shown[side] !== shows) {
        node.classList.remove("bump");
        void node.offsetWidth; // so that it moves again
        node.classList.add("bump");
      }
      this.shown[side] = shows;
      const stands = columns.filter(({ id }) => gauges.includes(id));
      const words = stands.map(({ id, name }) => `${name} ${number(points[side][id])}`).join(" · ");
      write(node.querySelector("small"), words);
      write(node.querySelector("b"), number(shows));
      setCrown(node, sides.length > 1 && winners.includes(side));
    });
  }
}

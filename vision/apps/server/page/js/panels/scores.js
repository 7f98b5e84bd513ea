// The score over the photo: a chip for each side, counting with the replay.
import { h, s } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { teamMark, teamName } from "../lib/names.js";

const chip = (team) =>
  h(
    "div.chip",
    { role: "listitem" },
    teamMark(team),
    h("span.nm", {}, teamName(team)),
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
    this.node = h("div.scores", { role: "list", "aria-label": t("scores.label") });
    this.shown = {};
  }
  build(teams) {
    if (this.node.dataset.teams === teams.join()) return;
    this.node.dataset.teams = teams.join();
    this.node.dataset.count = teams.length;
    this.node.replaceChildren(...teams.map(chip));
    this.shown = {};
  }
  // points: how things stand; winners only at the end
  paint(points, winners) {
    const teams = Object.keys(points);
    this.build(teams);
    teams.forEach((team, i) => {
      const node = this.node.children[i],
        { total } = points[team];
      if (this.shown[team] !== undefined && this.shown[team] !== total) {
        node.classList.remove("bump");
        void node.offsetWidth; // so that it moves again
        node.classList.add("bump");
      }
      this.shown[team] = total;
      node.querySelector("b").textContent = number(total);
      setCrown(node, teams.length > 1 && winners.includes(team));
    });
  }
}

// Names of teams and cards, and the marks of teams.
import { s } from "./dom.js";
import { t, has } from "./i18n.js";

let names = {};
export const setTeamNames = (given) => {
  names = given || {};
};
export const teamName = (team) => names[team] || (has("team." + team) ? t("team." + team) : team);
// A ship's name under the heading of its team.
export const shortName = (id) =>
  has("team." + id.split("-")[0])
    ? id.slice(id.indexOf("-") + 1).replace(/^./, (c) => c.toUpperCase())
    : cardName(id);
export function cardName(id) {
  const back = /^(asteroid)-(\d+)(-back)?$/.exec(id);
  if (back) return t(back[3] ? "card.asteroid_back" : "card.asteroid", { n: back[2] });
  const un = /^unknown-(\d+)$/.exec(id);
  if (un) return t("card.unknown", { n: un[1] });
  const down = /^ship-back(?:-(\d+))?$/.exec(id);
  if (down) return t("card.back", { n: down[1] || "1" });
  const cut = id.indexOf("-");
  const team = id.slice(0, cut);
  if (cut > 0 && has("team." + team))
    return t("card.ship", {
      team: t("team." + team),
      ship: id.slice(cut + 1).replace(/^./, (c) => c.toUpperCase()),
    });
  return id;
}

const TEAM = {
  red: { colour: "#e5383b", letter: "R", shape: "M0-11 10.5 8.5H-10.5z" },
  green: { colour: "#128a3e", letter: "G", shape: "M-9-9H9V9H-9z" },
  purple: { colour: "#a24be6", letter: "P", shape: "M0-12 12 0 0 12-12 0z" },
  blue: { colour: "#2b7fee", letter: "B", shape: "M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0z" },
};
export const teamStyle = (team) =>
  TEAM[team] || { colour: "#c9b59a", letter: "", shape: "M-6-10H6L11 0 6 10H-6L-11 0z" };
export const teamMark = (team) => {
  const look = teamStyle(team);
  return s(
    "svg",
    { viewBox: "-13 -13 26 26", width: 20, height: 20, "aria-hidden": "true" },
    s("path", {
      d: look.shape,
      fill: look.colour,
      stroke: "#fff",
      "stroke-width": 2,
      "stroke-linejoin": "round",
    }),
  );
};

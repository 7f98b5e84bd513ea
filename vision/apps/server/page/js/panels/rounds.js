// The rounds so far, evening by evening.
import { h, icon } from "../lib/dom.js";
import { t, day, time, when, number } from "../lib/i18n.js";
import { call, post } from "../lib/api.js";
import { gameTitle, knownGames, markIn } from "../lib/offers.js";
import { failureWords } from "../lib/uploads.js";
import { sideName } from "../lib/names.js";
import { readAsPanel } from "./read_as.js";
import { headline } from "./headline.js";

export const scoreLine = ({ scores, winners, game }) => // of a round
  h(
    "span.row",
    {},
    Object.entries(scores || {}).map(([side, n]) =>
      h(
        "span.team",
        {},
        markIn(game, side),
        h("span.sr", {}, sideName(side)),
        h(winners.includes(side) ? "b" : "span", {}, number(n)),
      ),
    ),
  );
// The rounds of an evening are told apart by their numbers; the minute may be the same. Their day is
// said where it is not that of the evening.
function nameOf({ name, created, number: n, evening, state }, begun) {
  const again = evening && state === "done" ? t("evening.again") : "";
  const nth = n ? t("evening.nth", { n }) : again; // a photo that came before has no number
  const isThatDay = begun !== undefined && dayOf(created) === dayOf(begun);
  const at = isThatDay ? time(created * 1000) : when(created);
  return name || (nth ? `${nth}, ${at}` : at);
}
const dayOf = (seconds) => new Date(seconds * 1000).toDateString();
function outcome(scan) {
  if (scan.state === "failed")
    return [h("p.tiny.err", {}, failureWords(scan.error)), readAsPanel(scan)];
  if (scan.state !== "done") return null;
  const score = scan.unordered ? null : scoreLine(scan); // a position is none
  return [score, headline(scan.headline)];
}
function roundItem(scan, begun) {
  const failed = scan.state === "failed";
  const remove = async (e) => {
    await call("DELETE", `/scans/${scan.id}`);
    e.target.closest("li").remove();
  };
  return h(
    failed ? "li.item.failed" : "li.item",
    {},
    scan.state === "done"
      ? h("img.thumb", { src: `/api/v1/scans/${scan.id}/thumb.jpg`, alt: "", loading: "lazy" })
      : h("span.thumb"),
    h(
      "div",
      {},
      h("a.title", { href: failed ? null : `#/round/${scan.id}` }, nameOf(scan, begun)),
      outcome(scan),
    ),
    h(
      "div.row",
      {},
      scan.doubts
        ? h("span.badge", {}, scan.doubts, h("span.sr", {}, " " + t("tab.doubts")))
        : null,
      failed
        ? h("button.ico", { "aria-label": t("round.delete"), onclick: remove }, icon("trash"))
        : null,
    ),
  );
}
function eveningPanel(evening, scans) {
  const on = evening && day(new Date(evening.created * 1000));
  const name = evening ? evening.name || on : t("home.loose");
  return h(
    "section.panel.gap",
    {},
    h(
      "div.row",
      {},
      h("h2", {}, name),
      on && on !== name ? h("span.soft.tiny", {}, on) : null,
      evening ? h("a.btn.small", { href: `#/evening/${evening.id}` }, t("home.table")) : null,
    ),
    h("ul", {}, scans.map((scan) => roundItem(scan, evening?.created))),
  );
}
// A round to try, of each game that brings one.
function examples() {
  const button = ({ game }) => {
    const begin = async () => {
      const { id } = await post(`/games/${game}/example`);
      location.hash = `#/round/${id}`;
    };
    return h("button.btn", { onclick: begin }, icon("play"), t("home.example", { game: gameTitle(game) }));
  };
  const nodes = knownGames().filter((one) => one.has_example).map(button);
  return nodes.length ? h("div.row", {}, nodes) : null;
}
export function roundsPanel(scans, evenings) {
  if (!scans.length) return [h("p.soft.gap", {}, t("home.empty")), examples()].filter(Boolean);
  const groups = new Map();
  for (const scan of scans) groups.set(scan.evening, [...(groups.get(scan.evening) || []), scan]);
  return [...groups].map(([id, rounds]) =>
    eveningPanel(
      evenings.find((e) => e.id === id),
      rounds,
    ),
  );
}

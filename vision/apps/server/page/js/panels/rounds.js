// The rounds so far, evening by evening.
import { h, icon } from "../lib/dom.js";
import { t, when, number } from "../lib/i18n.js";
import { call } from "../lib/api.js";
import { failureWords } from "../lib/uploads.js";
import { sideMark, sideName } from "../lib/names.js";
import { headline } from "./headline.js";

export const scoreLine = (scores, winners = []) =>
  h(
    "span.row",
    {},
    Object.entries(scores || {}).map(([side, n]) =>
      h(
        "span.team",
        {},
        sideMark(side),
        h("span.sr", {}, sideName(side)),
        h(winners.includes(side) ? "b" : "span", {}, number(n)),
      ),
    ),
  );
function outcome(scan) {
  if (scan.state === "failed") return h("p.tiny.err", {}, failureWords(scan.error));
  if (scan.state !== "done") return null;
  const winners = scan.headline?.open ? [] : scan.winners;
  return [scoreLine(scan.scores, winners), headline(scan.headline)];
}
function roundItem(scan) {
  const failed = scan.state === "failed";
  const remove = async (e) => {
    await call("DELETE", `/scans/${scan.id}`);
    e.target.closest("li").remove();
  };
  return h(
    "li.item",
    {},
    scan.state === "done"
      ? h("img.thumb", { src: `/api/v1/scans/${scan.id}/thumb.jpg`, alt: "", loading: "lazy" })
      : h("span.thumb"),
    h(
      "div",
      {},
      h("a.title", { href: failed ? null : `#/round/${scan.id}` }, scan.name || when(scan.created)),
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
  const name = evening ? evening.name || when(evening.created) : t("home.loose");
  return h(
    "section.panel.gap",
    {},
    h(
      "div.row",
      {},
      h("h2", {}, name),
      evening ? h("a.btn.small", { href: `#/evening/${evening.id}` }, t("home.table")) : null,
    ),
    h("ul", {}, scans.map(roundItem)),
  );
}
export function roundsPanel(scans, evenings) {
  if (!scans.length) return [h("p.soft.gap", {}, t("home.empty"))];
  const groups = new Map();
  for (const scan of scans) groups.set(scan.evening, [...(groups.get(scan.evening) || []), scan]);
  return [...groups].map(([id, rounds]) =>
    eveningPanel(
      evenings.find((e) => e.id === id),
      rounds,
    ),
  );
}

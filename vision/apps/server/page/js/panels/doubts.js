// What is in doubt: where to look, and how to say it.
import { h, s, icon } from "../lib/dom.js";
import { t, has, list, language, number, percent } from "../lib/i18n.js";
import { centre, spread } from "../lib/geometry.js";
import { cardName } from "../lib/names.js";
import { hitWords, shotName } from "./ledger.js";
import { rulings } from "./rulings.js";

// Where the beam passes what it nearly meets, and how much around it to show.
export function critical(round, shot) {
  const path = shot.path_px;
  const card = round.cards.find((c) => c.id === shot.margin_card);
  if (!path.length) return [[round.photo.width_px / 2, round.photo.height_px / 2], 400];
  const size = card?.outline_px.length ? spread(card.outline_px) : 200;
  let best = [Infinity, path.at(-1)];
  for (const q of card?.outline_px || [])
    for (let i = 1; i < path.length; i++) {
      const [a, b] = [path[i - 1], path[i]];
      const L = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 || 1;
      const k = Math.max(
        0,
        Math.min(1, ((q[0] - a[0]) * (b[0] - a[0]) + (q[1] - a[1]) * (b[1] - a[1])) / L),
      );
      const p = [a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1])];
      const d = Math.hypot(p[0] - q[0], p[1] - q[1]);
      if (d < best[0]) best = [d, [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]];
    }
  return [best[1], Math.max(size * 0.42, best[0] * 3)];
}
export const beamLine = (shot) =>
  [
    ["#0d1117", 5],
    [shot.power === 2 ? "#ff2b3d" : shot.power === 3 ? "#19d45b" : "#fff", 2.5],
  ].map(([stroke, w]) =>
    s("polyline", {
      points: shot.path_px.map((p) => p.join(",")).join(" "),
      fill: "none",
      stroke,
      "stroke-width": w,
      "vector-effect": "non-scaling-stroke",
    }),
  );
export const issueWords = (issue) =>
  issue.words
    ? issue.words[language()]
    : has("issue." + issue.code)
      ? t("issue." + issue.code, {
          cards: list(issue.cards.map(cardName)),
          card: cardName(issue.cards[0] || ""),
          other: cardName(issue.cards[1] || ""),
        })
      : issue.message;

export const doubtful = (round) => round.issues.filter((i) => i.severity === "doubt");

export function doubtsPanel(round, actions) {
  const shots = round.shots.map((shot, index) => ({ shot, index }));
  const contested = shots
    .filter(({ shot }) => shot.contested)
    .sort((a, b) => b.shot.flip - a.shot.flip);
  const others = doubtful(round).filter((i) => i.code !== "close_call");
  return [
    lead(contested.length + others.length),
    contested.map((one) => contestedShot(round, actions, one)),
    shots.filter(({ shot }) => shot.ruled).map((one) => ruledShot(round, actions, one)),
    others.map((issue) => doubt(round, actions, issue)),
    notes(round.issues.filter((i) => i.severity !== "doubt")),
  ];
}
const lead = (n) =>
  n
    ? h("p.soft", {}, t("doubts.lead", { n }))
    : h("div.panel", {}, h("h2", {}, t("doubts.none")), h("p.soft", {}, t("doubts.none_more")));
function notes(issues) {
  if (!issues.length) return null;
  const lines = issues.map((n) => h("li.soft.tiny", {}, issueWords(n)));
  return h(
    "details",
    {},
    h("summary", {}, t("doubts.notes", { n: issues.length })),
    h("ul.body", {}, lines),
  );
}
// A picture of the place, a title, what is to be said, and what to do about it below.
function article({ stage }, place, title, content, below = null) {
  const { at, span, extra } = place;
  const look = () => {
    stage.lookAt(at, span * 2);
    stage.node.scrollIntoView({ block: "nearest" });
  };
  return h(
    "article.doubt.hot",
    {},
    h(
      "button.closeup",
      { "aria-label": t("doubt.look"), onclick: look },
      stage.closeup(at, span, extra),
    ),
    h("div", {}, h("h3", {}, title), content),
    below,
  );
}
function shotPlace(round, shot) {
  const [at, span] = critical(round, shot);
  return { at, span, extra: beamLine(shot) };
}
function meter(share) {
  const bar = h("i", {});
  bar.style.width = Math.max(2, share * 100) + "%";
  const label = t("contested.meter", { p: percent(share) });
  return h("div.meter", { role: "img", "aria-label": label }, bar);
}
function contestedShot(round, actions, { shot, index }) {
  const words = {
    hit: hitWords(shot.hit),
    other: hitWords(shot.margin_outcome),
    p: percent(shot.flip),
  };
  const margin = { mm: number(shot.margin_mm ?? 0, 2), sigma: number(shot.sigma_mm, 2) };
  const content = [
    h("p", {}, t("contested.words", words)),
    meter(shot.flip),
    h("p.tiny.soft", {}, t("contested.margin", margin)),
    h(
      "button.link",
      { onclick: () => actions.choose({ shot: index }) },
      t("doubt.show_shot"),
    ),
  ];
  const place = shotPlace(round, shot);
  return article(actions, place, shotName(shot), content, rulings(shot, actions));
}
function ruledShot(round, actions, { shot }) {
  const content = h("p", {}, t("ruling.done", { hit: hitWords(shot.hit) }));
  const place = shotPlace(round, shot);
  return article(actions, place, shotName(shot), content, rulings(shot, actions));
}
function doubt(round, actions, issue) {
  const card = round.cards.find((c) => issue.cards.includes(c.id));
  const correct = () => {
    actions.open("edit");
    actions.editor.choose(issue.cards[0]);
  };
  const content = [
    h("p.soft.tiny", {}, issueWords(issue)),
    !actions.readOnly && round.cards.some((c) => c.id === issue.cards[0])
      ? h(
          "div.row",
          {},
          h("button.btn.small", { onclick: correct }, icon("edit"), t("doubt.correct")),
        )
      : null,
  ];
  const title = list(issue.cards.map(cardName)) || t("doubt.table");
  if (!card?.outline_px.length) return h("article.panel", {}, h("h3", {}, title), content);
  const place = { at: centre(card.outline_px), span: spread(card.outline_px) * 1.7 };
  return article(actions, place, title, content);
}

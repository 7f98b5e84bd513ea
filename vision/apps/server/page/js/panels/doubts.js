// What is in doubt: where to look, and what to do about it.
import { h, icon } from "../lib/dom.js";
import { t, list, percent, say, sentence } from "../lib/i18n.js";
import { beside, centre, spread } from "../lib/geometry.js";
import { titleOf } from "../lib/names.js";
import { cardsOf, doubts, pathsOf } from "../lib/round.js";
import { stillPaths } from "../scene/marks.js";
import { oddsPanel } from "./odds.js";
import { bothPlaces } from "./both_places.js";
import { settling } from "./settings.js";
import { ruledWords, rulings } from "./rulings.js";

const OF_ALL = ["file_damaged", "film_damaged", "film_unproven", "photo_small"]; // whatever else is told hangs on them
const PLAIN_PX = 400; // how much is shown around a place of no known size

// wanted: what other photos could decide; it stands behind what can be said at once.
export function doubtsPanel(round, actions, wanted = null) {
  const { words } = round.ledger;
  const calls = doubts(round).filter((i) => i.code === "close_call").map(issueWords);
  const contested = round.events
    .filter(({ contested: is, closeness }) => is && calls.includes(closeness.said)) // not mere notes
    .sort((a, b) => b.closeness.chance - a.closeness.chance);
  const others = doubts(round).filter((i) => i.code !== "close_call"); // those are the events
  const [ofAll, rest] = [true, false].map((is) => others.filter((i) => OF_ALL.includes(i.code) === is));
  return [
    lead(contested.length + others.length),
    ofAll.map((issue) => doubt(round, actions, issue)),
    contested.map((event) => contestedEvent(round, actions, event)),
    contested.length ? oddsPanel(round) : null,
    contested.length && words["close.corners"] ? h("p.tiny.soft", {}, words["close.corners"]) : null,
    round.events.filter((e) => e.ruled).map((event) => ruledEvent(round, actions, event)),
    rest.map((issue) => doubt(round, actions, issue)),
    wanted,
    notes(round.issues.filter((i) => i.severity !== "doubt")),
  ];
}
// Where an event hangs on something, and how much around it to show.
export function placeOf(round, event) {
  const { width_px: w, height_px: hh } = round.photo;
  const path = pathsOf(event).flatMap((mark) => mark.points_px),
    close = event.closeness;
  const at = close?.point_px ?? path.at(-1) ?? [w / 2, hh / 2];
  const outline = round.pieces.get(close?.piece ?? event.pieces.at(-1))?.outline_px;
  const span = outline?.length ? spread(outline) * 0.42 : PLAIN_PX / 2;
  return { at, span: Math.max(span, beside(path, at) * 3), extra: stillPaths(event) };
}
// A piece in doubt, or a place where one may lie: as much around it as a piece takes.
function placeOfDoubt(round, piece, { at_px: at }) {
  if (piece?.outline_px.length)
    return { at: centre(piece.outline_px), span: spread(piece.outline_px) * 1.7 };
  if (!at) return null;
  const sizes = cardsOf(round).map(({ outline_px: o }) => spread(o));
  return { at, span: Math.max(...sizes, 0) * 1.7 || PLAIN_PX };
}
// Which of the doubts about a piece has the buttons that settle it: not what hangs on it, if there is more.
function settledBy(round, { cards }) {
  const same = doubts(round).filter((other) => other.cards.some((piece) => cards.includes(piece)));
  return same.find((other) => other.code !== "outcome_doubtful") ?? same[0];
}
const issueWords = (issue) => say(issue.words) ?? issue.message;
const lead = (n) =>
  n
    ? h("p.soft", {}, t("doubts.lead", { n }))
    : h("div.panel", {}, h("h2", {}, t("doubts.none")), h("p.soft", {}, t("doubts.none_more")));
function notes(issues) {
  if (!issues.length) return null;
  const lines = issues.map((n) => h("li.soft.tiny", {}, sentence(issueWords(n))));
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
function meter(share) {
  const bar = h("i", {});
  bar.style.width = Math.max(2, share * 100) + "%";
  const label = t("contested.meter", { p: percent(share) });
  return h("div.meter", { role: "img", "aria-label": label }, bar);
}
function contestedEvent(round, actions, event) {
  const { chance, said, other } = event.closeness;
  const content = [
    other ? h("p", {}, t("contested.words", { other, p: percent(chance) })) : null,
    meter(chance),
  ];
  const below = [
    rulings(round, event, actions),
    h(
      "div.more",
      {},
      h("p", {}, sentence(event.said)),
      said ? h("p.tiny.soft", {}, said) : null,
      h(
        "button.link",
        { onclick: () => actions.choose({ event: event.index }) },
        t("doubt.show_event"),
      ),
    ),
  ];
  return article(actions, placeOf(round, event), event.title, content, below);
}
function ruledEvent(round, actions, event) {
  const below = rulings(round, event, actions);
  return article(actions, placeOf(round, event), event.title, ruledWords(round, event), below);
}
// The two likeliest names of a card in doubt: as it was read, and the next.
function likeliest(round, { mayCorrect, editor }, id) {
  const card = round.laid.find((one) => one.id === id);
  if (!mayCorrect || !card?.choices.length) return null;
  const say = (name, act) =>
    h("button.btn.small.likely", { onclick: act }, t("edit.is", { card: titleOf(name) }));
  const other = card.choices.find((name) => name !== id);
  const take = (act) => () => {
    editor.choose(id);
    act();
  };
  return h(
    "div.row",
    { role: "group", "aria-label": t("doubt.likeliest") },
    round.pieces.get(id)?.known ? say(id, take(() => editor.confirm())) : null,
    other ? say(other, take(() => editor.identify(other))) : null,
  );
}
function doubt(round, actions, issue) {
  const piece = issue.cards.map((id) => round.pieces.get(id)).find(Boolean);
  const correct = () => {
    actions.open("edit");
    actions.editor.choose(issue.cards[0]);
    if (piece?.outline_px.length) actions.find(centre(piece.outline_px), spread(piece.outline_px) * 3);
  };
  const content = [
    h("p.soft.tiny", {}, sentence(issueWords(issue))),
    actions.mayCorrect && round.pieces.has(issue.cards[0])
      ? h(
          "div.row",
          {},
          h("button.btn.small", { onclick: correct }, icon("edit"), t("doubt.correct")),
        )
      : null,
  ];
  if (actions.mayCorrect && issue.nothing) {
    const nothing = () => actions.send({ kind: "nothing", at_px: issue.at_px });
    content.push(h("div.row", {}, h("button.btn.small", { onclick: nothing }, t("doubt.nothing"))));
  }
  if (settledBy(round, issue) === issue)
    content.push(settling(round, actions, issue.cards) ?? likeliest(round, actions, issue.cards[0]));
  const title = sentence(list(issue.cards.map(titleOf))) || t("doubt.table");
  const place = placeOfDoubt(round, piece, issue);
  const both = issue.places?.length ? bothPlaces(round, actions, issue) : null;
  if (!place) return h("article.panel", {}, h("h3", {}, title), content, both);
  return article(actions, place, title, content, both);
}

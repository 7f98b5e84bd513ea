// What an event may be ruled to be, one button each.
import { h, icon } from "../lib/dom.js";
import { t, number, say, sentence } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { sideName } from "../lib/names.js";

// The ruling that stands is the one whose every field a choice has.
const isRuled = (round, { change }) =>
  round.rulings.some((ruling) => Object.entries(ruling).every(([k, v]) => change[k] === v));

// What each choice of an event would make of the score: asked once for each state of the round.
const asked = new Map();
function outcomes({ base }, { revision }, { id }) {
  const path = `${base}/rulings/${id}`,
    key = `${path}@${revision}`;
  if (asked.size > 200) asked.clear();
  if (!asked.has(key)) asked.set(key, get(path).catch(() => asked.delete(key) && { choices: [] }));
  return asked.get(key);
}
async function showOutcomes(actions, round, event, buttons) {
  const { choices } = await outcomes(actions, round, event);
  choices.forEach(({ scores, headline }, i) => {
    const now = scoreWords(scores) || (headline && say(headline.words));
    if (now) buttons[i].append(h("small.then", {}, "→ " + now));
  });
}
const scoreWords = (scores) =>
  Object.entries(scores ?? {})
    .map(([side, n]) => `${sideName(side)} ${number(n)}`)
    .join(" : ");

export function rulings(round, event, actions) {
  const { mayCorrect, send } = actions;
  if (!mayCorrect || !event.choices.length) return null;
  const button = (choice) => {
    const isChosen = event.ruled && isRuled(round, choice);
    const says = sentence(choice.said);
    return h(
      isChosen ? "button.btn.small.main" : "button.btn.small",
      { "data-says": says, "aria-pressed": String(isChosen), onclick: () => send(choice.change) },
      says,
    );
  };
  const buttons = event.choices.map(button);
  if (event.id) showOutcomes(actions, round, event, buttons);
  return h(
    "div.row.rulings",
    { role: "group", "aria-label": t("ruling.label", { event: event.title }) },
    buttons,
    event.undo
      ? h(
          "button.btn.small",
          { onclick: () => send(event.undo) },
          icon("undo"),
          t("ruling.back"),
        )
      : null,
  );
}
export function ruledWords(round, event) {
  if (!event.ruled) return null;
  const chosen = event.choices.find((choice) => isRuled(round, choice));
  return h("p", {}, t("ruling.done", { what: chosen?.said ?? event.said }));
}

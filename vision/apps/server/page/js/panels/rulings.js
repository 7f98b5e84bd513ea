// What an event may be ruled to be, one button each.
import { h, icon } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";

// The ruling that stands is the one whose every field a choice has.
const isRuled = (round, { change }) =>
  round.rulings.some((ruling) => Object.entries(ruling).every(([k, v]) => change[k] === v));

export function rulings(round, event, { mayCorrect, send }) {
  if (!mayCorrect || !event.choices.length) return null;
  const button = (choice) => {
    const isChosen = event.ruled && isRuled(round, choice);
    return h(
      isChosen ? "button.btn.small.main" : "button.btn.small",
      { "aria-pressed": String(isChosen), onclick: () => send(choice.change) },
      sentence(choice.said),
    );
  };
  return h(
    "div.row.rulings",
    { role: "group", "aria-label": t("ruling.label", { event: event.title }) },
    event.choices.map(button),
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

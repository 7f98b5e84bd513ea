// What is played in an evening: deck and rules of every photo that says nothing else.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { allOffers, offerTitle } from "../lib/offers.js";
import { ruleFields } from "./rules.js";

const deckOf = ({ deck, game }) =>
  allOffers().find((one) => one.deck === deck && one.game === game)?.deck ?? "";

// save(played) is told deck and rules.
export function playedPanel(evening, save) {
  let fields = null;
  const rules = h("div.fields", {});
  const details = h("details", {}, h("summary", {}, t("rules.title")), rules);
  const apply = h(
    "button.btn",
    { onclick: () => save({ deck: select.value, rules: fields.read() }) },
    icon("rules"),
    t("evening.play"),
  );
  const show = (deck, own) => {
    fields = deck ? ruleFields(deck, own) : null;
    rules.replaceChildren(...(fields?.nodes ?? []));
    details.hidden = !fields?.nodes.length;
    apply.disabled = !deck;
  };
  const select = h(
    "select",
    { id: "evening-deck", onchange: () => show(select.value, {}) },
    evening.deck ? null : h("option", { value: "" }, t("evening.any_deck")),
    allOffers().map((one) => h("option", { value: one.deck }, offerTitle(one))),
  );
  select.value = deckOf(evening);
  show(select.value, evening.rules);
  return h(
    "section.panel",
    { "aria-label": t("evening.played") },
    h("h2", {}, t("evening.played")),
    h("label.field", { for: select.id }, t("deck.which"), select),
    details,
    h("div.row", {}, apply),
    h("p.tiny.soft", {}, t("evening.played_more")),
  );
}

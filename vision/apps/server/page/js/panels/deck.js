// Which deck lies there, where more than one is known.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { chooseDeck, chosenDeck, offerTitle } from "../lib/offers.js";

// changed(deck) is told another choice.
export function deckField(decks, { now = chosenDeck(decks), changed = () => {} } = {}) {
  if (decks.length < 2) return null;
  const choose = () => {
    chooseDeck(select.value);
    changed(select.value);
  };
  const select = h(
    "select",
    { id: "deck", onchange: choose },
    decks.map((one) => h("option", { value: one.deck }, offerTitle(one))),
  );
  select.value = now;
  return h("label.field.deck", { for: "deck" }, t("deck.which"), select);
}

// Who wins and how sure that is, in the one line that stands over a round everywhere.
import { h } from "../lib/dom.js";
import { say } from "../lib/i18n.js";

export function headline(over) {
  return over ? h(over.open ? "p.headline.open" : "p.headline", {}, say(over.words)) : null;
}

// Who wins and how sure that is, in the one line that stands over a round everywhere.
import { h } from "../lib/dom.js";
import { say } from "../lib/i18n.js";

export function headline({ open, words } = {}) {
  return words ? h(open ? "p.headline.open" : "p.headline", {}, say(words)) : null;
}

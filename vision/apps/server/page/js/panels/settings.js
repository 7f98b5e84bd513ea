// What else of a table is set by a tap: a die, a score, who holds what.
import { h } from "../lib/dom.js";
import { t, say, sentence } from "../lib/i18n.js";

const MOST_BUTTONS = 8; // more are a list

export function settings(round, { send }) {
  if (!round.settings.length) return null;
  return h(
    "section.panel.settings",
    {},
    h("h2", {}, t("edit.settings")),
    round.settings.map((one) => setting(one, send)),
  );
}
function setting(one, send) {
  const name = sentence(say(one.name));
  const words = one.doubtful ? h("span.name.warning", {}, name) : h("span.name", {}, name);
  const inside = one.choices.length > MOST_BUTTONS ? list(one, name, send) : buttons(one, send);
  return h("div.orderline", { role: "group", "aria-label": name }, words, inside);
}
const buttons = (one, send) =>
  h(
    "div.choices",
    {},
    one.choices.map(({ said, change }, k) =>
      h(
        "button.cell",
        { "aria-pressed": String(k === one.chosen), onclick: () => send(change) },
        sentence(say(said)),
      ),
    ),
  );
function list(one, name, send) {
  const choose = h(
    "select",
    { "aria-label": name, onchange: () => send(one.choices[choose.value].change) },
    one.choices.map(({ said }, k) => h("option", { value: k }, sentence(say(said)))),
  );
  choose.value = String(one.chosen);
  return choose;
}

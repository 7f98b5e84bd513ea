// What else of a table is set by a tap: a die, a score, who holds what.
import { get } from "../lib/api.js";
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
// What settles a doubt of a piece, where something does.
export function settling(round, { mayCorrect, send }, pieces) {
  const found = round.settings.filter((one) => one.doubtful && pieces.includes(one.of));
  return mayCorrect && found.length ? h("div.settings", {}, found.map((one) => setting(one, send))) : null;
}
// What is set of one piece; asked for when it is chosen.
export function settingsOf(round, { base, send }, piece) {
  const node = h("div.settings", {});
  if (piece.fixed !== undefined)
    get(`${base}/pieces/${piece.id}/settings`)
      .then(({ settings }) => node.replaceChildren(...settings.map((one) => setting(one, send))))
      .catch(() => {}); // it is gone: the panel is painted anew
  return node;
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

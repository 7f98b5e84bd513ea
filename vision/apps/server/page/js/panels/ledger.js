// The round in words, step by step.
import { h } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { sideMark } from "../lib/names.js";

function item(event, choose) {
  const words = sentence(event.said);
  if (event.id)
    return h(
      "li",
      { "data-event": event.index },
      choose
        ? h("button", { onclick: () => choose({ event: event.index }) }, words)
        : h("p", {}, words),
    );
  const isEnd = event.marks.some((mark) => mark.kind === "cross");
  return h(isEnd ? "li.end" : event.depth ? "li.deeper" : "li", {}, h("p", {}, words));
}
// The colours of paths, where they tell of what kind each is.
function legend({ ledger, events }) {
  const shown = new Set(events.flatMap(({ marks }) => marks.map(({ side }) => side)));
  const kinds = (ledger.kinds ?? []).filter(({ id }) => shown.has(id));
  if (!kinds.length) return null;
  return h("p.legend", {}, kinds.map(({ id, name }) => h("span", {}, sideMark(id), name)));
}
export function ledgerPanel(round, { choose, replay } = {}) {
  const { steps } = round.ledger;
  if (!steps.length) return h("p.soft", {}, t("ledger.none"));
  const section = ({ title }, k) =>
    h(
      "section",
      { "data-step": k },
      h("h3", {}, replay ? h("button.link", { onclick: () => replay.goTo(k) }, title) : title),
      h(
        "ul",
        {},
        round.events.filter((event) => event.step === k).map((event) => item(event, choose)),
      ),
    );
  return h("div.ledger", {}, legend(round), steps.map(section));
}

// Orders of a round: given in the open, or each player in secret; then what is to be set up next.
import { h, icon, toast } from "../lib/dom.js";
import { t, say, sentence } from "../lib/i18n.js";
import { post } from "../lib/api.js";
import { partyName, sideMark } from "../lib/names.js";
import { isOrdered } from "../lib/round.js";
import { orderPad } from "./order_pad.js";

export const ordersPanel = (round, actions) => [
  actions.sitting.isOn ? actions.sitting.panel() : null,
  actions.sitting.isOn ? null : nextPanel(round, actions),
  actions.sitting.isOn ? null : openPanel(round, actions),
  actions.sitting.isOn ? null : actions.sitting.panel(),
];
function openPanel(round, actions) {
  const { taps, drafts, send } = actions;
  const play = async () => {
    const orders = Object.fromEntries([...drafts].map(([id, { order }]) => [id, order]));
    if (!(await send({ kind: "orders", orders }))) return;
    drafts.clear();
    taps.stop();
    actions.playFromStart();
  };
  const party = taps.party && round.orders.find(({ id }) => id === taps.party);
  const give = (order) => {
    const { turn } = party;
    for (const later of round.orders) if (later.turn > turn) drafts.delete(later.id);
    drafts.set(taps.party, { ...taps.order, order });
    const next = round.orders.find(({ id }) => !drafts.has(id));
    if (next) actions.order(next.id);
    else {
      taps.stop();
      actions.repaint();
    }
  };
  return h(
    "section.panel",
    {},
    h("h2", {}, t("orders.title")),
    h("ul.parties", {}, round.orders.map((one) => partyRow(one, round, actions))),
    party
      ? orderPad(taps, { give, label: t("orders.take", { name: partyName(party) }) })
      : null,
    drafts.size && !party
      ? h("button.btn.main.big", { onclick: play }, icon("play"), t("orders.play"))
      : null,
  );
}
function partyRow(party, round, { drafts, taps, order }) {
  const draft = drafts.get(party.id);
  const isReady = round.orders.every(({ id, turn }) => turn >= party.turn || drafts.has(id));
  const said = draft ? draft.said : party.order === null ? t("orders.none") : say(party.said);
  return h(
    "li",
    {},
    h("span.team", {}, party.side ? sideMark(party.side) : null, h("b", {}, partyName(party))),
    h(draft ? "p" : "p.soft", {}, sentence(said)),
    draft?.warning ? h("p.warning", {}, sentence(draft.warning)) : null,
    taps.party === party.id || !isReady
      ? null
      : h(
          "button.btn.small",
          { onclick: () => order(party.id) },
          icon("edit"),
          t(draft || party.order !== null ? "orders.another" : "orders.choose"),
        ),
  );
}
// The table after the round, from above: to set it up, or to play on without a photo.
function nextPanel(round, { base, readOnly }) {
  if (!round.goes_on || !isOrdered(round)) return null;
  const playOn = async () => {
    try {
      const { id } = await post(`${base}/next`);
      location.hash = `#/round/${id}`;
    } catch (error) {
      toast(error.words || String(error), true);
    }
  };
  return h(
    "section.panel",
    {},
    h("h2", {}, t("next.title")),
    h("p.soft", {}, t("next.lead")),
    h("img.next", {
      src: `/api/v1${base}/next.png?revision=${round.revision}`,
      alt: t("next.title"),
    }),
    readOnly ? null : h("button.btn.main", { onclick: playOn }, icon("play"), t("next.play")),
  );
}

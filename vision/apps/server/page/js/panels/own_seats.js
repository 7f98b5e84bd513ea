// The seats of one phone, for a player who orders for several: one after the other.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { partyName, sideMark } from "../lib/names.js";

// page: of one of them; its own seats stand in the order of the table
export function ownSeats({ seat, state, own }) {
  if (!own.length) return null;
  const tokens = new Map([[state.party, seat.token], ...own.map((one) => [one.state.party, one.seat.token])]);
  const tabs = state.parties.filter(({ id }) => tokens.has(id)).map((party) => {
    const isHere = party.id === state.party;
    return h(
      "a.btn.small",
      { href: `/j/${tokens.get(party.id)}`, "aria-current": isHere ? "page" : null },
      party.side ? sideMark(party.side) : null,
      partyName(party),
      party.in ? h("span.sr", {}, t("sitting.in")) : null,
      party.in ? icon("check") : null,
    );
  });
  return h("nav.own", { "aria-label": t("seat.own") }, tabs);
}

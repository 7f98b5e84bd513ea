// What a shot may be ruled to do, one button each.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { cardName } from "../lib/names.js";
import { shotName } from "./ledger.js";

const sameHit = (hit, o) =>
  hit ? hit.card === o.target && hit.shielded === o.shielded : o.target === null;
const words = ({ target, shielded }) =>
  t(target === null ? "ruling.miss" : shielded ? "ruling.shield" : "ruling.hit", {
    card: cardName(target || ""),
  });

export function rulings(shot, { readOnly, send }) {
  if (readOnly) return null;
  const { ship, laser } = shot;
  const choice = (o) => {
    const isChosen = shot.ruled && sameHit(shot.hit, o);
    const { target, shielded } = o;
    return h(
      isChosen ? "button.btn.small.main" : "button.btn.small",
      {
        "aria-pressed": String(isChosen),
        onclick: () => send({ kind: "ruling", ship, laser, target, shielded }),
      },
      words(o),
    );
  };
  return h(
    "div.row.rulings",
    { role: "group", "aria-label": t("ruling.label", { shot: shotName(shot) }) },
    shot.options.map(choice),
    shot.ruled
      ? h(
          "button.btn.small",
          { onclick: () => send({ kind: "withdraw", ship, laser }) },
          icon("undo"),
          t("ruling.back"),
        )
      : null,
  );
}

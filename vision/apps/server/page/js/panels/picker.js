// Choosing a piece of the deck: the likely ones first, then side by side.
import { h, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { sideMark, sideName, titleOf } from "../lib/names.js";
import { offerOf } from "../lib/offers.js";

function grouped(pieces) {
  const groups = new Map();
  for (const piece of pieces)
    groups.set(piece.side, [...(groups.get(piece.side) || []), piece]);
  return [...groups];
}
// hidden: pieces that are not offered; offered: the only ones that are, null for all; done(id) is
// told what was chosen.
export function picker(round, { title, likely = [], hidden = new Set(), offered = null }, done) {
  const pieces = offerOf(round.deck, round.offer)?.pieces ?? [];
  const all = offered ? pieces.filter(({ id }) => offered.has(id)) : pieces;
  const sides = new Map(all.map((piece) => [piece.id, piece.side]));
  const numbers = new Map(pieces.map(({ id, number }) => [id, number]));
  let box;
  const button = (id, kind) =>
    h(
      kind ? "button.btn." + kind : "button.btn",
      {
        "aria-label": [titleOf(id), numbers.get(id), round.pieces.has(id) && t("edit.swap")]
          .filter(Boolean)
          .join(", "),
        onclick: () => {
          box.close();
          done(id);
        },
      },
      sides.get(id) ? sideMark(sides.get(id)) : null,
      h("span", {}, titleOf(id)),
      numbers.get(id) ? h("b.number", {}, numbers.get(id)) : null,
      round.pieces.has(id) ? h("span.soft", {}, "⇄") : null,
    );
  const section = (title, buttons) => h("section", {}, h("h3", {}, title), h("div.pick", {}, buttons));
  const others = all.filter(({ id }) => !hidden.has(id) && !likely.includes(id));
  box = dialog(
    title,
    t("close"),
    likely.length
      ? section(
          t("edit.likely"),
          likely.map((id) => button(id, "likely")),
        )
      : null,
    grouped(others).map(([side, pieces]) =>
      section(
        side === null ? t("edit.others") : sideName(side),
        pieces.map(({ id }) => button(id)),
      ),
    ),
  );
}

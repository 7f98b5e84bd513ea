// Choosing a card of the deck: the likely ones first, then team by team.
import { h, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { cardName, shortName, teamMark, teamName } from "../lib/names.js";

function grouped(ids) {
  const groups = new Map();
  for (const id of ids) {
    const team = id.slice(0, id.indexOf("-"));
    groups.set(team, [...(groups.get(team) || []), id]);
  }
  return [...groups];
}
// hidden: cards that are not offered; done(id) is told what was chosen.
export function picker(round, { title, likely = [], hidden = new Set() }, done) {
  const present = new Set(round.cards.map((c) => c.id));
  let box;
  const button = (id, kind) =>
    h(
      kind ? "button.btn." + kind : "button.btn",
      {
        "aria-label": present.has(id) ? `${cardName(id)}, ${t("edit.swap")}` : cardName(id),
        onclick: () => {
          box.close();
          done(id);
        },
      },
      teamMark(id.split("-")[0]),
      h("span", {}, kind ? cardName(id) : shortName(id)),
      present.has(id) ? h("span.soft", {}, "⇄") : null,
    );
  const section = (title, buttons) => h("section", {}, h("h3", {}, title), h("div.pick", {}, buttons));
  const others = round.all_cards.filter((id) => !hidden.has(id) && !likely.includes(id));
  box = dialog(
    title,
    t("close"),
    likely.length
      ? section(
          t("edit.likely"),
          likely.map((id) => button(id, "likely")),
        )
      : null,
    grouped(others).map(([team, ids]) =>
      section(
        ["asteroid", "ship"].includes(team) ? t("edit.others") : teamName(team),
        ids.map((id) => button(id)),
      ),
    ),
  );
}

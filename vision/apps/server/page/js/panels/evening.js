// An evening: its name and its sides', its running table, its end.
import { h, icon, dialog } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { call } from "../lib/api.js";
import { plainSideName, sideMark, sideName } from "../lib/names.js";
import { headline } from "./headline.js";

export function namesPanel(evening, { sides, rename, renameSide }) {
  const name = h("input", {
    type: "text",
    id: "evening-name",
    value: evening.name,
    maxlength: 100,
    onchange: () => rename(name.value),
  });
  const field = (side) => {
    const input = h("input", {
      type: "text",
      id: "team-" + side,
      maxlength: 40,
      value: evening.teams[side] || "",
      placeholder: plainSideName(side),
      onchange: () => renameSide(side, input.value),
    });
    return h(
      "label.field",
      { for: "team-" + side },
      h("span.team", {}, sideMark(side), plainSideName(side)),
      input,
    );
  };
  return h(
    "section.panel",
    {},
    h("label.field", { for: "evening-name" }, t("evening.name"), name),
    h("div.pick", {}, sides.map(field)),
  );
}
export function runningTable(evening) {
  const sides = Object.keys(evening.totals);
  return h(
    "section.panel",
    {},
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": t("evening.table") },
      h(
        "table",
        {},
        h("caption", {}, t("evening.table")),
        head(sides),
        h(
          "tbody",
          {},
          evening.rounds.map((round, i) => roundRow(round, i, sides)),
        ),
        foot(evening, sides),
      ),
    ),
  );
}
const head = (sides) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("th", { scope: "col" }, t("evening.round")),
      sides.map((x) => h("th.n", { scope: "col" }, h("span.team", {}, sideMark(x), sideName(x)))),
    ),
  );
function roundRow(round, i, sides) {
  const { id, name, scores, winners, headline: over } = round;
  const points = (side) =>
    scores[side] === undefined
      ? "–"
      : h(!over?.open && winners.includes(side) ? "b" : "span", {}, number(scores[side]));
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/round/${id}` }, name || t("evening.nth", { n: i + 1 })),
      over?.open ? headline(over) : null,
    ),
    scores
      ? sides.map((side) => h("td.n", {}, points(side)))
      : h("td", { colspan: Math.max(sides.length, 1) }, t("evening.unread")),
  );
}
function foot({ totals, wins }, sides) {
  const best = Math.max(...Object.values(totals), -Infinity);
  const row = (words, cell) =>
    h("tr", {}, h("th", { scope: "row" }, words), sides.map((x) => h("td.n", {}, cell(x))));
  const sum = (x) => [
    h("b", {}, number(totals[x])),
    totals[x] === best && sides.length > 1 ? " ♛" : "",
  ];
  return h(
    "tfoot",
    {},
    row(t("evening.sum"), sum),
    row(t("evening.wins"), (x) => number(wins[x] || 0)),
  );
}
export function endDialog(id) {
  const end = async () => {
    await call("DELETE", `/evenings/${id}`);
    box.close();
    location.hash = "#/";
  };
  const box = dialog(
    t("evening.delete"),
    t("close"),
    h("p", {}, t("evening.delete_more")),
    h("button.btn.danger", { onclick: end }, icon("trash"), t("evening.delete")),
  );
}

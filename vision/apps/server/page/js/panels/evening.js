// An evening: its name and its teams', its running table, its end.
import { h, icon, dialog } from "../lib/dom.js";
import { t, has, number } from "../lib/i18n.js";
import { call } from "../lib/api.js";
import { teamMark, teamName } from "../lib/names.js";

export function namesPanel(evening, { teams, rename, renameTeam }) {
  const name = h("input", {
    type: "text",
    id: "evening-name",
    value: evening.name,
    maxlength: 100,
    onchange: () => rename(name.value),
  });
  const field = (team) => {
    const input = h("input", {
      type: "text",
      id: "team-" + team,
      maxlength: 40,
      value: evening.teams[team] || "",
      placeholder: t("team." + team),
      onchange: () => renameTeam(team, input.value),
    });
    return h(
      "label.field",
      { for: "team-" + team },
      h("span.team", {}, teamMark(team), has("team." + team) ? t("team." + team) : team),
      input,
    );
  };
  return h(
    "section.panel",
    {},
    h("label.field", { for: "evening-name" }, t("evening.name"), name),
    h("div.pick", {}, teams.map(field)),
  );
}
export function runningTable(evening) {
  const teams = Object.keys(evening.totals);
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
        head(teams),
        h(
          "tbody",
          {},
          evening.rounds.map((round, i) => roundRow(round, i, teams)),
        ),
        foot(evening, teams),
      ),
    ),
  );
}
const head = (teams) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("th", { scope: "col" }, t("evening.round")),
      teams.map((x) => h("th.n", { scope: "col" }, h("span.team", {}, teamMark(x), teamName(x)))),
    ),
  );
function roundRow({ id, name, scores, winners }, i, teams) {
  const points = (team) =>
    scores[team] === undefined
      ? "–"
      : h(winners.includes(team) ? "b" : "span", {}, number(scores[team]));
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/round/${id}` }, name || t("evening.nth", { n: i + 1 })),
    ),
    scores
      ? teams.map((team) => h("td.n", {}, points(team)))
      : h("td", { colspan: Math.max(teams.length, 1) }, t("evening.unread")),
  );
}
function foot({ totals, wins }, teams) {
  const best = Math.max(...Object.values(totals), -Infinity);
  const row = (words, cell) =>
    h("tr", {}, h("th", { scope: "row" }, words), teams.map((x) => h("td.n", {}, cell(x))));
  const sum = (x) => [
    h("b", {}, number(totals[x])),
    totals[x] === best && teams.length > 1 ? " ♛" : "",
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

// An evening and its running table.
import { h, icon, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, call } from "../lib/api.js";
import { setTeamNames } from "../lib/names.js";
import { endDialog, namesPanel, runningTable } from "../panels/evening.js";

const TEAMS = ["red", "green", "purple", "blue"]; // before the first round

export async function showEvening(main, id) {
  let evening = await get(`/evenings/${id}`);
  document.title = evening.name || t("evening.title");
  setTeamNames(evening.teams);
  const save = async (body) => {
    evening = { ...evening, ...(await call("PATCH", `/evenings/${id}`, body)) };
    toast(t("edit.saved"));
  };
  const played = Object.keys(evening.totals);
  const names = namesPanel(evening, {
    teams: played.length ? played : TEAMS,
    rename: (name) => save({ name }),
    renameTeam: async (team, name) => {
      await save({ teams: { [team]: name } });
      showEvening(main, id);
    },
  });
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1.sr", {}, evening.name || t("evening.title")),
      names,
      runningTable(evening),
      h(
        "div.row",
        {},
        h("a.btn", { href: "#/" }, icon("back"), t("back")),
        h(
          "button.btn.danger",
          { onclick: () => endDialog(id) },
          icon("trash"),
          t("evening.delete"),
        ),
      ),
    ),
  );
}

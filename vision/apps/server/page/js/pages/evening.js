// An evening and its running table.
import { h, icon, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, call } from "../lib/api.js";
import { nameSides } from "../lib/names.js";
import { chosenDeck, offerOf } from "../lib/offers.js";
import { endDialog, namesPanel, runningTable } from "../panels/evening.js";

export async function showEvening(main, id) {
  let evening = await get(`/evenings/${id}`);
  document.title = evening.name || t("evening.title");
  nameSides(evening.teams);
  const save = async (body) => {
    evening = { ...evening, ...(await call("PATCH", `/evenings/${id}`, body)) };
    toast(t("edit.saved"));
  };
  const played = Object.keys(evening.totals);
  const offered = (offerOf(chosenDeck())?.sides ?? []).map((side) => side.id);
  const names = namesPanel(evening, {
    sides: played.length ? played : offered,
    rename: (name) => save({ name }),
    renameSide: async (side, name) => {
      await save({ teams: { [side]: name } });
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

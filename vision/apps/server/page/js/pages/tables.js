// All live tables, and a new one with this device's camera.
import { h, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, post } from "../lib/api.js";
import { evening, recentEvening } from "../lib/about.js";
import { addKey, dropKeys } from "../lib/live_keys.js";
import { nameSides } from "../lib/names.js";
import { beginCamera, openCamera, whyNot } from "../scene/live_camera.js";
import { BeginPanel, runningPanel } from "../panels/live_begin.js";
import { reasonPanel } from "../panels/live_reason.js";

export async function showTables(main) {
  document.title = t("live.title");
  nameSides({});
  const [{ games }, played] = await Promise.all([get("/live"), recentEvening()]);
  dropKeys(games.map((game) => game.id));
  const reason = h("div", {});
  const panel = new BeginPanel(async (order) => {
    panel.start.disabled = true;
    reason.replaceChildren();
    let stream;
    try {
      stream = await openCamera();
      const game = await post("/live", { ...order, evening: (await evening()).id });
      addKey(game.id, game.key);
      beginCamera(game.id, game.key, stream);
      location.hash = `#/live/${game.id}`;
    } catch (error) {
      stream?.getTracks().forEach((track) => track.stop());
      if (error.why) reason.replaceChildren(await reasonPanel(error.why));
      else toast(error.words || error.message, true);
    }
    panel.start.disabled = false;
  }, played);
  main.replaceChildren(
    h("div.wrap", {}, h("h1", {}, t("live.title")), runningPanel(games), panel.node, reason),
  );
  const why = whyNot();
  if (why) {
    panel.start.disabled = true;
    reason.replaceChildren(await reasonPanel(why));
  }
}

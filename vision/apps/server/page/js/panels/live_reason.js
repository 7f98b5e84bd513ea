// Why this device's camera cannot be used, and what to do about it.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { loadAbout } from "../lib/about.js";

export async function reasonPanel(why) {
  const about = await loadAbout().catch(() => ({ addresses: [] }));
  const local = `${location.protocol}//localhost:${location.port || 8000}/#/live`;
  const steps = t("live.do." + why, { address: local })
    .split("\n")
    .map((line) => h("li", {}, line));
  return h(
    "section.panel.reason",
    { role: "alert" },
    h("h2", {}, t("live.no." + why)),
    h("p", {}, t("live.why." + why)),
    h("ol.steps", {}, steps),
    h(
      "pre",
      { tabindex: "0" },
      `sightline serve ${about.addresses.length ? "--lan " : ""}--camera 0`,
    ),
  );
}

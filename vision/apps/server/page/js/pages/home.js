// The first page: photos in, the rounds so far.
import { h, icon, tapEnded } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { recentOf } from "../lib/about.js";
import { get } from "../lib/api.js";
import { news } from "../lib/news.js";
import { nameSides } from "../lib/names.js";
import { adopt, allUploads, forgetDone, isSettled, onUploads } from "../lib/uploads.js";
import { heroPanel, playingNow } from "../panels/hero.js";
import { roundsPanel } from "../panels/rounds.js";
import { uploadItem } from "../panels/uploads.js";

// What else there is: decks of one's own, and how this page comes onto a phone.
const more = () =>
  h(
    "section.panel.gap",
    {},
    h("h2", {}, t("home.more")),
    h("p.soft", {}, t("home.decks")),
    h("div.row", {}, h("a.btn", { href: "#/decks" }, t("decks.title"))),
    h("p.soft.mouse", {}, t("home.phone")),
    h(
      "div.row.mouse",
      {},
      h("button.btn", { onclick: () => document.getElementById("to-phones")?.click() }, icon("qr"), t("bar.phones")),
    ),
  );
export async function showHome(main) {
  document.title = "Sightline";
  nameSides({});
  forgetDone();
  const list = h("ul", {}),
    label = t("upload.label"),
    active = h("section.panel", { "aria-label": label }, h("h2", {}, label), list),
    playing = h("div", {}),
    past = h("div.wrapin", {}),
    page = h("div.wrap", {}, active, heroPanel(playing), past);
  main.replaceChildren(page);
  let last = 0,
    told = "";
  const history = async () => {
    const mine = ++last;
    const [{ scans }, { evenings }] = await Promise.all([get("/scans"), get("/evenings")]);
    await tapEnded(); // what is touched would move away
    if (mine !== last) return;
    adopt(scans);
    const busy = new Set(allUploads().map((u) => u.id));
    const shown = scans.filter((scan) => !busy.has(scan.id) || scan.state === "done");
    const now = JSON.stringify([shown, evenings]);
    if (now === told) return;
    const isFirst = !told;
    told = now;
    const had = past.contains(document.activeElement) ? document.activeElement.href : null;
    playing.replaceChildren(...playingNow(recentOf(evenings)));
    past.replaceChildren(...roundsPanel(shown, evenings));
    if (isFirst) page.append(more()); // before, the rounds would push it away
    if (had) [...past.querySelectorAll("a")].find((a) => a.href === had)?.focus();
  };
  let settledBefore = allUploads().filter(isSettled).length;
  const changed = () => {
    const uploads = allUploads();
    const underWay = uploads.filter(({ phase }) => phase !== "done"); // those stand below
    active.hidden = !underWay.length;
    list.replaceChildren(...underWay.map(uploadItem));
    const settled = uploads.filter(isSettled).length;
    if (settled === settledBefore) return;
    settledBefore = settled;
    history().catch(() => {});
  };
  const close = onUploads(changed);
  changed();
  await history();
  if (page.isConnected) news.follow(history); // else another page was opened meanwhile
  return close;
}

// The shell: bar, address, language, light; everything else is a page.
import { h, icon, toast, dialog } from "./lib/dom.js";
import { loadWords, setLang, language, t } from "./lib/i18n.js";
import { Problem } from "./lib/api.js";
import { loadAbout } from "./lib/about.js";
import { news } from "./lib/news.js";
import { loadOffers } from "./lib/offers.js";
import { resume } from "./lib/uploads.js";
import { bring } from "./panels/bring.js";
import { pickPhotos, wasClosedByCamera } from "./panels/hero.js";
import { help } from "./panels/help.js";
import { showHome } from "./pages/home.js";
import { showDecks } from "./pages/decks.js";
import { showSharedDeck } from "./pages/shared_deck.js";
import { showEvening } from "./pages/evening.js";
import { showRound } from "./pages/round.js";
import { showSeat } from "./pages/seat.js";
import { showLive } from "./pages/live.js";
import { showTables } from "./pages/tables.js";

const main = document.getElementById("main"),
  bar = document.getElementById("bar");
const [, place, token] = /^\/([sjd])\/([A-Za-z0-9_-]+)$/.exec(location.pathname) || [];
const shared = place === "s" ? token : null; // a link to a round
const seat = place === "j" ? token : null; // a player's own address
const deck = place === "d" ? token : null; // a link to a deck
const guest = Boolean(token);
let leave = null;

function light(next) {
  const modes = ["auto", "light", "dark"];
  let mode = localStorage.getItem("light") || "auto";
  if (next) {
    mode = modes[(modes.indexOf(mode) + 1) % 3];
    localStorage.setItem("light", mode);
  }
  if (mode === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = mode;
  return mode;
}
function paintBar() {
  document.querySelector(".skip").textContent = t("skip");
  bar.replaceChildren(
    ...[
      h(
        "a.brand",
        { href: guest ? location.pathname : "#/" },
        h("img", { src: "/static/icon.svg", alt: "" }),
        h("span", {}, "Sightline"),
      ),
      news.node,
      guest
        ? null
        : h("button.ico", { id: "to-phones", "aria-label": t("bar.phones"), onclick: phones }, icon("qr")),
      lightButton(),
      languageButton(),
      h("button.ico", { "aria-label": t("help.title"), onclick: help }, icon("help")),
    ].filter(Boolean),
  );
}
function lightButton() {
  const mode = light(false);
  const turn = () => {
    light(true);
    paintBar();
    bar.querySelectorAll("button")[guest ? 0 : 1].focus();
  };
  return h(
    "button.ico",
    { "aria-label": t("bar.light", { mode: t("light." + mode) }), onclick: turn },
    icon({ auto: "auto", light: "sun", dark: "moon" }[mode]),
  );
}
function languageButton() {
  const other = language() === "en" ? "fr" : "en";
  const turn = async () => {
    await setLang(other);
    paintBar();
    route();
  };
  const name = { en: "English", fr: "Français" }[other];
  return h(
    "button.ico",
    { lang: other, "aria-label": name, onclick: turn },
    other.toUpperCase(),
  );
}
async function phones() {
  const { addresses } = await loadAbout();
  const address = (value) =>
    h("input", {
      type: "text",
      readonly: true,
      value,
      "aria-label": t("phones.address"),
      onfocus: (e) => e.target.select(),
    });
  dialog(
    t("phones.title"),
    t("close"),
    addresses.length
      ? h(
          "div.qr",
          {},
          h("img", { src: "/qr.svg", alt: t("phones.code") }),
          h("p", {}, t("phones.how")),
          ...addresses.map(address),
        )
      : h("p", {}, t("phones.closed")),
  );
}
// #/live: the tables; #/live/ID: one; …/overlay: the picture alone; …/overlay/clear: not even that;
// #/live/tv: the newest, for a television; #/live/stream, #/live/ID/stream: what lies over a stream
function live(path) {
  const [stream] = path.filter((part) => part.split("?")[0] === "stream");
  if (stream) {
    const id = path[0] === stream ? null : path[0];
    return import("./pages/stream.js").then(({ showStream }) => showStream(main, id, stream));
  }
  if (path[0] === "tv") return overlay(null, { clear: false, tv: true });
  const at = path.indexOf("overlay");
  const id = at === 0 ? null : path[0];
  if (at >= 0) return overlay(id, { clear: path[at + 1] === "clear" });
  return id ? showLive(main, id) : showTables(main);
}
// What few open is fetched when it is opened.
const overlay = (...given) =>
  import("./pages/overlay.js").then(({ showOverlay }) => showOverlay(main, ...given));
const print = (place) => import("./pages/print.js").then(({ showPrint }) => showPrint(main, place));
const design = (id, face) =>
  face
    ? import("./pages/design.js").then(({ showDesign }) => showDesign(main, id, face))
    : import("./pages/designs.js").then(({ showDesigns }) => showDesigns(main, id));
const ID = /^[0-9a-f]{20}$/;
function open([name, ...rest]) {
  const [id] = rest;
  if (id && ["round", "print", "evening"].includes(name) && !ID.test(id))
    throw new Problem(404, "not_found", "");
  if (deck) return showSharedDeck(main, deck);
  if (seat) return showSeat(main, seat);
  if (shared)
    return (name === "print" ? print : (place) => showRound(main, place))({
      base: `/shared/${shared}`,
      token: shared,
    });
  if (name === "round" && id)
    return showRound(main, { base: `/scans/${id}`, id }, { tv: rest[1] === "tv" });
  if (name === "print" && id) return print({ base: `/scans/${id}` });
  if (name === "evening" && id) return showEvening(main, id);
  if (name === "career" && id)
    return import("./pages/career.js").then(({ showCareer }) => showCareer(main, id));
  if (name === "decks") return showDecks(main);
  if (name === "draft" && id)
    return import("./pages/draft.js").then(({ showDraft }) => showDraft(main, id));
  if (name === "does" && id) return design(id, rest[1]);
  return name === "live" ? live(rest) : showHome(main);
}
const broken = (error) =>
  h(
    "div.wrap",
    {},
    h(
      "section.panel",
      {},
      h("h1", {}, t("error.title")),
      h("p", { role: "alert" }, error.words || error.message),
      h(
        "div.row",
        {},
        error.status === 404 // trying again brings nothing back
          ? null
          : h("button.btn.main", { onclick: route }, t("error.again")),
        guest ? null : h("a.btn", { href: "#/" }, icon("back"), t("back")),
      ),
    ),
  );
async function route() {
  leave?.();
  leave = null;
  document.querySelectorAll("dialog[open]").forEach((box) => box.close()); // of the page before
  main.setAttribute("aria-busy", "true");
  news.begin();
  try {
    leave = await open(location.hash.replace(/^#\/?/, "").split("/"));
  } catch (error) {
    console.warn(error);
    main.replaceChildren(broken(error));
  }
  main.removeAttribute("aria-busy");
}
function takePhotos() {
  const taker = (filesOf) => (e) => {
    const files = [...(filesOf(e)?.files || [])];
    if (!files.length && e.type === "paste") return;
    e.preventDefault();
    if (files.length) bring(files);
  };
  addEventListener("paste", taker((e) => e.clipboardData));
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", taker((e) => e.dataTransfer));
  addEventListener("online", () => resume());
}

await loadWords();
light(false);
const opened = seat || deck ? null : news.start(shared ? `/shared/${shared}/events` : "/events");
paintBar();
if (!guest) {
  await Promise.all([loadAbout(), loadOffers()]).catch(() => {});
  takePhotos();
}
addEventListener("hashchange", () => {
  route().then(() => {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  });
});
addEventListener("unhandledrejection", (e) => {
  toast(e.reason?.words || t("error.title"), true);
  e.preventDefault();
});
news.onGone = (error) => {
  leave?.();
  leave = null;
  news.begin();
  main.replaceChildren(broken(error));
};
await opened;
await route();
if (!guest) {
  resume();
  if (wasClosedByCamera())
    toast(t("upload.camera_closed"), false, { label: t("home.gallery"), run: pickPhotos });
}

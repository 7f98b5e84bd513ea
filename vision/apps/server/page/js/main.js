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

const main = document.getElementById("main"),
  bar = document.getElementById("bar");
const [, place, token] = /^\/([sjd])\/([A-Za-z0-9_-]+)$/.exec(location.pathname) || [];
const shared = place === "s" ? token : null; // a link to a round
const seat = place === "j" ? token : null; // a player's own address
const deck = place === "d" ? token : null; // a link to a deck
const guest = Boolean(token);
let leave = null,
  openings = 0;

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
        { href: guest ? location.pathname : "#/", "aria-label": "Sightline" }, // the word may give way
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
// All pages but the first come when one of them is opened. What did not come then comes when the
// page is loaded anew.
const OTHERS = ["round", "print", "evening", "career", "decks", "draft", "does", "live"];
const pathNow = () => location.hash.replace(/^#\/?/, "").split("/");
const isHome = ([name]) => !guest && !OTHERS.includes(name);
let others = null;
const loadOthers = () =>
  (others ??= import("./pages.js").catch(() => {
    others = null;
    throw new Problem(0, "offline", t("error.offline"));
  }));
async function open(path) {
  if (isHome(path)) return showHome(main);
  const { openPage } = await loadOthers();
  return openPage(main, path, { shared, seat, deck });
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
          : h("button.btn.main", { onclick: others ? route : () => location.reload() }, t("error.again")),
        guest ? null : h("a.btn", { href: "#/" }, icon("back"), t("back")),
      ),
    ),
  );
async function route() {
  const mine = ++openings;
  leave?.();
  leave = null;
  document.querySelectorAll("dialog[open]").forEach((box) => box.close()); // of the page before
  main.setAttribute("aria-busy", "true");
  news.begin();
  try {
    const close = await open(pathNow());
    if (mine === openings) leave = close;
    else close?.(); // it was left before it was there
  } catch (error) {
    if (mine !== openings) return;
    console.warn(error);
    main.replaceChildren(broken(error));
  }
  if (mine === openings) main.removeAttribute("aria-busy");
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

if (!isHome(pathNow())) loadOthers().catch(() => {}); // beside the words
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

// The shell: bar, address, language, light; everything else is a view.
import { h, icon, toast, dialog } from "./dom.js";
import { loadWords, setLang, language, t } from "./i18n.js";
import {
  showHome,
  showEvening,
  take,
  resume,
  loadAbout,
  pickPhotos,
  wasClosedByCamera,
} from "./home.js";
import { showRound, help } from "./round.js";
import { showPrint } from "./print.js";
import { showLive, showTables, showOverlay } from "./live.js";

const main = document.getElementById("main"),
  bar = document.getElementById("bar");
const shared = /^\/s\/([A-Za-z0-9_-]+)$/.exec(location.pathname)?.[1];
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
  const mode = light(false);
  document.querySelector(".skip").textContent = t("skip");
  bar.replaceChildren(
    h(
      "a.brand",
      { href: shared ? `/s/${shared}` : "#/" },
      h("img", { src: "/static/icon.svg", alt: "" }),
      "Sightline",
    ),
    shared ? null : h("button.ico", { "aria-label": t("bar.phones"), onclick: phones }, icon("qr")),
    h(
      "button.ico",
      {
        "aria-label": t("bar.light", { mode: t("light." + mode) }),
        onclick: () => {
          light(true);
          paintBar();
          bar.querySelectorAll("button")[shared ? 0 : 1].focus();
        },
      },
      icon({ auto: "auto", light: "sun", dark: "moon" }[mode]),
    ),
    h(
      "button.ico",
      {
        lang: language() === "en" ? "fr" : "en",
        "aria-label": language() === "en" ? "Français" : "English",
        onclick: async () => {
          await setLang(language() === "en" ? "fr" : "en");
          paintBar();
          route();
        },
      },
      language() === "en" ? "FR" : "EN",
    ),
    h("button.ico", { "aria-label": t("help.title"), onclick: help }, icon("help")),
  );
  bar.replaceChildren(...[...bar.childNodes].filter((n) => n.nodeType === 1));
}
async function phones() {
  const about = await loadAbout();
  dialog(
    t("phones.title"),
    t("close"),
    about.addresses.length
      ? h(
          "div.qr",
          {},
          h("img", { src: "/qr.svg", alt: t("phones.code") }),
          h("p", {}, t("phones.how")),
          ...about.addresses.map((a) =>
            h("input", {
              type: "text",
              readonly: true,
              value: a,
              "aria-label": t("phones.address"),
              onfocus: (e) => e.target.select(),
            }),
          ),
        )
      : h("p", {}, t("phones.closed")),
  );
}
// #/live: the tables; #/live/ID: one; …/overlay: the picture alone; …/overlay/clear: not even that
function live(path) {
  const at = path.indexOf("overlay");
  const id = at === 0 ? null : path[0];
  if (at >= 0) return showOverlay(main, id, { clear: path[at + 1] === "clear" });
  return id ? showLive(main, id) : showTables(main);
}
async function route() {
  leave?.();
  leave = null;
  const path = location.hash.replace(/^#\/?/, "").split("/");
  main.setAttribute("aria-busy", "true");
  try {
    if (shared)
      leave = await (path[0] === "print" ? showPrint : showRound)(main, {
        base: `/shared/${shared}`,
        token: shared,
      });
    else if (path[0] === "round" && path[1])
      leave = await showRound(main, { base: `/scans/${path[1]}`, id: path[1] });
    else if (path[0] === "print" && path[1])
      leave = await showPrint(main, { base: `/scans/${path[1]}` });
    else if (path[0] === "evening" && path[1]) leave = await showEvening(main, path[1]);
    else if (path[0] === "live") leave = await live(path.slice(1));
    else leave = await showHome(main);
  } catch (error) {
    console.warn(error);
    main.replaceChildren(
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
            h("button.btn.main", { onclick: route }, t("error.again")),
            shared ? null : h("a.btn", { href: "#/" }, icon("back"), t("back")),
          ),
        ),
      ),
    );
  }
  main.removeAttribute("aria-busy");
}
await loadWords();
light(false);
paintBar();
if (!shared) {
  await loadAbout().catch(() => {});
  addEventListener("paste", (e) => {
    const files = [...(e.clipboardData?.files || [])];
    if (files.length) {
      e.preventDefault();
      take(files);
    }
  });
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", (e) => {
    e.preventDefault();
    const files = [...(e.dataTransfer?.files || [])];
    if (files.length) take(files);
  });
  addEventListener("online", () => resume());
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
await route();
if (!shared) {
  resume();
  if (wasClosedByCamera())
    toast(t("upload.camera_closed"), false, { label: t("home.gallery"), run: pickPhotos });
}

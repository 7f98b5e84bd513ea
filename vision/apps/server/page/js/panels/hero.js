// Where photos come in: the camera, the gallery, dropped ones.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { accepted } from "../lib/about.js";
import { markOf } from "../lib/names.js";
import { knownGames, offerOf, offerTitle, otherDecks, wantDeck, wantedDeck } from "../lib/offers.js";
import { bring } from "./bring.js";
import { beforeAfter } from "./before_after.js";

// The phone may close this page while its camera is open; then the photo comes back to nobody.
const CAMERA = "camera-opened",
  CAMERA_MS = 15 * 60_000;
const noteCamera = () => localStorage.setItem(CAMERA, String(Date.now()));
const forgetCamera = () => localStorage.removeItem(CAMERA);
const openedBefore = Number(localStorage.getItem(CAMERA) || 0); // by the page that was closed
forgetCamera();
export const wasClosedByCamera = () => Date.now() - openedBefore < CAMERA_MS;
addEventListener("focus", () => {
  const opened = localStorage.getItem(CAMERA); // we are still here: that camera closed nothing
  setTimeout(() => localStorage.getItem(CAMERA) === opened && forgetCamera(), 1000);
});
export const pickPhotos = () => document.getElementById("choose")?.click();

function input(isCamera) {
  const node = h("input", {
    type: "file",
    accept: accepted(),
    multiple: isCamera ? null : true,
    capture: isCamera ? "environment" : null,
    hidden: true,
    id: isCamera ? "shoot" : "choose",
    "aria-hidden": "true",
    tabindex: "-1",
  });
  node.addEventListener("change", () => {
    forgetCamera();
    bring([...node.files]);
    node.value = "";
  });
  return node;
}
// What the evening plays first.
export function playingNow(evening) {
  if (!evening?.deck) return [];
  const words = t("evening.now", { deck: offerTitle(offerOf(evening.deck)) });
  return [h("p", {}, h("a", { href: `#/evening/${evening.id}` }, words))];
}
// The game is found by itself: only a deck that is no game's own has to be named.
function readAs() {
  const others = otherDecks();
  if (!others.length) return null;
  const select = h(
    "select",
    { id: "read-as", onchange: () => wantDeck(select.value) },
    h("option", { value: "" }, t("read_as.found")),
    others.map((one) => h("option", { value: one.deck }, one.deck)),
  );
  select.value = wantedDeck() ?? "";
  return h("label.field.deck", { for: "read-as" }, t("read_as.which"), select);
}
const gameItem = (game) =>
  h("li.team", {}, h("span.marks", {}, game.sides.map(markOf)), offerTitle(game));

// playing: where the page says what is played, once it knows.
export function heroPanel(playing) {
  const [shoot, choose] = [input(true), input(false)];
  const openCamera = () => {
    noteCamera();
    shoot.click();
  };
  const hero = h(
    "section.hero",
    {},
    h("h1", {}, t("home.title")),
    beforeAfter(),
    h("p", {}, t("home.lead")),
    h(
      "div.row",
      {},
      h("button.btn.main.big", { onclick: openCamera }, icon("camera"), t("home.camera")),
      h("button.btn.big", { onclick: () => choose.click() }, icon("image"), t("home.gallery")),
      h("a.btn.big", { href: "#/live" }, icon("live"), t("home.live")),
    ),
    h("ul.games", { "aria-label": t("home.games") }, knownGames().map(gameItem)),
    h("div", {}, readAs(), playing),
    h("p.tiny.mouse", {}, t("home.drop")),
    shoot,
    choose,
  );
  for (const type of ["dragenter", "dragover"])
    hero.addEventListener(type, () => hero.classList.add("over"));
  for (const type of ["dragleave", "drop"])
    hero.addEventListener(type, () => hero.classList.remove("over"));
  return hero;
}

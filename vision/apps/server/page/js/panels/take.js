// What leaves: pictures, data, paper, links; and the round's own name and end.
import { h, icon, toast } from "../lib/dom.js";
import { t, when } from "../lib/i18n.js";
import { post, call } from "../lib/api.js";
import { loadAbout } from "../lib/about.js";
import { screenPanel } from "./on_screen.js";
import { sharePanel } from "./share.js";
import { askWrong } from "./wrong.js";

export const takePanel = (round, actions) => [
  actions.readOnly ? null : screenPanel(actions.id),
  filesPanel(actions),
  actions.readOnly ? null : sharePanel(round, actions),
  actions.readOnly ? null : aboutPanel(round, actions),
  actions.readOnly ? null : wrongPanel(actions),
];
const wrongPanel = ({ base }) =>
  h(
    "section.panel",
    {},
    h(
      "button.btn",
      { onclick: () => askWrong(base) },
      t("wrong.title"),
    ),
    h("p.tiny.soft", {}, t("wrong.short")),
  );
function filesPanel({ base, id, token, readOnly }) {
  const file = (kind, key) =>
    h(
      "a.btn",
      { href: `/api/v1${base}/${kind}`, download: "round." + kind.split(".").at(-1) },
      icon("download"),
      t(key),
    );
  const film = h("span", { hidden: true }); // a button where the server can write films
  if (!readOnly)
    loadAbout()
      .then((about) => {
        if (about.replays.includes("mp4")) film.replaceWith(file("picture.replay.mp4", "take.mp4"));
      })
      .catch(() => {});
  const paper = readOnly ? `/s/${token}#/print` : `#/print/${id}`;
  return h(
    "section.panel",
    {},
    h("h2", {}, t("take.title")),
    h(
      "div.pick",
      {},
      file("picture.png", "take.png"),
      file("picture.jpg", "take.jpg"),
      file("picture.svg", "take.svg"),
      file("picture.replay.webp", "take.webp"),
      file("picture.replay.gif", "take.gif"),
      film,
      readOnly ? null : file("scan.json", "take.json"),
      h("a.btn", { href: paper }, icon("print"), t("take.print")),
    ),
    h("p.tiny.soft", {}, t("take.private")),
  );
}
function aboutPanel(round, { base, id }) {
  const name = h("input", {
    type: "text",
    id: "round-name",
    value: round.name,
    maxlength: 100,
    placeholder: when(round.created),
  });
  name.addEventListener("change", async () => {
    await call("PATCH", base, { name: name.value });
    toast(t("edit.saved"));
  });
  const restore = async () => {
    await post(`${base}/restore`);
    location.hash = `#/round/${id}`;
  };
  const remove = async () => {
    await call("DELETE", base);
    location.hash = "#/";
    toast(t("round.deleted"), false, { label: t("edit.undo"), run: restore });
  };
  return h(
    "section.panel",
    {},
    h("label.field", { for: "round-name" }, t("round.name"), name),
    round.evening ? h("a.btn", { href: `#/evening/${round.evening}` }, t("round.evening")) : null,
    h("button.btn.danger", { onclick: remove }, icon("trash"), t("round.delete")),
  );
}

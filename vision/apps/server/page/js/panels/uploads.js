// Photos on their way, one line each.
import { h, icon, toast } from "../lib/dom.js";
import { t, number } from "../lib/i18n.js";
import { call } from "../lib/api.js";
import { dismiss, readAgain } from "../lib/uploads.js";
import { answers } from "./answers.js";
import { mayPass, readAsPanel } from "./read_as.js";

const STAGES = [
  "decode",
  "detect",
  "classify",
  "rectify",
  "pose",
  "second_look",
  "resolve",
  "picture",
];
function stageBar(state) {
  const now = STAGES.indexOf(state.scan?.stage);
  const words =
    state.phase === "waiting"
      ? t("upload.waiting", { n: (state.scan?.ahead ?? 0) + 1 })
      : t("stage." + (now >= 0 ? STAGES[now] : "prepare"));
  const bits = STAGES.map((_, i) => h(i < now ? "i.done" : i === now ? "i.now" : "i"));
  return h(
    "div",
    {},
    h("p.tiny.soft", { role: "status" }, words),
    h("div.stages", { "aria-hidden": "true" }, bits),
  );
}
function sending(state) {
  const n = Math.round(state.share * 100),
    words = t("upload.sending", { n });
  return h(
    "div",
    {},
    h("p.tiny.soft", {}, words),
    h("progress", { max: 100, value: n, "aria-label": words }),
  );
}
// Deleted rounds can be restored for some days; where the disk is full that room is needed now.
async function emptyTrash(state) {
  const { rounds: n, freed_mb: mb } = await call("DELETE", "/trash");
  toast(n ? t("trash.emptied", { n, mb: number(mb) }) : t("trash.empty"), !n);
  if (n) await state.retry();
}
function failedTools(state) {
  const mayHelp = state.id && mayPass(state.scan.error);
  const again = state.retry || (mayHelp ? () => readAgain(state) : null);
  return h(
    "div.row",
    {},
    again ? h("button.btn.small", { onclick: again }, t("upload.retry")) : null,
    state.code === "disk_full"
      ? h("button.btn.small", { onclick: () => emptyTrash(state) }, icon("trash"), t("trash.do"))
      : null,
    h(
      "button.ico",
      { "aria-label": t("upload.dismiss"), onclick: () => dismiss(state) },
      icon("close"),
    ),
  );
}
// Which answer stands first is asked for once: an item is painted again and again.
function question(state) {
  if (!state.buttons) {
    state.buttons = h("div.row");
    answers(state).then((row) => state.buttons.replaceChildren(...row.children));
  }
  return [h("p.tiny", {}, t("bring.asked", { n: state.files.length })), state.buttons];
}
const MIDDLE = {
  asked: question,
  queued: (state) => h("p.tiny.soft", {}, state.error || t("upload.queued")),
  uploading: sending,
  waiting: stageBar,
  reading: stageBar,
  done: (state) => h("a.title", { href: `#/round/${state.id}` }, t("upload.done")),
  failed: (state) => [
    h("p.tiny.err", { role: "alert" }, state.error),
    state.scan ? readAsPanel(state.scan) : null,
  ],
};
const SIDE = {
  done: (state) => h("a.btn.small", { href: `#/round/${state.id}` }, t("upload.open")),
  failed: failedTools,
  asked: (state) =>
    h(
      "button.ico",
      { "aria-label": t("upload.dismiss"), onclick: () => dismiss(state) },
      icon("trash"),
    ),
};
export const uploadItem = (state) =>
  h(
    `li.item.${state.phase}`,
    {},
    state.picture,
    h("div", {}, MIDDLE[state.phase](state)),
    SIDE[state.phase]?.(state) ?? h("span"),
  );

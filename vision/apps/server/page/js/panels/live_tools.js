// The camera, the screens, the end of a live game.
import { h, icon, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { order } from "../lib/live_keys.js";
import { soundSwitch } from "../lib/sounds.js";
import { cameras } from "../scene/live_camera.js";

export class LiveTools {
  // actions: id, isMine, endCamera()
  constructor(actions) {
    this.actions = actions;
    this.tools = h("div.live-tools", {});
    this.node = h("section.panel", { "aria-label": t("live.tools") }, this.tools);
    this.shown = "";
  }
  // own: this device's camera, if it is in use
  paint(own, isOver) {
    const mark = `${Boolean(own)} ${isOver} ${own?.track?.getSettings?.().deviceId || ""}`;
    if (mark === this.shown) return;
    this.shown = mark;
    const { id, isMine, endCamera } = this.actions;
    const choice = h("div", {});
    this.tools.replaceChildren(
      ...[
        own
          ? h("button.btn", { onclick: endCamera }, icon("camera"), t("live.camera_off"))
          : null,
        h("a.btn", { href: `#/live/${id}/overlay` }, icon("screen"), t("live.overlay")),
        h("a.btn", { href: "#/live/tv" }, icon("screen"), t("live.tv")),
        soundSwitch("button.btn", { words: true }),
        isMine && !isOver
          ? h("button.btn.danger", { onclick: () => this.end() }, icon("trash"), t("live.end"))
          : null,
        choice,
      ].filter(Boolean),
    );
    if (own) deviceChoice(own).then((node) => node && choice.replaceChildren(node));
  }
  end() {
    const { id, endCamera } = this.actions;
    const end = async () => {
      endCamera();
      box.close();
      if (await order(id, "DELETE")) location.hash = "#/live";
    };
    const box = dialog(
      t("live.end"),
      t("close"),
      h("p", {}, t("live.end_more")),
      h("button.btn.danger", { onclick: end }, icon("trash"), t("live.end")),
    );
  }
}
async function deviceChoice(own) {
  const all = await cameras();
  if (all.length < 2) return null;
  const select = h(
    "select",
    { id: "live-device", onchange: () => own.choose(select.value) },
    all.map((d, i) =>
      h("option", { value: d.deviceId }, d.label || t("live.camera_nth", { n: i + 1 })),
    ),
  );
  select.value = own.track?.getSettings().deviceId;
  return h("label.field", { for: "live-device" }, t("live.camera"), select);
}

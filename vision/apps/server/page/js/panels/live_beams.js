// Beams while cards are laid: whom the host has them shown, and the links of spectators' screens.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { keepSpectator, order, spectatorLink, spectatorOf } from "../lib/live_keys.js";

export class LiveBeams {
  // mayAsk: this device controls the game
  constructor({ id, mayAsk, isOpen }) {
    Object.assign(this, { id });
    const whom = ["nobody", isOpen ? null : "spectators", "all"].filter(Boolean);
    this.select = h(
      "select",
      { id: "live-beams", onchange: () => this.ask() },
      whom.map((one) => h("option", { value: one }, t("live.beams." + one))),
    );
    this.said = h("p.tiny.soft", { role: "status" });
    this.links = h("div.live-tools", {});
    const choice = h("label.field", { for: "live-beams" }, t("live.beams"), this.select);
    this.node = h(
      "section.panel",
      { "aria-label": t("live.beams"), hidden: true },
      mayAsk ? choice : null,
      this.said,
      mayAsk ? this.links : null,
    );
    this.mayAsk = mayAsk;
    this.shown = "";
  }
  // Everybody is told that beams are shown, also where only spectators see them.
  paint({ has_beams: can, beams_for: whom }, isOver) {
    const mark = `${can} ${whom} ${isOver} ${spectatorOf(this.id)}`;
    if (mark === this.shown) return;
    this.shown = mark;
    this.node.hidden = !can || isOver || (!this.mayAsk && whom === "nobody");
    this.select.value = whom;
    this.said.textContent = t("live.beams.said." + whom);
    const link = (place, words) =>
      h("a.btn", { href: spectatorLink(place, this.id) }, icon("screen"), t(words));
    const places = { tv: "live.beams.tv", [`${this.id}/overlay`]: "live.beams.overlay" };
    const projector = { [`${this.id}/projector`]: "live.projector" };
    const links = spectatorOf(this.id) && { spectators: { ...places, ...projector }, all: projector }[whom];
    this.links.replaceChildren(...Object.entries(links || {}).map(([at, words]) => link(at, words)));
  }
  async ask() {
    const reply = await order(this.id, "PUT", "/beams", { for: this.select.value });
    const told = reply && (await reply.json());
    if (told?.spectator_key) keepSpectator(this.id, told.spectator_key);
    this.shown = "";
    if (told) this.paint(told, false);
  }
}

// Two tables, one battle: a link for the other table or by its, and how the two stand together.
import { h, icon, dialog, toast, write } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { order } from "../lib/live_keys.js";
import { titleOf } from "../lib/names.js";

const TICK_MS = 500;

export class LiveBattle {
  // mayAsk: this device controls the game
  constructor({ id, mayAsk }) {
    Object.assign(this, { id, mayAsk, battle: null, shown: "" });
    this.said = h("p.tiny.soft", { role: "status" });
    this.link = h("input", { type: "text", readonly: true, hidden: true, "aria-label": t("live.battle.link") });
    this.acts = h("div.live-tools", {});
    this.node = h(
      "section.panel",
      { "aria-label": t("live.battle"), hidden: true },
      h("h2", {}, t("live.battle")),
      this.said,
      this.link,
      mayAsk ? this.acts : null,
    );
    this.timer = setInterval(() => this.tell(), TICK_MS);
  }
  close() {
    clearInterval(this.timer);
  }
  paint({ battle, has_cards: can }, isOver) {
    const mark = JSON.stringify([battle, can, isOver]);
    if (mark === this.shown) return;
    this.shown = mark;
    this.battle = battle;
    this.heard = performance.now();
    this.node.hidden = !can || isOver || (!battle && !this.mayAsk);
    this.acts.replaceChildren(...(battle ? this.within() : this.outside()));
    if (!battle) this.link.hidden = true;
    this.tell();
  }
  outside() {
    return [
      h("button.btn", { onclick: () => this.begin() }, icon("share"), t("live.battle.host")),
      h("button.btn", { onclick: () => this.ask() }, t("live.battle.guest")),
    ];
  }
  within() {
    const { role } = this.battle;
    const show = h("button.btn", { onclick: () => this.begin() }, icon("share"), t("live.battle.link"));
    const leave = h("button.btn.danger", { onclick: () => this.leave() }, t("live.battle.leave"));
    return role === "host" ? [show, leave] : [leave];
  }
  // How the two tables stand, and since when the other one is away.
  tell() {
    const { battle } = this;
    const words = battle ? this.words(battle) : t("live.battle.how");
    write(this.said, words);
    this.node.classList.toggle("away", battle?.state === "away");
  }
  words({ state, trouble, shared, away_s: away }) {
    if (trouble) return t("live.battle.trouble", { detail: trouble.detail });
    if (state === "waiting") return t("live.battle.waiting");
    if (state === "away") {
      const since = away + (performance.now() - this.heard) / 1000;
      return t("live.battle.away", { n: Math.round(since) });
    }
    return shared ? t("live.battle.joined", { card: titleOf(shared) }) : t("live.battle.apart");
  }
  async begin(link = undefined) {
    const reply = await order(this.id, "POST", "/battle", link ? { link } : {});
    const told = reply && (await reply.json());
    if (!told) return;
    this.shown = "";
    this.paint(told, false);
    if (!told.link) return;
    Object.assign(this.link, { hidden: false, value: told.link });
    this.link.select();
    navigator.clipboard?.writeText(told.link).then(
      () => toast(t("live.battle.copied")),
      () => {},
    );
  }
  ask() {
    const input = h("input", { type: "url", id: "battle-link", required: true });
    const join = (e) => {
      e.preventDefault();
      box.close();
      this.begin(input.value.trim());
    };
    const box = dialog(
      t("live.battle.guest"),
      t("close"),
      h(
        "form",
        { onsubmit: join },
        h("label.field", { for: "battle-link" }, t("live.battle.paste"), input),
        h("button.btn.main", {}, t("live.battle.go")),
      ),
    );
  }
  async leave() {
    if (await order(this.id, "DELETE", "/battle")) this.link.hidden = true;
  }
}

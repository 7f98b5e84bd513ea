// The time left, as the server last said; its clock decides, this one shows.
import { h, write } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const LOOK_MS = 200,
  SOON_S = 10,
  LAST_S = 1.5; // what is sent then still arrives in time

export class Clock {
  // onLast: the time is all but over
  constructor({ onLast } = {}) {
    this.onLast = onLast;
    this.words = h("b", {});
    this.bar = h("i", {});
    this.node = h("div.clock", { role: "timer", hidden: true }, this.words, h("span", {}, this.bar));
    this.timer = setInterval(() => this.paint(), LOOK_MS);
  }
  // left_s: null while the clock stands
  set({ left_s, seconds, state }) {
    this.seconds = seconds;
    this.ends = left_s === null ? null : performance.now() + left_s * 1000;
    this.isLast = false;
    this.node.hidden = !["gathering", "open"].includes(state);
    this.paint();
  }
  paint() {
    if (this.node.hidden) return;
    const isRunning = this.ends !== null;
    const left = isRunning ? Math.max((this.ends - performance.now()) / 1000, 0) : this.seconds;
    const whole = Math.ceil(left),
      words = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    write(this.words, words);
    this.words.setAttribute("aria-label", t("clock.left", { n: whole }));
    this.bar.style.width = `${(100 * left) / this.seconds}%`;
    this.node.classList.toggle("soon", isRunning && left <= SOON_S);
    this.node.classList.toggle("stands", !isRunning);
    if (!isRunning || left > LAST_S || this.isLast) return;
    this.isLast = true;
    this.onLast?.();
  }
  destroy() {
    clearInterval(this.timer);
  }
}

// The round speed by speed: a clock that runs from 0 to the number of steps.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const GROW = 0.5,
  STEP_MS = 1900;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Replay {
  constructor(onFrame) {
    this.onFrame = onFrame;
    this.time = 0;
    this.playing = false;
    this.playIcon = h("button.glass", { onclick: () => this.toggle() });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 1,
      "aria-label": t("replay.scrub"),
    });
    this.label = h("output", {});
    this.slider.addEventListener("input", () => {
      this.pause();
      this.set(Number(this.slider.value) / 100);
    });
    this.node = h(
      "div.player",
      { role: "group", "aria-label": t("replay.label") },
      h(
        "button.glass",
        {
          "aria-label": t("replay.first"),
          onclick: () => {
            this.pause();
            this.set(0);
          },
        },
        icon("first"),
      ),
      this.playIcon,
      this.slider,
      this.label,
    );
    this.face();
  }
  load(round) {
    const atEnd = !this.round || this.time >= this.count;
    this.round = round;
    this.count = round.steps.length;
    this.slider.max = this.count * 100;
    if (atEnd || this.time > this.count) this.time = this.count;
    this.set(this.time);
  }
  face() {
    this.playIcon.replaceChildren(icon(this.playing ? "pause" : "play"));
    this.playIcon.setAttribute("aria-label", t(this.playing ? "replay.pause" : "replay.play"));
  }
  toggle() {
    this.playing ? this.pause() : this.play();
  }
  play() {
    if (this.time >= this.count) this.time = 0;
    this.playing = true;
    this.face();
    this.last = performance.now();
    this.frame = requestAnimationFrame((n) => this.tick(n));
  }
  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.face();
  }
  tick(now) {
    if (!this.playing) return;
    const passed = Math.min(now - this.last, 100);
    this.last = now;
    let time = this.time + passed / STEP_MS;
    if (time >= this.count) {
      this.pause();
      time = this.count;
    }
    this.set(time);
    if (this.playing) this.frame = requestAnimationFrame((n) => this.tick(n));
  }
  set(time) {
    this.time = Math.max(0, Math.min(time, this.count));
    const r = this.round;
    const k = Math.min(Math.floor(this.time), this.count - 1),
      phase = this.time - k;
    const atEnd = this.time >= this.count;
    const shares = r.shots.map(() => (atEnd ? 1 : 0));
    const dead = new Set(),
      faint = new Set();
    let marks = [];
    const done = (i) => {
      r.steps[i].destroyed.forEach((d) => dead.add(d.card));
      r.steps[i].gone.forEach((g) => dead.add(g));
    };
    let settled = 0;
    if (atEnd) {
      r.steps.forEach((_, i) => done(i));
      marks = r.shots.map((_, i) => i);
      settled = this.count;
    } else if (this.count) {
      for (let i = 0; i < k; i++) done(i);
      settled = k;
      const grown = still() ? (this.time > 0 ? 1 : 0) : Math.min(phase / GROW, 1);
      if (k > 0 && phase < 0.25)
        for (const i of r.steps[k - 1].shots) {
          shares[i] = 1;
          faint.add(i);
        }
      for (const i of r.steps[k].shots)
        shares[i] = Math.max(grown, 0.001) * (this.time > 0 ? 1 : 0);
      if (grown >= 1) {
        done(k);
        marks = r.steps[k].shots;
        settled = k + 1;
      }
    }
    this.slider.value = String(Math.round(this.time * 100));
    const speed = this.count ? r.steps[k].speed : 0;
    const words = atEnd ? t("replay.end") : t("replay.speed", { n: speed });
    this.label.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
    this.onFrame({ shares, dead, marks, faint, settled, step: atEnd ? null : k, atEnd });
  }
  goTo(step) {
    this.pause();
    this.set(step + 0.999);
  }
}

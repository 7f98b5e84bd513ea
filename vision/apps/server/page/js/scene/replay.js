// The round step by step: a clock that runs from 0 to the number of steps.
import { h, icon, write } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { isOn, ring, soundSwitch } from "../lib/sounds.js";
import { pathsOf } from "../lib/round.js";
import { cuesBetween } from "./cues.js";

const GROW = 0.5,
  AFTERGLOW = 0.25,
  STEP_MS = 1900,
  REST_MS = 100; // between two looks at a step that does not grow: only the slider moves then
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
      soundSwitch("button.glass"),
    );
    this.face();
  }
  load(round) {
    const atEnd = !this.round || this.time >= this.count;
    this.round = round;
    this.count = round.ledger.steps.length;
    this.slider.max = this.count * 100;
    if (atEnd || this.time > this.count) this.time = this.count;
    this.node.hidden = !this.count;
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
    this.next();
  }
  next() {
    const draw = () => (this.frame = requestAnimationFrame((now) => this.tick(now)));
    if (this.time % 1 < GROW && !still()) draw();
    else this.rest = setTimeout(draw, REST_MS);
  }
  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    this.face();
  }
  tick(now) {
    if (!this.playing) return;
    const passed = Math.min(now - this.last, 2 * REST_MS);
    this.last = now;
    const was = isOn() ? this.frameNow() : null; // nobody listens: nothing is compared
    let time = this.time + passed / STEP_MS;
    if (time >= this.count) {
      this.pause();
      time = this.count;
    }
    this.set(time);
    if (was) ring(cuesBetween(this.round, was, this.frameNow()));
    if (this.playing) this.next();
  }
  set(time) {
    this.time = Math.max(0, Math.min(time, this.count));
    const frame = this.frameNow();
    const words = frame.atEnd ? t("replay.end") : this.round.ledger.steps[frame.step].title;
    this.slider.value = String(Math.round(this.time * 100));
    write(this.label, words);
    this.slider.setAttribute("aria-valuetext", words);
    this.onFrame(frame);
  }
  // Which events show how much of their paths, whose marks, how many steps are settled, who is out.
  frameNow() {
    const { events, tallies } = this.round;
    const atEnd = this.time >= this.count;
    const k = Math.min(Math.floor(this.time), this.count - 1),
      phase = this.time - k,
      grown = atEnd ? 1 : this.time === 0 ? 0 : still() ? 1 : Math.min(phase / GROW, 1);
    const isBefore = !atEnd && k > 0 && phase < AFTERGLOW; // the step before still shows a little
    const shares = events.map(({ step }) => {
      if (atEnd || (isBefore && step === k - 1)) return 1;
      return step === k && this.time > 0 ? Math.max(grown, 0.001) : 0;
    });
    const inStep = (step) => events.filter((e) => e.step === step).map((e) => e.index);
    const isSettled = grown >= 1;
    const settled = atEnd ? this.count : isSettled ? k + 1 : k;
    const states = Object.entries(tallies[Math.max(settled, 0)].pieces);
    return {
      shares,
      settled,
      states: new Map(states),
      lit: new Set(
        atEnd || isSettled
          ? []
          : events.filter((e) => e.step === k && this.time > 0 && pathsOf(e).length).map((e) => e.pieces[0]),
      ),
      out: new Set(states.filter(([, state]) => state.out).map(([id]) => id)),
      marked: atEnd ? events.map((e) => e.index) : isSettled ? inStep(k) : [],
      faint: new Set(isBefore ? inStep(k - 1) : []),
      step: atEnd ? null : k,
      atEnd,
    };
  }
  goTo(step) {
    this.pause();
    this.set(step + 0.999);
  }
}

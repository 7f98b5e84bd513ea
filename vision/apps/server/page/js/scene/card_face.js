// A card's face with what it does drawn over it: looked at, or entered by finger, mouse and keys.
import { s } from "../lib/dom.js";
import {
  PLACE,
  STRETCHES,
  WEAPONS,
  along,
  axisOf,
  endsOf,
  headingTo,
  isLong,
  joined,
  nearestEdge,
  onCard,
  stretch,
  stretchesOf,
  toBorder,
} from "../lib/design.js";
import { beside } from "../lib/geometry.js";

const MARGIN_MM = 9, // round the card: room for handles and for a finger at the border
  TIP_MM = 8, // a handle is never nearer to its weapon
  TAP_PX = 9, // less is no drag
  REACH_PX = 30, // of a finger
  LINE_PX = 14, // beside a beam that is tapped
  HALF_MM = 10, // of a stretch that is tapped, to each side
  LENS_MM = 11,
  LENS_PX = 132;

export const beamOf = (weapon, size) => {
  const from = weapon[PLACE],
    border = toBorder(from, weapon.heading_deg, size);
  return [from, along(from, weapon.heading_deg, Math.max(border, TIP_MM))];
};
const line = (kind, [a, b]) => s(kind, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] });

// What a design does, drawn in millimetres; chosen: {kind, at} or null.
export function marksOf(design, size, chosen = null) {
  const isChosen = (kind, at) => chosen?.kind === kind && chosen.at === at;
  const stretches = design[STRETCHES].flatMap((one, at) => {
    const ends = endsOf(one, size);
    const mark = isChosen(STRETCHES, at) ? ".chosen" : "";
    return [line("line.guard-case" + mark, ends), line("line.guard" + mark, ends)];
  });
  const weapons = design[WEAPONS].flatMap((one, at) => {
    const beam = beamOf(one, size),
      mark = isChosen(WEAPONS, at) ? ".chosen" : "";
    const [x, y] = one[PLACE];
    return [
      line("line.beam-case" + mark, beam),
      line(`line.beam.power-${one.power}${mark}`, beam),
      s(`circle.seat.power-${one.power}${mark}`, { cx: x, cy: y, r: 1.3 }),
      s("text.seat-number", { x: x + 2.4, y: y - 1.6 }, String(at + 1)),
    ];
  });
  return [...stretches, ...weapons];
}

export class CardFace {
  // change(design, {soon}) and select(chosen) are told what the hand does
  constructor({ size, label, change, select }) {
    Object.assign(this, { size, change, select, turned: 0, tool: WEAPONS, power: 2, drag: null });
    this.id = "face" + Math.random().toString(36).slice(2);
    const [w, h] = size;
    this.picture = s("image", { x: -w / 2, y: -h / 2, width: w, height: h, preserveAspectRatio: "none" });
    this.marks = s("g", {});
    this.turn = s("g", { id: this.id }, this.picture, s("rect.card-edge", { x: -w / 2, y: -h / 2, width: w, height: h }), this.marks);
    this.handles = s("g", {});
    this.svg = s("svg.designface", { tabindex: 0, role: "application", "aria-label": label }, this.turn, this.handles);
    this.lens = s("svg.lens", { hidden: true, "aria-hidden": "true", width: LENS_PX, height: LENS_PX });
    this.svg.addEventListener("pointerdown", (e) => this.down(e));
    this.svg.addEventListener("pointermove", (e) => this.move(e));
    this.svg.addEventListener("pointerup", (e) => this.up(e));
    this.svg.addEventListener("pointercancel", (e) => this.up(e));
    this.setTurn(0);
  }
  setTurn(quarters) {
    this.turned = ((quarters % 4) + 4) % 4;
    const [w, h] = this.turned % 2 ? [this.size[1], this.size[0]] : this.size;
    const [wide, high] = [w + 2 * MARGIN_MM, h + 2 * MARGIN_MM];
    this.svg.setAttribute("viewBox", `${-wide / 2} ${-high / 2} ${wide} ${high}`);
    for (const group of [this.turn, this.handles]) group.setAttribute("transform", `rotate(${90 * this.turned})`);
  }
  show(source, design, chosen) {
    if (this.picture.getAttribute("href") !== source) this.picture.setAttribute("href", source);
    this.design = design;
    this.chosen = chosen;
    this.draw();
  }
  draw() {
    this.marks.replaceChildren(...marksOf(this.draft || this.design, this.size, this.chosen));
    this.handles.replaceChildren(...this.grips().map(({ at: [cx, cy] }) => s("circle.grip", { cx, cy, r: 2.6 })));
  }
  get now() {
    return this.draft || this.design;
  }
  part(chosen = this.chosen) {
    return chosen && this.now[chosen.kind][chosen.at];
  }
  // Where the chosen part can be taken hold of.
  grips() {
    const part = this.part();
    if (!part) return [];
    if (this.chosen.kind === STRETCHES)
      return endsOf(part, this.size).map((at, k) => ({ end: k ? "to_mm" : "from_mm", at }));
    const [seat, tip] = beamOf(part, this.size);
    return [{ end: "tip", at: tip }, { end: "seat", at: seat }];
  }
  toCard(e) {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(this.turn.getScreenCTM().inverse());
    return [p.x, p.y];
  }
  get mm() {
    return 1 / (this.svg.getScreenCTM()?.a || 1); // of a pixel of the screen
  }
  // --- pointer ---
  down(e) {
    if (this.drag || e.button > 0) return;
    const at = this.toCard(e);
    const far = ([x, y]) => Math.hypot(x - at[0], y - at[1]) / this.mm;
    const grip = this.grips().filter((one) => far(one.at) < REACH_PX).sort((a, b) => far(a.at) - far(b.at))[0];
    this.drag = { id: e.pointerId, from: at, px: [e.clientX, e.clientY], grip, far: false };
    if (grip) this.drag.off = [grip.at[0] - at[0], grip.at[1] - at[1]];
    this.svg.setPointerCapture(e.pointerId);
    this.svg.focus({ preventScroll: true });
    e.preventDefault();
    this.showLens(e, at);
  }
  move(e) {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return;
    const at = this.toCard(e);
    d.far ||= Math.hypot(e.clientX - d.px[0], e.clientY - d.px[1]) > TAP_PX;
    if (d.far) {
      const [draft, chosen] = d.grip ? this.pulled(d, at) : this.drawn(d.from, at);
      this.draft = draft;
      this.chosen = chosen;
      this.draw();
    }
    this.showLens(e, at);
  }
  up(e) {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return;
    this.drag = null;
    this.hideLens();
    const draft = this.draft;
    this.draft = null;
    if (e.type === "pointercancel") this.draw();
    else if (draft) this.settle(draft, this.chosen);
    else if (!d.grip) this.tap(d.from);
  }
  // A drag from a grip: relative, so that nothing jumps.
  pulled({ grip, off }, [x, y]) {
    const at = [x + off[0], y + off[1]];
    return [this.changed((part) => this.pull(part, grip.end, at)), this.chosen];
  }
  pull(part, end, at) {
    if (end === "seat") return { ...part, [PLACE]: onCard(at, this.size) };
    if (end === "tip") return { ...part, heading_deg: headingTo(part[PLACE], at) };
    const other = end === "to_mm" ? part.from_mm : part.to_mm;
    const pulled = stretch(part.edge, other, at[axisOf(part.edge)], this.size);
    return isLong(pulled) ? pulled : part;
  }
  // A drag from nowhere: a new weapon or stretch.
  drawn(from, to) {
    return this.tool === WEAPONS
      ? this.added(WEAPONS, { power: this.power, [PLACE]: onCard(from, this.size), heading_deg: headingTo(onCard(from, this.size), to) })
      : this.guarded(stretchesOf(from, to, this.size));
  }
  added(kind, part) {
    const list = [...this.design[kind], part];
    return [{ ...this.design, [kind]: list }, { kind, at: list.length - 1 }];
  }
  guarded(more) {
    if (!more.length) return [this.design, this.chosen];
    const list = joined(this.design[STRETCHES], more);
    return [{ ...this.design, [STRETCHES]: list }, { kind: STRETCHES, at: list.length - 1 }];
  }
  tap(at) {
    const found = this.partAt(at);
    if (found) {
      this.select(found);
      return;
    }
    const from = onCard(at, this.size);
    if (this.tool === WEAPONS) {
      const up = { power: this.power, [PLACE]: from, heading_deg: 0 };
      this.settle(...this.added(WEAPONS, up));
    } else {
      const edge = nearestEdge(at, this.size),
        x = at[axisOf(edge)];
      this.settle(...this.guarded([stretch(edge, x - HALF_MM, x + HALF_MM, this.size)]));
    }
  }
  // The part that a tap means, if any: of the tool's kind alone.
  partAt(at) {
    const gap = (part) => beside(this.tool === WEAPONS ? beamOf(part, this.size) : endsOf(part, this.size), at) / this.mm;
    const gaps = this.design[this.tool].map((part, k) => [gap(part), k]).sort((a, b) => a[0] - b[0]);
    return gaps.length && gaps[0][0] < LINE_PX ? { kind: this.tool, at: gaps[0][1] } : null;
  }
  // --- changes ---
  changed(act, chosen = this.chosen) {
    const list = this.design[chosen.kind].map((part, k) => (k === chosen.at ? act(part) : part));
    return { ...this.design, [chosen.kind]: list };
  }
  settle(design, chosen) {
    this.draft = null;
    this.select(chosen, true);
    this.change(design, {});
  }
  // --- the lens: what is under the finger ---
  showLens(e, [x, y]) {
    const box = this.svg.getBoundingClientRect(),
      isLeft = e.clientX - box.left < box.width / 2;
    const p = this.svg.createSVGPoint();
    Object.assign(p, { x, y });
    const q = p.matrixTransform(this.turn.transform.baseVal.consolidate().matrix);
    const half = LENS_MM / 2;
    this.lens.setAttribute("viewBox", `${q.x - half} ${q.y - half} ${LENS_MM} ${LENS_MM}`);
    this.lens.replaceChildren(s("use", { href: "#" + this.id }), s("path.aim", { d: `M${q.x - 1.5} ${q.y}h3M${q.x} ${q.y - 1.5}v3` }));
    this.lens.removeAttribute("hidden");
    this.lens.style.left = isLeft ? "auto" : "6px";
    this.lens.style.right = isLeft ? "6px" : "auto";
    const isHigh = e.clientY - box.top < LENS_PX + 40;
    this.lens.style.top = isHigh ? "auto" : "6px";
    this.lens.style.bottom = isHigh ? "6px" : "auto";
  }
  hideLens() {
    this.lens.setAttribute("hidden", "");
  }
}

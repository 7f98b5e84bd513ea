// A photo that is looked at: zoom, pan, tap, by fingers, mouse, wheel and keys.
import { s, h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const NEAREST = 30, // times the whole photo
  FARTHEST = 0.8,
  DOUBLE_TAP_MS = 300,
  STILL_PX = 6, // a finger that moved less has tapped
  KEY_STEP_PX = 60;
const held = (k) => Math.min(Math.max(k, FARTHEST), NEAREST);
const hold = (c, span, size) =>
  span >= size ? size / 2 : Math.min(Math.max(c, span * 0.2), size - span * 0.2);

export class View {
  constructor(photoUrl, layers) {
    this.photoUrl = photoUrl;
    this.image = s("image", { href: photoUrl, preserveAspectRatio: "none" });
    this.layers = Object.fromEntries(layers.map((n) => [n, s("g." + n)]));
    this.svg = s(
      "svg.photo",
      { tabindex: "0", role: "group", preserveAspectRatio: "xMidYMid meet" },
      this.image,
      ...Object.values(this.layers),
    );
    const button = (kind, key, name, act) =>
      h("button.glass" + kind, { "aria-label": t(key), onclick: act }, icon(name));
    this.node = h(
      "div.stage",
      {},
      this.svg,
      h(
        "div.zoomers",
        {},
        button("", "zoom.in", "plus", () => this.zoom(1.5)),
        button(".out", "zoom.out", "minus", () => this.zoom(1 / 1.5)),
        button(".fit", "zoom.fit", "fit", () => this.fit()),
      ),
    );
    this.pointers = new Map();
    this.touch = { moved: 0, lastTap: 0, start: null };
    this.listen();
    this.resizer = new ResizeObserver(() => this.apply());
    this.resizer.observe(this.node);
  }
  // Another photo of the same table, at which the next one that is shown lies.
  setPhoto(photoUrl) {
    if (photoUrl === this.photoUrl) return;
    this.photoUrl = photoUrl;
    this.image.setAttribute("href", photoUrl);
  }
  destroy() {
    this.resizer.disconnect();
  }
  place(size) {
    this.size = size;
    const [width, height] = size;
    for (const [k, v] of Object.entries({ x: -0.5, y: -0.5, width, height }))
      this.image.setAttribute(k, v);
  }
  // What stands upright on the photo at its own size; overridden where there is such a thing.
  scaleTags() {}
  tapped() {}
  // --- where we look ---
  box() {
    const b = this.svg.getBoundingClientRect();
    return [Math.max(b.width, 1), Math.max(b.height, 1), b];
  }
  fit() {
    const [w, hh] = this.size;
    this.view = { x: w / 2, y: hh / 2, k: 1 };
    this.apply();
  }
  base() {
    const [bw, bh] = this.box();
    return Math.min(bw / this.size[0], bh / this.size[1]);
  }
  get scale() {
    return this.base() * this.view.k;
  } // css px per photo px
  apply() {
    if (!this.view) return;
    const [bw, bh] = this.box(),
      v = this.view;
    v.k = held(v.k);
    const k = this.scale,
      w = bw / k,
      hh = bh / k;
    v.x = hold(v.x, w, this.size[0]);
    v.y = hold(v.y, hh, this.size[1]);
    this.svg.setAttribute("viewBox", `${v.x - w / 2} ${v.y - hh / 2} ${w} ${hh}`);
    this.node.classList.toggle("near", v.k > 1.01);
    this.scaleTags();
  }
  toPhoto(clientX, clientY) {
    const [bw, bh, b] = this.box();
    const k = this.scale;
    return [
      this.view.x + (clientX - b.left - bw / 2) / k,
      this.view.y + (clientY - b.top - bh / 2) / k,
    ];
  }
  zoom(factor, at) {
    const v = this.view;
    const [x, y] = at || [v.x, v.y];
    const k = held(v.k * factor);
    const f = v.k / k;
    v.x = x + (v.x - x) * f;
    v.y = y + (v.y - y) * f;
    v.k = k;
    this.apply();
  }
  pan(dx, dy) {
    this.view.x += dx / this.scale;
    this.view.y += dy / this.scale;
  }
  lookAt([x, y], span) {
    const [bw, bh] = this.box();
    this.view = { x, y, k: Math.min(bw, bh) / span / this.base() };
    this.apply();
  }
  // --- what fingers and keys do; a tool goes first ---
  listen() {
    const on = (name, act, options) => this.svg.addEventListener(name, act.bind(this), options);
    on("wheel", this.onWheel, { passive: false });
    on("pointerdown", this.onDown);
    on("pointermove", this.onMove);
    on("pointerup", this.onUp);
    on("pointercancel", this.onUp);
    on("keydown", this.onKey);
  }
  onWheel(e) {
    e.preventDefault();
    this.zoom(
      Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0016)),
      this.toPhoto(e.clientX, e.clientY),
    );
  }
  onDown(e) {
    if (this.tool?.down?.(e)) return;
    this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (this.pointers.size === 1) Object.assign(this.touch, { moved: 0, start: e.target });
    try {
      this.svg.setPointerCapture(e.pointerId);
    } catch {
      /* the pointer is gone already */
    }
    this.node.classList.add("drag");
  }
  onMove(e) {
    if (this.tool?.move?.(e)) return;
    const old = this.pointers.get(e.pointerId);
    if (!old) return;
    const now = [e.clientX, e.clientY];
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)?.[1];
    if (other) this.pinch(old, now, other);
    else {
      this.touch.moved += Math.hypot(now[0] - old[0], now[1] - old[1]);
      if (this.touch.moved > STILL_PX) {
        this.pan(old[0] - now[0], old[1] - now[1]);
        this.apply();
      }
    }
    this.pointers.set(e.pointerId, now);
  }
  pinch(old, now, other) {
    const before = Math.hypot(old[0] - other[0], old[1] - other[1]),
      after = Math.hypot(now[0] - other[0], now[1] - other[1]);
    this.pan((old[0] - now[0]) / 2, (old[1] - now[1]) / 2);
    if (before > 5)
      this.zoom(
        after / before,
        this.toPhoto((now[0] + other[0]) / 2, (now[1] + other[1]) / 2),
      );
    this.touch.moved = 99;
  }
  onUp(e) {
    if (this.tool?.up?.(e)) return;
    if (!this.pointers.delete(e.pointerId)) return;
    if (!this.pointers.size) this.node.classList.remove("drag");
    if (e.type === "pointercancel" || this.touch.moved > STILL_PX) return;
    const at = this.toPhoto(e.clientX, e.clientY);
    if (this.tool?.tap?.(at, this.touch.start)) return;
    if (e.timeStamp - this.touch.lastTap < DOUBLE_TAP_MS) {
      this.view.k > 1.3 ? this.fit() : this.zoom(3, at);
      this.touch.lastTap = 0;
      return;
    }
    this.touch.lastTap = e.timeStamp;
    this.tapped(this.touch.start);
  }
  onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (this.tool?.key?.(e)) {
      e.preventDefault();
      e.stopPropagation();
      return;
    }
    const go = (dx, dy) => () => {
      this.pan(dx * KEY_STEP_PX, dy * KEY_STEP_PX);
      this.apply();
    };
    const act = {
      "+": () => this.zoom(1.3),
      "=": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      0: () => this.fit(),
      ArrowLeft: go(-1, 0),
      ArrowRight: go(1, 0),
      ArrowUp: go(0, -1),
      ArrowDown: go(0, 1),
    }[e.key];
    if (act) {
      act();
      e.preventDefault();
    }
  }
}

// Correcting by hand: drag, turn, nudge, add, take away, outline a thing.
import { h, s } from "../lib/dom.js";
import { isInside, poly } from "../lib/geometry.js";
import { makeCamera, onPiece, pieceOutline } from "./camera.js";

const NUDGE_MS = 400; // a held key repeats ten times as often

export class Editor {
  constructor(stage, { send, onSelect }) {
    Object.assign(this, { stage, send, onSelect });
    this.on = false;
    this.loupe = null;
    this.pending = 0; // changes that the server has not answered yet
    this.nudging = null; // the timer of nudges that were not sent yet
  }
  load(round) {
    this.round = round;
    this.camera = makeCamera(round.camera);
    if (this.on) {
      if (!round.laid.some((c) => c.id === this.id)) this.id = null;
      this.drawHandles(this.nudging && this.wanted.id === this.id ? this.wanted.pose : undefined);
    }
  }
  start() {
    this.on = true;
    this.stage.tool = this;
    this.stage.onScale = () => this.on && this.drawHandles(this.drag?.now);
    this.drawHandles();
  }
  stop() {
    this.flush();
    this.on = false;
    this.id = null;
    this.points = null;
    this.placing = null;
    this.stage.tool = null;
    this.stage.layers.tools.replaceChildren();
    this.hideLoupe();
  }
  // Whether what it shows is not the server's to change just now.
  get isHeld() {
    return Boolean(this.drag || this.pending || this.nudging || this.points);
  }
  get card() {
    return this.round.laid.find((c) => c.id === this.id);
  }
  choose(id) {
    this.flush();
    this.id = id;
    this.points = null;
    this.drawHandles();
    this.onSelect?.(id);
  }
  drawHandles(pose) {
    const tools = this.stage.layers.tools,
      k = this.stage.scale;
    if (this.points) {
      tools.replaceChildren(
        this.points.length > 1 ? s("polygon.draft", { points: poly(this.points) }) : "",
        ...this.points.map((p) => s("circle.handle", { cx: p[0], cy: p[1], r: 7 / k })),
        this.cross(),
      );
      return;
    }
    const card = this.card;
    if (!card) {
      tools.replaceChildren(this.placing ? this.cross() : "");
      return;
    }
    const p = pose || card,
      [w, hh] = card.size_mm;
    const outline = pieceOutline(this.camera, [w, hh], p);
    const mid = this.camera.toPhoto([p.x_mm, p.y_mm]);
    const { top, knob } = this.knobOf(p, [w, hh], mid);
    tools.replaceChildren(
      s("polygon.draft", { points: poly(outline), "data-grab": "move" }),
      s("line.handle-line", { x1: top[0], y1: top[1], x2: knob[0], y2: knob[1] }),
      s("circle.handle", { cx: knob[0], cy: knob[1], r: 15 / k, "data-grab": "turn" }),
      s("circle.handle", { cx: mid[0], cy: mid[1], r: 5 / k, "pointer-events": "none" }),
    );
    this.outline = outline;
  }
  // Where the handle is that turns a piece: beyond the first of its sides where it is on no neighbour
  // and in sight; beyond its top if there is none.
  knobOf(pose, [w, hh], mid) {
    const k = this.stage.scale,
      [width, height] = this.stage.size;
    const others = [...this.round.pieces.values()].filter(
      ({ id, kind, outline_px: o }) => id !== this.id && kind !== "board" && o.length,
    );
    const places = [[0, -hh / 2], [w / 2, 0], [0, hh / 2], [-w / 2, 0]].map((side) => {
      const top = this.camera.toPhoto(onPiece(pose, side));
      const d = Math.hypot(top[0] - mid[0], top[1] - mid[1]) || 1;
      const reach = 1 + 34 / k / d;
      return { top, knob: [0, 1].map((i) => mid[i] + (top[i] - mid[i]) * reach) };
    });
    const isFree = ({ knob: [x, y] }) =>
      x > 0 && y > 0 && x < width && y < height &&
      !others.some(({ outline_px: o }) =>
        [[0, 0], [12, 0], [-12, 0], [0, 12], [0, -12]].some(([dx, dy]) =>
          isInside([x + dx / k, y + dy / k], o),
        ),
      );
    return places.find(isFree) ?? places[0];
  }
  cross() {
    // where a corner goes by key
    const [x, y] = this.aim,
      r = 14 / this.stage.scale;
    return s("path.aim", { d: `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}` });
  }
  // --- pointer ---
  down(e) {
    const grab = e.target.dataset?.grab;
    if (!grab || !this.card) return false;
    const c = this.card;
    const at = this.stage.toPhoto(e.clientX, e.clientY);
    const mm = this.camera.toTable(at);
    this.drag = {
      grab,
      id: e.pointerId,
      from: mm,
      pose: { x_mm: c.x_mm, y_mm: c.y_mm, theta_deg: c.theta_deg },
      angle: Math.atan2(mm[1] - c.y_mm, mm[0] - c.x_mm),
    };
    try {
      this.stage.svg.setPointerCapture(e.pointerId);
    } catch {
      /* gone */
    }
    e.preventDefault();
    return true;
  }
  move(e) {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return false;
    const at = this.stage.toPhoto(e.clientX, e.clientY),
      mm = this.camera.toTable(at);
    d.now =
      d.grab === "move"
        ? {
            ...d.pose,
            x_mm: d.pose.x_mm + mm[0] - d.from[0],
            y_mm: d.pose.y_mm + mm[1] - d.from[1],
          }
        : {
            ...d.pose,
            theta_deg:
              d.pose.theta_deg +
              ((Math.atan2(mm[1] - d.pose.y_mm, mm[0] - d.pose.x_mm) - d.angle) * 180) / Math.PI,
          };
    this.drawHandles(d.now);
    this.showLoupe(e, at);
    return true;
  }
  up(e) {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return false;
    this.drag = null;
    this.hideLoupe();
    if (d.now && e.type !== "pointercancel") this.place(d.now);
    else this.drawHandles();
    return true;
  }
  tap(at, target) {
    if (this.points) {
      this.points.push(at);
      this.drawHandles();
      this.onSelect?.(this.id);
      return true;
    }
    if (this.placing) {
      this.put(at);
      return true;
    }
    const id = target?.closest?.("g.card")?.dataset.id ?? this.beneath(at, target);
    if (id && this.round.laid.some((c) => c.id === id)) {
      this.choose(id);
      this.stage.svg.focus({ preventScroll: true }); // the piece is drawn anew, the keys stay
      return true;
    }
    if (target?.dataset?.grab) return true;
    return false;
  }
  // The piece under a path that was tapped: here pieces are meant.
  beneath(at, target) {
    if (!target?.closest?.("g.event")) return null;
    const pieces = this.round.laid.map(({ id }) => this.round.pieces.get(id)).filter(Boolean);
    return pieces.findLast(({ outline_px }) => isInside(at, outline_px))?.id ?? null;
  }
  key(e) {
    if (this.points) return this.outlineKey(e);
    if (this.placing) return this.placeKey(e);
    const c = this.card;
    if (!c) return false;
    const part = e.shiftKey && c.step_mm === 1 ? 0.2 : 1, // a board has nothing finer
      step = c.step_mm * part,
      turn = c.turn_deg * part;
    const pose = { ...this.pose };
    const act = {
      ArrowLeft: () => (pose.x_mm -= step),
      ArrowRight: () => (pose.x_mm += step),
      ArrowUp: () => (pose.y_mm -= step),
      ArrowDown: () => (pose.y_mm += step),
      "[": () => (pose.theta_deg -= turn),
      "]": () => (pose.theta_deg += turn),
    }[e.key];
    if (e.key === "Delete" || e.key === "Backspace") {
      this.remove();
      return true;
    }
    if (e.key === "Escape") {
      this.choose(null);
      return true;
    }
    if (!act) return false;
    act();
    this.nudge(pose);
    return true;
  }
  // Keys come quicker than answers: what they add up to is sent once they rest, as one change.
  nudge(pose) {
    this.wanted = { id: this.id, pose };
    this.drawHandles(pose);
    clearTimeout(this.nudging);
    this.nudging = setTimeout(() => this.flush(), NUDGE_MS);
  }
  flush() {
    if (!this.nudging) return;
    clearTimeout(this.nudging);
    this.nudging = null;
    this.place(this.wanted.pose, this.wanted.id);
  }
  outlineKey({ key, shiftKey }) {
    const act = {
      Enter: () => this.points.push(this.aim),
      Backspace: () => this.points.pop(),
      Escape: () => (this.points = null),
    }[key];
    if (act) act();
    else if (!this.stepAim(key, shiftKey)) return false;
    this.drawHandles();
    this.onSelect?.(this.id);
    return true;
  }
  stepAim(key, isFine) {
    const step = (isFine ? 4 : 20) / this.stage.scale;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const [dx, dy] = ways[key] || [];
    if (dx === undefined) return false;
    this.moveAim(dx * step, dy * step);
    return true;
  }
  moveAim(dx, dy) {
    const { view, size } = this.stage;
    this.aim = [this.aim[0] + dx, this.aim[1] + dy].map((v, i) =>
      Math.min(Math.max(v, 0), size[i]),
    );
    if (view.k > 1) Object.assign(view, { x: this.aim[0], y: this.aim[1] }); // it stays in sight
    this.stage.apply();
  }
  showLoupe(e, at) {
    const b = this.stage.node.getBoundingClientRect();
    if (!this.loupe) {
      this.loupe = h("div.loupe", { "aria-hidden": "true" });
      this.stage.node.append(this.loupe);
    }
    this.loupe.classList.toggle(
      "right",
      e.clientX - b.left < b.width / 2 && e.clientY - b.top > b.height / 2,
    );
    this.loupe.replaceChildren(
      this.stage.closeup(this.corner(at), 132 / (this.stage.scale * 3), [
        s("polygon.draft.bare", { points: poly(this.outline) }),
      ]),
    );
  }
  corner(at) {
    // a card is laid by its corners: the one nearest to the finger is shown
    const far = (p) => Math.hypot(p[0] - at[0], p[1] - at[1]);
    const step = this.outline.length / 4;
    return [0, 1, 2, 3].map((i) => this.outline[i * step]).sort((a, b) => far(a) - far(b))[0];
  }
  hideLoupe() {
    this.loupe?.remove();
    this.loupe = null;
  }
  // --- changes ---
  wrap(a) {
    const x = (((a % 360) + 540) % 360) - 180;
    return x === -180 ? 180 : x;
  }
  async place({ x_mm, y_mm, theta_deg }, id = this.id) {
    const pose = { x_mm, y_mm, theta_deg: this.wrap(theta_deg) };
    this.wanted = { id, pose };
    this.pending++;
    try {
      return await this.send({ kind: "move", [this.round.named]: id, ...pose });
    } finally {
      this.pending--;
    }
  }
  // Where the chosen piece lies, or shall lie once the server has what was sent: keys are quicker.
  get pose() {
    if ((this.pending || this.nudging) && this.wanted.id === this.id) return this.wanted.pose;
    const { x_mm, y_mm, theta_deg } = this.card;
    return { x_mm, y_mm, theta_deg };
  }
  turn(deg) {
    if (this.card) this.place({ ...this.pose, theta_deg: this.pose.theta_deg + deg });
  }
  // Say that the chosen piece is as it was read.
  confirm() {
    return this.place(this.pose);
  }
  async remove() {
    this.flush();
    const id = this.id;
    this.id = null;
    await this.send({ kind: "remove", id });
    this.onSelect?.(null);
  }
  finishOutline() {
    const outline = this.points.map((p) => this.camera.toTable(p));
    this.points = null;
    this.drawHandles();
    let n = 1;
    while (this.round.objects.some((o) => o.id === "object-" + n)) n++;
    return this.send({ kind: "object", id: "object-" + n, outline_mm: outline });
  }
  cornerBack() {
    this.points.pop();
    this.drawHandles();
    this.onSelect?.(this.id);
  }
  dropOutline() {
    this.points = null;
    this.drawHandles();
    this.onSelect?.(this.id);
  }
  outlineMode() {
    this.id = null;
    this.points = [];
    this.aim = [this.stage.view.x, this.stage.view.y];
    this.drawHandles();
    this.onSelect?.(null);
    this.stage.svg.focus({ preventScroll: true });
  }
  // Say what the chosen card is.
  async identify(identity) {
    const old = this.id;
    const isTaken = await this.send({ kind: "identify", [this.round.named]: old, identity });
    this.choose(isTaken && this.round.laid.some(({ id }) => id === identity) ? identity : old);
  }
  // Lay a card where we look; a piece of a board where one taps then.
  async add(id) {
    const { x, y } = this.stage.view;
    if (this.round.named === "card") return this.lay(id, [x, y]);
    Object.assign(this, { placing: id, aim: [x, y] });
    this.choose(null);
    this.stage.fit(); // one may tap anywhere, whatever was looked at before
    return this.stage.svg.focus({ preventScroll: true });
  }
  async put(at) {
    const id = this.placing;
    if (await this.lay(id, at)) this.stopPlacing();
  }
  async lay(id, at) {
    const [x_mm, y_mm] = this.camera.toTable(at);
    const change = { kind: "add", [this.round.named]: id, x_mm, y_mm, theta_deg: 0 };
    const before = new Set(this.round.laid.map((piece) => piece.id));
    const isTaken = await this.send(change);
    if (isTaken) this.choose(this.round.laid.find((piece) => !before.has(piece.id))?.id ?? id);
    return isTaken;
  }
  stopPlacing() {
    this.placing = null;
    this.drawHandles();
    this.onSelect?.(this.id);
  }
  placeKey({ key, shiftKey }) {
    if (key === "Escape") this.stopPlacing();
    else if (key === "Enter") this.put(this.aim);
    else if (!this.stepAim(key, shiftKey)) return false;
    this.drawHandles();
    return true;
  }
}

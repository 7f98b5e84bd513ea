// An order by taps on the photo: from choice to choice, each as the server offers it.
import { s } from "../lib/dom.js";
import { centre, poly } from "../lib/geometry.js";
import { drawPath, drawn, pathNode } from "./marks.js";

const REACH_PX = 34, // a finger on the screen
  OFFER_PX = 11,
  OFFER_SHARE = 0.25, // of the way to the next, where the photo is small
  SAME_PX = 2; // choices at one place of the photo
const far = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

export class Taps {
  // choices(party, so_far) and read(party, order) ask the server, the one for the choices and what
  // is heard of orders given before; onChange: something else shows
  // onTrail is told each way of choices as it is tapped, before anybody is asked.
  constructor(stage, { choices, read, onChange, onTrail = () => {} }) {
    Object.assign(this, { stage, ask: choices, readOrder: read, onChange, onTrail });
    this.stop();
  }
  stop() {
    Object.assign(this, { party: null, trail: [], offered: [] });
    this.base = { trail: [], offered: [] }; // to where one goes back by tapping another piece
    Object.assign(this, { narrowed: null, order: null, heard: [] });
    if (this.stage.tool === this) this.stage.tool = null;
    this.stage.layers.tools.replaceChildren();
  }
  // trail: what was tapped before, on this device.
  async begin(party, trail) {
    this.stop();
    this.party = party;
    this.stage.tool = this;
    this.stage.onScale = () => this.party && this.draw();
    await this.go([]);
    if (Array.isArray(trail) && trail.length) await this.go(trail);
  }
  get filled() {
    return this.order?.order ?? (this.trail.at(-1)?.whole ? this.trail.at(-1).text : null);
  }
  get isEmpty() {
    return this.filled === null;
  }
  // Ask once more what the server could not be asked before.
  async again() {
    if (this.isUnasked) await this.go(this.trail);
  }
  // Show a way of choices: what its order says, if it may end there, and what may follow.
  go(trail) {
    if (trail.length || this.trail.length) this.onTrail(trail);
    this.pending = this.follow(trail).catch((error) => {
      this.isUnasked = true; // what was tapped stays
      Object.assign(this, { trail, order: null, offered: [] });
      this.draw();
      this.onChange();
      throw error;
    });
    return this.pending;
  }
  // The order that was tapped last, once the server has said what it is: fingers are quicker.
  async settled() {
    await this.pending;
    return this.order;
  }
  async follow(trail) {
    const { party } = this,
      last = trail.at(-1);
    const [order, { choices: offered, heard }] = await Promise.all([
      last?.whole ? this.readOrder(party, last.text) : null,
      !last || last.goes_on ? this.ask(party, last?.text ?? "") : { choices: [] },
    ]);
    if (this.party !== party) return; // another one orders now
    this.isUnasked = false;
    if (!trail.length || order?.goes_on) this.base = { trail, offered };
    Object.assign(this, { trail, order, offered, heard: heard ?? this.heard, narrowed: null });
    this.draw();
    this.onChange();
  }
  choose(choice) {
    return this.go([...this.trail, choice]);
  }
  back() {
    return this.go(this.trail.slice(0, -1));
  }
  // What was typed instead of tapped; one may go on by taps where the order may.
  async type(text) {
    const order = await this.readOrder(this.party, text);
    const whole = { text: order.order, whole: true, goes_on: true, marks: order.marks };
    const goesOn = order.goes_on && order.order !== null;
    this.onTrail(order.order === null ? [] : [{ ...whole, goes_on: goesOn }]);
    Object.assign(this, { trail: goesOn ? [whole] : [], order, narrowed: null });
    this.offered = (await this.ask(this.party, goesOn ? whole.text : "")).choices;
    this.base = { trail: this.trail, offered: this.offered };
    this.draw();
    this.onChange();
  }
  // --- on the photo ---
  placeOf({ at_px, piece }) {
    const outline = piece && this.stage.round.pieces.get(piece)?.outline_px;
    return at_px || (outline?.length ? centre(outline) : null);
  }
  near(among, at) {
    const placed = among
      .map((choice) => [choice, this.placeOf(choice)])
      .filter(([, place]) => place)
      .map(([choice, place]) => [choice, far(place, at)]);
    const least = Math.min(...placed.map(([, d]) => d)),
      reach = Math.min(REACH_PX / this.stage.scale, least + SAME_PX);
    return placed.filter(([, d]) => d <= reach).map(([choice]) => choice);
  }
  tap(at) {
    const found = this.near(this.offered, at);
    const [anew] = this.near(this.base.offered, at); // another piece than the one chosen
    if (found.length === 1) this.choose(found[0]);
    else if (!found.length && anew) this.go([...this.base.trail, anew]);
    else {
      this.narrowed = found.length ? found : null;
      this.onChange();
    }
    return true;
  }
  key(e) {
    if (e.key !== "Backspace" || !this.trail.length) return false;
    this.back();
    return true;
  }
  draw() {
    const { tools } = this.stage.layers,
      k = this.stage.scale;
    const lines = (marks, kind) =>
      marks
        .filter((mark) => mark.kind === "path")
        .map((mark) => s("g.event." + kind, {}, drawPath(pathNode(mark), mark)));
    const chosen = this.order?.marks ?? this.trail.at(-1)?.marks ?? [];
    const first = this.trail.findLast(({ piece }) => piece);
    const places = this.offered.map((choice) => choice.at_px).filter(Boolean);
    const spots = places.filter((at, i) => !places.slice(0, i).some((b) => far(at, b) < SAME_PX));
    const gaps = spots.flatMap((a, i) => spots.slice(0, i).map((b) => far(a, b)));
    const r = Math.min(OFFER_PX / k, ...gaps.map((gap) => gap * OFFER_SHARE));
    const rings = spots.map(([cx, cy]) => s("circle.offer", { cx, cy, r }));
    tools.replaceChildren(
      ...this.edge(first, "chosen"),
      ...this.offered.flatMap((choice) => this.edge(choice, "offer")),
      ...lines(chosen, "chosen"),
      ...drawn({ marks: chosen }).filter(Boolean),
      ...rings,
    );
  }
  edge(choice, kind) {
    const outline = choice?.piece && this.stage.round.pieces.get(choice.piece)?.outline_px;
    return outline?.length ? [s("polygon.piece-" + kind, { points: poly(outline) })] : [];
  }
}

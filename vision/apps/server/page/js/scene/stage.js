// The photo with the round drawn over it, in its own perspective; tapped, it tells what was meant.
import { s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { cornersOf, poly } from "../lib/geometry.js";
import { sideStyle } from "../lib/names.js";
import { cardsOf, doubts, pathsOf, thingsOf } from "../lib/round.js";
import { farTimes } from "../lib/television.js";
import { ghost, places } from "./ghosts.js";
import { doubtTag, drawPath, drawn, harmPips, pathNode, pieceTag, scaleUpright, signs, times } from "./marks.js";
import { View } from "./view.js";

// A card may be cut round; what is played is the whole rectangle.
const squareCorners = ({ kind, outline_px: o }) =>
  kind === "card" && o.length >= 4 && o.length % 4 === 0
    ? s(
        "g.corners",
        { "pointer-events": "none" },
        cornersOf(o).flatMap((points) => [
          s("polyline.under", { points: poly(points) }),
          s("polyline", { points: poly(points) }),
        ]),
      )
    : null;
const BOARD_SHARE = 0.96; // of the room: its edge shows

const CORNER_SHARE = 0.5, // of a board: how much of it a player needs round his own pieces
  CORNER_MARGIN = 1.3;
const isOnBoard = ({ kind, outline_px: outline }) =>
  !["board", "sheet"].includes(kind) && outline.length;

export class Stage extends View {
  constructor({ photoUrl, onPiece, onEvent, onEmpty }) {
    super(photoUrl, ["heat", "things", "pieces", "events", "tags", "ghosts", "marks", "tools"]);
    Object.assign(this, { onPiece, onEvent, onEmpty });
  }
  tapped(target) {
    const piece = target?.closest?.("g.card"),
      event = target?.closest?.("g.event");
    if (event) this.onEvent?.(Number(event.dataset.event));
    else if (piece) this.onPiece?.(piece.dataset.id);
    else this.onEmpty?.();
  }
  show(round) {
    const first = !this.round;
    this.round = round;
    this.markKey = this.movedKey = null;
    this.place([round.photo.width_px, round.photo.height_px]);
    this.svg.setAttribute("aria-label", t("stage.label", { n: cardsOf(round).length }));
    this.drawPieces();
    this.drawPaths();
    if (first) this.fit();
    else this.apply();
  }
  // Look at the board, if there is one: on a phone its places are small enough to be tapped.
  lookAtBoard() {
    const board = this.round.ledger.pieces.find(({ kind }) => kind === "board")?.outline_px;
    if (!board?.length) return;
    const [[left, right], [top, bottom]] = this.bounds(board);
    const [bw, bh] = this.box();
    const scale = Math.min(bw / (right - left || 1), bh / (bottom - top || 1)) * BOARD_SHARE;
    const k = Math.max(scale / this.base(), 1);
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, k };
    this.apply();
  }
  bounds(points) {
    return [0, 1].map((i) => {
      const all = points.map((p) => Math.min(Math.max(p[i], 0), this.size[i]));
      return [Math.min(...all), Math.max(...all)];
    });
  }
  // Look at the part of the board where a side's own pieces are; the whole of it where that is most.
  lookAtCorner(side) {
    const { pieces } = this.round.ledger;
    const board = pieces.find(({ kind }) => kind === "board")?.outline_px;
    const own = pieces.filter((one) => side && one.side === side && isOnBoard(one));
    if (!board?.length || !own.length) return;
    const long = (ends) => Math.max(...ends.map(([a, b]) => b - a));
    const at = this.bounds(own.flatMap((one) => one.outline_px));
    const whole = this.bounds(board);
    const span = Math.max(long(at) * CORNER_MARGIN, long(whole) * CORNER_SHARE);
    if (span > long(whole) * 0.9) return;
    // What lies beyond the board's edge is of no use: the middle moves inwards.
    const middle = at.map(([a, b], i) => {
      const [low, high] = whole[i],
        half = Math.min(span, high - low) / 2;
      return Math.min(Math.max((a + b) / 2, low + half), high - half);
    });
    this.lookAt(middle, span);
  }
  drawPieces() {
    const seen = cardsOf(this.round).filter((piece) => piece.outline_px.length);
    this.layers.things.replaceChildren(
      ...thingsOf(this.round).map((o) => s("polygon.ov-object", { points: poly(o.outline_px) })),
    );
    this.pieceNodes = new Map(seen.map((piece) => [piece.id, this.piece(piece)]));
    this.layers.pieces.replaceChildren(...this.pieceNodes.values());
    this.harms = new Map();
    const isDrawn = (id) => this.pieceNodes.has(id);
    const beside = doubts(this.round).filter(({ cards, at_px: at }) => at && !cards.some(isDrawn));
    this.layers.tags.replaceChildren(...seen.map(pieceTag).filter(Boolean), ...beside.map(doubtTag));
  }
  piece(piece) {
    const { id, title, side, outline_px: o } = piece, q = Math.floor(o.length / 4),
      points = poly(o),
      isDoubtful = this.round.doubtful.has(id);
    const node = s(
      isDoubtful ? "g.card.doubt" : "g.card",
      { "data-id": id, role: "button", tabindex: "-1", "aria-label": title },
      s("polygon.ov-case", { points }),
      s("polygon.ov-card", { points, stroke: sideStyle(side).colour }),
      isDoubtful && s("polygon.ov-doubt", { points }),
      squareCorners(piece),
      s("g.crosses"),
    );
    node.cross = [
      [o[0], o[2 * q]],
      [o[q], o[3 * q]],
    ];
    return node;
  }
  drawPaths() {
    this.paths = new Map();
    for (const event of this.round.events) {
      const marks = pathsOf(event);
      if (!marks.length) continue;
      const ways = marks.map((mark) => [pathNode(mark, event), mark]);
      const node = s(
        "g.event",
        { "data-event": event.index },
        ways.map(([way]) => way),
      );
      this.paths.set(event.index, Object.assign(node, { ways }));
    }
    this.layers.events.replaceChildren(...[...this.paths.values()].reverse());
  }
  scaleTags() {
    const k = this.scale || 1;
    for (const layer of [this.layers.tags, this.layers.ghosts, this.layers.marks])
      for (const node of layer.children) if (node.place) scaleUpright(node, k, farTimes());
    this.onScale?.(k);
  }
  // What is seen of the paths of each event (0..1), who is out, what came of events: by the replay.
  paint(frame) {
    const { shares, out, marked, faint, step, lit, states } = frame;
    for (const [i, node] of this.paths) {
      const share = shares[i];
      node.style.display = share > 0 ? "" : "none";
      node.classList.toggle("faint", faint.has(i));
      if (share > 0 && node.share !== share) {
        for (const [way, mark] of node.ways) drawPath(way, mark, share);
        node.share = share;
      }
    }
    const moved = places(this.round.events, shares, step);
    for (const [id, node] of this.pieceNodes) {
      this.cross(node, out.has(id) && !moved.has(id));
      node.classList.toggle("left", moved.has(id));
      node.classList.toggle("lit", lit.has(id));
      this.showHarm(id, out.has(id) ? 0 : (states.get(id)?.harm ?? 0));
    }
    this.showMoved(moved, out);
    const key = marked.join();
    if (key === this.markKey) return;
    this.markKey = key;
    const events = marked.map((i) => this.round.events[i]);
    const nodes = events.flatMap((event) => [
      ...drawn(event),
      ...times(event),
      ...signs(event, this.round),
    ]);
    this.layers.marks.replaceChildren(...nodes.filter(Boolean));
    this.scaleTags();
  }
  showHarm(id, harm) {
    const node = this.pieceNodes.get(id);
    if (node.harm === harm) return;
    node.harm = harm;
    this.harms.get(id)?.remove();
    const pips = harmPips(this.round.pieces.get(id), harm);
    if (!pips) return;
    this.harms.set(id, pips);
    this.layers.tags.append(pips);
    scaleUpright(pips, this.scale || 1, farTimes());
  }
  showMoved(moved, out) {
    const key = [...moved].map(([id, [x, y]]) => `${id} ${x} ${y} ${out.has(id)}`).join();
    if (key === this.movedKey) return;
    this.movedKey = key;
    const nodes = [...moved].flatMap(([id, at]) => ghost(this.round.pieces.get(id), at, out.has(id)));
    this.layers.ghosts.replaceChildren(...nodes);
    this.scaleTags();
  }
  cross(node, isOut) {
    if (node.classList.contains("dead") === isOut) return;
    node.classList.toggle("dead", isOut);
    const line = ([a, b], kind) =>
      s("line.ov-cross" + kind, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] });
    node.lastChild.replaceChildren(
      ...(isOut ? node.cross.flatMap((ends) => [".c", ""].map((kind) => line(ends, kind))) : []),
    );
  }
  select({ pieces = [], events = [] }) {
    for (const [id, node] of this.pieceNodes) node.classList.toggle("on", pieces.includes(id));
    for (const [i, node] of this.paths) {
      node.classList.toggle("on", events.includes(i));
      node.classList.toggle("faint", events.length > 0 && !events.includes(i));
    }
  }
  // A small picture of one place.
  closeup([x, y], span, extra = []) {
    const [width, height] = this.size;
    const edge = (piece) => [
      s("polygon", {
        points: poly(piece.outline_px),
        fill: "none",
        stroke: sideStyle(piece.side).colour,
        "stroke-width": 1.5,
        "vector-effect": "non-scaling-stroke",
      }),
      squareCorners(piece),
    ];
    return s(
      "svg",
      {
        viewBox: `${x - span / 2} ${y - span / 2} ${span} ${span}`,
        "aria-hidden": "true",
        preserveAspectRatio: "xMidYMid slice",
      },
      s("image", {
        href: this.photoUrl,
        x: -0.5,
        y: -0.5,
        width,
        height,
        preserveAspectRatio: "none",
      }),
      cardsOf(this.round).map(edge),
      extra,
    );
  }
}

// The photo with everything drawn over it, in its own perspective; tapped, it tells what was meant.
import { s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { poly, centre, spread, cut } from "../lib/geometry.js";
import { cardName, teamStyle } from "../lib/names.js";
import { View } from "./view.js";

const BURST = "M0-11 3-5 9-8 6-2 11 1 5 4 6 10 0 6-6 10-5 4-11 1-6-2-9-8-3-5z";

export class Stage extends View {
  constructor({ photoUrl, onCard, onShot, onEmpty }) {
    super(photoUrl, ["objects", "cards", "shots", "tags", "marks", "tools"]);
    Object.assign(this, { onCard, onShot, onEmpty });
  }
  tapped(target) {
    const card = target?.closest?.("g.card"),
      shot = target?.closest?.("g.shot");
    if (shot) this.onShot?.(Number(shot.dataset.shot));
    else if (card) this.onCard?.(card.dataset.id);
    else this.onEmpty?.();
  }
  show(round) {
    const first = !this.round;
    this.round = round;
    this.place([round.photo.width_px, round.photo.height_px]);
    this.svg.setAttribute("aria-label", t("stage.label", { n: round.cards.length }));
    this.drawCards();
    this.drawShots();
    if (first) this.fit();
    else this.apply();
  }
  drawCards() {
    const { objects, cards } = this.round;
    this.layers.objects.replaceChildren(
      ...objects.map((o) => s("polygon.ov-object", { points: poly(o.outline_px) })),
    );
    const seen = cards.filter((c) => c.outline_px.length);
    this.cardNodes = new Map(seen.map((c) => [c.id, this.card(c)]));
    this.layers.cards.replaceChildren(...this.cardNodes.values());
    this.layers.tags.replaceChildren(...seen.map((c) => this.cardTag(c)).filter(Boolean));
  }
  card(c) {
    const o = c.outline_px,
      q = o.length / 4;
    const node = s(
      c.doubtful ? "g.card.doubt" : "g.card",
      { "data-id": c.id, role: "button", tabindex: "-1", "aria-label": cardName(c.id) },
      s("polygon.ov-case", { points: poly(o) }),
      s("polygon.ov-card", { points: poly(o), stroke: teamStyle(c.team).colour }),
      c.doubtful && s("polygon.ov-doubt", { points: poly(o) }),
      s("g.crosses"),
    );
    node.cross = [
      [o[0], o[2 * q]],
      [o[q], o[3 * q]],
    ];
    return node;
  }
  cardTag(c) {
    if (c.kind === "asteroid") return null;
    const look = teamStyle(c.team);
    const edge = { stroke: "#0d1117", "stroke-width": 2 };
    const [plate, words] =
      c.kind === "ship"
        ? [s("path", { d: look.shape, fill: look.colour, ...edge }), String(c.speed)]
        : [s("circle", { r: 9, fill: "#4b5567", ...edge }), "?"];
    const size = spread(c.outline_px) * 0.28;
    return this.tag("tag", centre(c.outline_px), size, plate, s("text", {}, words));
  }
  // Something upright at a place, of its own size on the screen, but at most so large on the photo.
  tag(kind, at, most, ...children) {
    const node = s("g." + kind.split(" ").join("."), { "pointer-events": "none" }, ...children);
    node.place = [...at, most];
    return node;
  }
  scaleTags() {
    const k = this.scale || 1;
    for (const layer of [this.layers.tags, this.layers.marks])
      for (const node of layer.children) {
        const [x, y, most] = node.place;
        const size = Math.min(1.05 / k, most / 10);
        node.setAttribute("transform", `translate(${x} ${y}) scale(${size})`);
      }
    this.onScale?.(k);
  }
  drawShots() {
    this.shotNodes = this.round.shots.map((shot, i) => {
      const lines = [shot.contested && "fence", "b0", "b1", shot.power > 1 && "b2", "grab"]
        .filter(Boolean)
        .map((c) => s("polyline." + c));
      const node = s(
        `g.shot.p${Math.min(shot.power, 3)}${shot.hit ? "" : ".space"}`,
        { "data-shot": i },
        lines,
      );
      return node;
    });
    this.layers.shots.replaceChildren(...[...this.shotNodes].reverse());
  }
  // What is seen of each shot (0..1), who is dead, what the hits did: set by the replay.
  paint({ shares, dead, marks, faint }) {
    const r = this.round;
    r.shots.forEach((shot, i) => {
      const node = this.shotNodes[i],
        share = shares[i];
      node.style.display = share > 0 ? "" : "none";
      node.classList.toggle("faint", Boolean(faint && faint.has(i)));
      if (share > 0 && node.share !== share) {
        const pts = poly(cut(shot.path_px, share));
        for (const line of node.children) line.setAttribute("points", pts);
        node.share = share;
      }
    });
    for (const [id, node] of this.cardNodes) this.cross(node, dead.has(id));
    const key = marks.join();
    if (key !== this.markKey) {
      this.markKey = key;
      this.layers.marks.replaceChildren(...marks.map((i) => this.mark(r.shots[i])).filter(Boolean));
      this.scaleTags();
    }
  }
  cross(node, isDead) {
    if (node.classList.contains("dead") === isDead) return;
    node.classList.toggle("dead", isDead);
    const line = ([a, b], kind) =>
      s("line.ov-cross" + kind, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] });
    node.lastChild.replaceChildren(
      ...(isDead ? node.cross.flatMap((ends) => [".c", ""].map((kind) => line(ends, kind))) : []),
    );
  }
  mark(shot) {
    if (!shot.hit || !shot.reaches || !shot.path_px.length) return null;
    const card = this.round.cards.find((c) => c.id === shot.hit.card);
    const size = card && card.outline_px.length ? spread(card.outline_px) * 0.2 : 1e9;
    const [d, fill, width, words] = shot.hit.shielded
      ? ["M0-10 8-7V0C8 5 4 8 0 10-4 8-8 5-8 0V-7z", "#59e0ff", 2, null]
      : !card || card.kind === "asteroid"
        ? ["M-5-9H6L10-2 7 8-2 10-9 4-9-4z", "#e6d7c0", 2, String(shot.power)]
        : [BURST, "#ff8a1f", 1.8, String(shot.power)];
    return this.tag(
      "tag mark",
      shot.path_px.at(-1),
      size,
      s("path", { d, fill, stroke: "#0d1117", "stroke-width": width }),
      words && s("text", {}, words),
    );
  }
  select({ cards = [], shots = [] }) {
    for (const [id, node] of this.cardNodes || []) node.classList.toggle("on", cards.includes(id));
    (this.shotNodes || []).forEach((node, i) => {
      node.classList.toggle("on", shots.includes(i));
      node.classList.toggle("faint", shots.length > 0 && !shots.includes(i));
    });
  }
  closeup(at, span, extra = []) {
    // a small picture of one place
    const [x, y] = at;
    const [w, hh] = this.size;
    const near = this.round.cards.filter((c) => c.outline_px.length);
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
        width: w,
        height: hh,
        preserveAspectRatio: "none",
      }),
      near.map((c) =>
        s("polygon", {
          points: poly(c.outline_px),
          fill: "none",
          stroke: teamStyle(c.team).colour,
          "stroke-width": 1.5,
          "vector-effect": "non-scaling-stroke",
        }),
      ),
      extra,
    );
  }
}

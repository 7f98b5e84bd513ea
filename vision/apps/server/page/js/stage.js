// The photo with everything drawn over it, in its own perspective: zoom, pan, tap.
import { s, h, icon, teamStyle } from "./dom.js";
import { t, cardName } from "./i18n.js";

const poly = (points) => points.map((p) => p.join(",")).join(" ");
export const centre = (points) =>
  points.length
    ? [
        points.reduce((a, p) => a + p[0], 0) / points.length,
        points.reduce((a, p) => a + p[1], 0) / points.length,
      ]
    : [0, 0];
export function cut(points, share) {
  // the first part of a line, by its length
  if (share >= 1 || points.length < 2) return points;
  const steps = points.slice(1).map((p, i) => Math.hypot(p[0] - points[i][0], p[1] - points[i][1]));
  let left = share * steps.reduce((a, b) => a + b, 0);
  const out = [points[0]];
  for (let i = 0; i < steps.length; i++) {
    if (left <= steps[i]) {
      const k = steps[i] ? left / steps[i] : 0;
      out.push([
        points[i][0] + k * (points[i + 1][0] - points[i][0]),
        points[i][1] + k * (points[i + 1][1] - points[i][1]),
      ]);
      break;
    }
    left -= steps[i];
    out.push(points[i + 1]);
  }
  return out;
}
export const spread = (outline) =>
  Math.sqrt(
    Math.abs(
      outline.reduce((a, p, i) => {
        const q = outline[(i + 1) % outline.length];
        return a + p[0] * q[1] - q[0] * p[1];
      }, 0) / 2,
    ),
  );

export class Stage {
  constructor({ photoUrl, onCard, onShot, onEmpty }) {
    Object.assign(this, { photoUrl, onCard, onShot, onEmpty });
    this.image = s("image", { href: photoUrl, preserveAspectRatio: "none" });
    this.layers = Object.fromEntries(
      ["objects", "cards", "shots", "tags", "marks", "tools"].map((n) => [n, s("g." + n)]),
    );
    this.svg = s(
      "svg.photo",
      { tabindex: "0", role: "group", preserveAspectRatio: "xMidYMid meet" },
      this.image,
      ...Object.values(this.layers),
    );
    this.node = h(
      "div.stage",
      {},
      this.svg,
      h(
        "div.zoomers",
        {},
        h(
          "button.glass",
          { "aria-label": t("zoom.in"), onclick: () => this.zoom(1.5) },
          icon("plus"),
        ),
        h(
          "button.glass.out",
          { "aria-label": t("zoom.out"), onclick: () => this.zoom(1 / 1.5) },
          icon("minus"),
        ),
        h(
          "button.glass.fit",
          { "aria-label": t("zoom.fit"), onclick: () => this.fit() },
          icon("fit"),
        ),
      ),
    );
    this.pointers = new Map();
    this.listen();
    this.resizer = new ResizeObserver(() => this.apply());
    this.resizer.observe(this.node);
  }
  show(round) {
    const first = !this.round;
    this.round = round;
    const { width_px: w, height_px: hh } = round.photo;
    this.size = [w, hh];
    for (const [k, v] of Object.entries({ x: -0.5, y: -0.5, width: w, height: hh }))
      this.image.setAttribute(k, v);
    this.svg.setAttribute("aria-label", t("stage.label", { n: round.cards.length }));
    this.drawCards();
    this.drawShots();
    if (first) this.fit();
    else this.apply();
  }
  drawCards() {
    const r = this.round;
    this.cardNodes = new Map();
    const cards = [],
      tags = [];
    this.layers.objects.replaceChildren(
      ...r.objects.map((o) => s("polygon.ov-object", { points: poly(o.outline_px) })),
    );
    for (const c of r.cards) {
      if (!c.outline_px.length) continue;
      const look = teamStyle(c.team),
        o = c.outline_px,
        q = o.length / 4;
      const node = s(
        "g.card",
        { "data-id": c.id, role: "button", tabindex: "-1", "aria-label": cardName(c.id) },
        s("polygon.ov-case", { points: poly(o) }),
        s("polygon.ov-card", { points: poly(o), stroke: look.colour }),
        c.doubtful && s("polygon.ov-doubt", { points: poly(o) }),
        s("g.crosses"),
      );
      if (c.doubtful) node.classList.add("doubt");
      cards.push(node);
      this.cardNodes.set(c.id, node);
      node.cross = [
        [o[0], o[2 * q]],
        [o[q], o[3 * q]],
      ];
      const [x, y] = centre(o);
      const size = spread(o);
      if (c.kind === "ship")
        tags.push(
          this.tag(
            "tag",
            x,
            y,
            size * 0.28,
            s("path", { d: look.shape, fill: look.colour, stroke: "#0d1117", "stroke-width": 2 }),
            s("text", {}, String(c.speed)),
          ),
        );
      else if (c.kind !== "asteroid")
        tags.push(
          this.tag(
            "tag",
            x,
            y,
            size * 0.28,
            s("circle", { r: 9, fill: "#4b5567", stroke: "#0d1117", "stroke-width": 2 }),
            s("text", {}, "?"),
          ),
        );
    }
    this.layers.cards.replaceChildren(...cards);
    this.layers.tags.replaceChildren(...tags);
  }
  tag(kind, x, y, most, ...children) {
    const node = s("g." + kind.split(" ").join("."), { "pointer-events": "none" }, ...children);
    node.place = [x, y, most];
    return node;
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
    for (const [id, node] of this.cardNodes) {
      const is = dead.has(id);
      if (node.classList.contains("dead") !== is) {
        node.classList.toggle("dead", is);
        node.lastChild.replaceChildren(
          ...(is
            ? node.cross.flatMap(([a, b]) =>
                [".c", ""].map((c) =>
                  s("line.ov-cross" + c, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }),
                ),
              )
            : []),
        );
      }
    }
    const key = marks.join();
    if (key !== this.markKey) {
      this.markKey = key;
      this.layers.marks.replaceChildren(...marks.map((i) => this.mark(r.shots[i])).filter(Boolean));
      this.scaleTags();
    }
  }
  mark(shot) {
    if (!shot.hit || !shot.reaches || !shot.path_px.length) return null;
    const [x, y] = shot.path_px.at(-1);
    const card = this.round.cards.find((c) => c.id === shot.hit.card);
    const size = card && card.outline_px.length ? spread(card.outline_px) * 0.2 : 1e9;
    if (shot.hit.shielded)
      return this.tag(
        "tag mark",
        x,
        y,
        size,
        s("path", {
          d: "M0-10 8-7V0C8 5 4 8 0 10-4 8-8 5-8 0V-7z",
          fill: "#59e0ff",
          stroke: "#0d1117",
          "stroke-width": 2,
        }),
      );
    if (!card || card.kind === "asteroid")
      return this.tag(
        "tag mark",
        x,
        y,
        size,
        s("path", {
          d: "M-5-9H6L10-2 7 8-2 10-9 4-9-4z",
          fill: "#e6d7c0",
          stroke: "#0d1117",
          "stroke-width": 2,
        }),
        s("text", {}, String(shot.power)),
      );
    return this.tag(
      "tag mark",
      x,
      y,
      size,
      s("path", {
        d: "M0-11 3-5 9-8 6-2 11 1 5 4 6 10 0 6-6 10-5 4-11 1-6-2-9-8-3-5z",
        fill: "#ff8a1f",
        stroke: "#0d1117",
        "stroke-width": 1.8,
      }),
      s("text", {}, String(shot.power)),
    );
  }
  select({ cards = [], shots = [] }) {
    for (const [id, node] of this.cardNodes || []) node.classList.toggle("on", cards.includes(id));
    (this.shotNodes || []).forEach((node, i) => {
      node.classList.toggle("on", shots.includes(i));
      node.classList.toggle("faint", shots.length > 0 && !shots.includes(i));
    });
  }
  // --- looking ---
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
    v.k = Math.min(Math.max(v.k, 0.8), 30);
    const k = this.scale,
      w = bw / k,
      hh = bh / k;
    const hold = (c, span, size) =>
      span >= size ? size / 2 : Math.min(Math.max(c, span * 0.2), size - span * 0.2);
    v.x = hold(v.x, w, this.size[0]);
    v.y = hold(v.y, hh, this.size[1]);
    this.svg.setAttribute("viewBox", `${v.x - w / 2} ${v.y - hh / 2} ${w} ${hh}`);
    this.node.classList.toggle("near", v.k > 1.01);
    this.scaleTags();
    this.onView?.();
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
    const k = Math.min(Math.max(v.k * factor, 0.8), 30);
    const f = v.k / k;
    v.x = x + (v.x - x) * f;
    v.y = y + (v.y - y) * f;
    v.k = k;
    this.apply();
  }
  lookAt([x, y], span) {
    const [bw, bh] = this.box();
    this.view = { x, y, k: Math.min(bw, bh) / span / this.base() };
    this.apply();
  }
  listen() {
    const svg = this.svg;
    let moved = 0,
      lastTap = 0,
      start = null;
    svg.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        this.zoom(
          Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0016)),
          this.toPhoto(e.clientX, e.clientY),
        );
      },
      { passive: false },
    );
    svg.addEventListener("pointerdown", (e) => {
      if (this.tool?.down?.(e)) return;
      this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
      if (this.pointers.size === 1) {
        moved = 0;
        start = e.target;
      }
      try {
        svg.setPointerCapture(e.pointerId);
      } catch {
        /* the pointer is gone already */
      }
      this.node.classList.add("drag");
    });
    svg.addEventListener("pointermove", (e) => {
      if (this.tool?.move?.(e)) return;
      const old = this.pointers.get(e.pointerId);
      if (!old) return;
      const now = [e.clientX, e.clientY];
      const others = [...this.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      if (others.length) {
        const o = others[0];
        const d0 = Math.hypot(old[0] - o[0], old[1] - o[1]),
          d1 = Math.hypot(now[0] - o[0], now[1] - o[1]);
        const mid = [(now[0] + o[0]) / 2, (now[1] + o[1]) / 2];
        this.view.x -= (now[0] - old[0]) / 2 / this.scale;
        this.view.y -= (now[1] - old[1]) / 2 / this.scale;
        if (d0 > 5) this.zoom(d1 / d0, this.toPhoto(...mid));
        moved = 99;
      } else {
        moved += Math.hypot(now[0] - old[0], now[1] - old[1]);
        if (moved > 6) {
          this.view.x -= (now[0] - old[0]) / this.scale;
          this.view.y -= (now[1] - old[1]) / this.scale;
          this.apply();
        }
      }
      this.pointers.set(e.pointerId, now);
    });
    const end = (e) => {
      if (this.tool?.up?.(e)) return;
      if (!this.pointers.delete(e.pointerId)) return;
      if (!this.pointers.size) this.node.classList.remove("drag");
      if (e.type === "pointercancel" || moved > 6) return;
      const at = this.toPhoto(e.clientX, e.clientY);
      if (this.tool?.tap?.(at, start)) return;
      const card = start?.closest?.("g.card"),
        shot = start?.closest?.("g.shot");
      if (e.timeStamp - lastTap < 300) {
        this.view.k > 1.3 ? this.fit() : this.zoom(3, at);
        lastTap = 0;
        return;
      }
      lastTap = e.timeStamp;
      if (shot) this.onShot?.(Number(shot.dataset.shot));
      else if (card) this.onCard?.(card.dataset.id);
      else this.onEmpty?.();
    };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (this.tool?.key?.(e)) {
        e.preventDefault();
        e.stopPropagation();
        return;
      }
      const step = 60 / this.scale;
      const act = {
        "+": () => this.zoom(1.3),
        "=": () => this.zoom(1.3),
        "-": () => this.zoom(1 / 1.3),
        0: () => this.fit(),
        ArrowLeft: () => {
          this.view.x -= step;
          this.apply();
        },
        ArrowRight: () => {
          this.view.x += step;
          this.apply();
        },
        ArrowUp: () => {
          this.view.y -= step;
          this.apply();
        },
        ArrowDown: () => {
          this.view.y += step;
          this.apply();
        },
      }[e.key];
      if (act) {
        act();
        e.preventDefault();
      }
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
  destroy() {
    this.resizer.disconnect();
  }
}

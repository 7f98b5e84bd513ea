// A card's face by keys alone: parts added, gone through, moved, turned, deleted.
import { EDGES, PLACE, STRETCHES, WEAPONS, axisOf, halfOf, isLong, onCard, plainDeg, tenth } from "../lib/design.js";

const STEP_MM = 0.5,
  FINE_MM = 0.1,
  STEP_DEG = 1,
  FINE_DEG = 0.1;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// undo and redo are called for their keys.
export function listenTo(face, { undo, redo, remove }) {
  const nudge = (act) => face.change(face.changed(act), { soon: true });
  const cycle = (step) => {
    const all = [WEAPONS, STRETCHES].flatMap((kind) => face.design[kind].map((_, at) => ({ kind, at })));
    const now = all.findIndex((one) => one.kind === face.chosen?.kind && one.at === face.chosen.at);
    if (all.length) face.select(all[(now + step + all.length) % all.length]);
  };
  const add = (kind) => {
    const weapon = { power: face.power, [PLACE]: [0, 0], heading_deg: 0 };
    const whole = halfOf("top", face.size);
    const stretch = { edge: "top", from_mm: -whole, to_mm: whole };
    const [design, chosen] = kind === WEAPONS ? face.added(WEAPONS, weapon) : face.guarded([stretch]);
    face.settle(design, chosen);
  };
  const shifted = (part, [dx, dy], mm) => {
    if (part[PLACE]) return { ...part, [PLACE]: onCard([part[PLACE][0] + dx * mm, part[PLACE][1] + dy * mm], face.size) };
    const half = halfOf(part.edge, face.size),
      step = [dx, dy][axisOf(part.edge)] * mm;
    if (part.from_mm + step < -half || part.to_mm + step > half) return part;
    return { ...part, from_mm: tenth(part.from_mm + step), to_mm: tenth(part.to_mm + step) };
  };
  const turned = (part, sign, isFine) => {
    if (part[PLACE]) return { ...part, heading_deg: plainDeg(part.heading_deg + sign * (isFine ? FINE_DEG : STEP_DEG)) };
    const half = halfOf(part.edge, face.size),
      to = Math.min(half, tenth(part.to_mm + sign * (isFine ? FINE_MM : STEP_MM)));
    return isLong({ ...part, to_mm: to }) ? { ...part, to_mm: to } : part;
  };
  const onEdge = (part) => {
    const edge = EDGES[(EDGES.indexOf(part.edge) + 1) % 4],
      half = halfOf(edge, face.size);
    return { edge, from_mm: Math.max(-half, part.from_mm), to_mm: Math.min(half, part.to_mm) };
  };
  // What a key does to the chosen part, if it is one of those.
  const ofPart = (e) => {
    const part = face.part();
    if (!part) return null;
    if (ARROWS[e.key]) return () => nudge((one) => shifted(one, ARROWS[e.key], e.shiftKey ? FINE_MM : STEP_MM));
    if ("[]{}".includes(e.key)) return () => nudge((one) => turned(one, "]}".includes(e.key) ? 1 : -1, e.shiftKey));
    if (part[PLACE] && "123".includes(e.key)) return () => nudge((one) => ({ ...one, power: Number(e.key) }));
    if (part.edge && e.key === "e") return () => nudge(onEdge);
    return ["Delete", "Backspace"].includes(e.key) ? () => remove() : null;
  };
  const plain = { w: () => add(WEAPONS), s: () => add(STRETCHES), n: () => cycle(1), p: () => cycle(-1), Escape: () => face.select(null) };
  face.svg.addEventListener("keydown", (e) => {
    if (e.altKey) return;
    const isUndo = (e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z",
      isRedo = (e.ctrlKey || e.metaKey) && (e.key.toLowerCase() === "y" || (isUndo && e.shiftKey));
    const act = isRedo ? redo : isUndo ? undo : e.ctrlKey || e.metaKey ? null : ofPart(e) || plain[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}

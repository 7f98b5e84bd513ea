// What a card does, in millimetres of the card: x right, y down from its middle, headings clockwise
// from up. Fields are called as in a deck file.
export const WEAPONS = "weapons";
export const STRETCHES = "shields";
export const PLACE = "muzzle_mm";
export const EDGES = ["top", "right", "bottom", "left"];
export const POWERS = [1, 2, 3];
const BESIDE = { top: ["left", "right"], bottom: ["left", "right"], left: ["top", "bottom"], right: ["top", "bottom"] };
const SIGN = { top: -1, left: -1, bottom: 1, right: 1 }; // on which side of the middle
const LEAST_MM = 0.5, // of a stretch: less is a slip
  EDGE_MM = 12, // a finger that begins farther from every edge means none
  CORNER_MM = 0.6; // a finger that comes so near to a corner means the corner

export const tenth = (x) => Math.round(x * 10) / 10;
export const clamp = (x, half) => Math.min(half, Math.max(-half, x));
// In (-180, 180], to a tenth of a degree.
export const plainDeg = (deg) => {
  const turned = tenth(((((deg + 180) % 360) + 360) % 360) - 180);
  return turned === -180 ? 180 : turned + 0; // never -0
};
export const headingTo = ([x, y], [tx, ty]) =>
  plainDeg((Math.atan2(tx - x, y - ty) * 180) / Math.PI);
const ahead = (deg) => [Math.sin((deg * Math.PI) / 180), -Math.cos((deg * Math.PI) / 180)];
export const along = ([x, y], deg, mm) => {
  const [dx, dy] = ahead(deg);
  return [x + dx * mm, y + dy * mm];
};
// How far from a place on the card its border lies in a direction.
export function toBorder([x, y], deg, [w, h]) {
  const [dx, dy] = ahead(deg);
  const reach = (at, step, half) => (Math.abs(step) < 1e-9 ? Infinity : (Math.sign(step) * half - at) / step);
  return Math.max(0, Math.min(reach(x, dx, w / 2), reach(y, dy, h / 2)));
}
export const onCard = ([x, y], [w, h]) => [tenth(clamp(x, tenthIn(w))), tenth(clamp(y, tenthIn(h)))];
const tenthIn = (length) => Math.floor(length * 5) / 10; // half of it, never rounded off the card
export const halfOf = (edge, [w, h]) => (edge === "top" || edge === "bottom" ? w / 2 : h / 2);
export const axisOf = (edge) => (edge === "top" || edge === "bottom" ? 0 : 1);

// The edge that a point is nearest to.
export function nearestEdge([x, y], [w, h]) {
  const gaps = { top: Math.abs(y + h / 2), bottom: Math.abs(y - h / 2), left: Math.abs(x + w / 2), right: Math.abs(x - w / 2) };
  return EDGES.reduce((best, edge) => (gaps[edge] < gaps[best] ? edge : best));
}
// What lies between two places along an edge, as a finger means them.
export function stretch(edge, one, other, size) {
  const half = halfOf(edge, size);
  const meant = (x) => (Math.abs(x) > half - CORNER_MM ? Math.sign(x) * half : tenth(x));
  const [from_mm, to_mm] = [one, other].map(meant).sort((a, b) => a - b);
  return { edge, from_mm, to_mm };
}
// What a finger covers that goes along an edge, and perhaps round one corner.
export function stretchesOf(from, to, size) {
  const first = nearestEdge(from, size),
    last = nearestEdge(to, size);
  if (Math.abs(SIGN[first] * halfOf(first, [size[1], size[0]]) - from[1 - axisOf(first)]) > EDGE_MM) return [];
  const begin = from[axisOf(first)];
  if (!BESIDE[first].includes(last)) return [stretch(first, begin, to[axisOf(first)], size)].filter(isLong);
  const corner = (edge, towards) => SIGN[towards] * halfOf(edge, size);
  return [
    stretch(first, begin, corner(first, last), size),
    stretch(last, corner(last, first), to[axisOf(last)], size),
  ].filter(isLong);
}
export const isLong = ({ from_mm: from, to_mm: to }) => to - from >= LEAST_MM;
// Stretches with more of them: what overlaps on an edge is one.
export const joined = (stretches, more) =>
  more.reduce((all, one) => {
    const meets = (other) =>
      other.edge === one.edge && other.from_mm <= one.to_mm && other.to_mm >= one.from_mm;
    const together = [one, ...all.filter(meets)];
    const whole = {
      edge: one.edge,
      from_mm: Math.min(...together.map((x) => x.from_mm)),
      to_mm: Math.max(...together.map((x) => x.to_mm)),
    };
    return [...all.filter((other) => !meets(other)), whole];
  }, stretches);
// The two ends of a stretch on the card.
export const endsOf = ({ edge, from_mm: from, to_mm: to }, [w, h]) =>
  [from, to].map((at) =>
    axisOf(edge) === 0 ? [at, (SIGN[edge] * h) / 2] : [(SIGN[edge] * w) / 2, at],
  );
// What is told of all designs, in the words used here; the server says what it calls them.
export const toldOf = ({ called, ...told }) => ({
  ...told,
  called,
  designs: told[called.designs].map((one) => ({ ...one, [WEAPONS]: one[called.weapons] })),
});
// What is sent of a design: its values alone.
export const valuesOf = (design, called) => ({
  speed: design.speed ?? null,
  health: design.health ?? null,
  [called.weapons]: design[WEAPONS].map((one) => ({
    power: one.power,
    [PLACE]: one[PLACE],
    heading_deg: one.heading_deg,
  })),
  [STRETCHES]: design[STRETCHES].map(({ edge, from_mm, to_mm }) => ({ edge, from_mm, to_mm })),
});

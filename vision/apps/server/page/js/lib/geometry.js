// Points of the photo, in pixels.
export const poly = (points) => points.map((p) => p.join(",")).join(" ");
export const centre = (points) =>
  points.length
    ? [
        points.reduce((a, p) => a + p[0], 0) / points.length,
        points.reduce((a, p) => a + p[1], 0) / points.length,
      ]
    : [0, 0];
// The corners of a four-sided outline of many points, each with a little of its two edges.
export function cornersOf(outline) {
  const n = outline.length,
    at = (k) => outline[(k + n) % n],
    near = (a, b, share) => [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
  return [0, 1, 2, 3].map((side) => {
    const k = (side * n) / 4,
      share = CORNER_SHARE * (n / 4);
    return [near(at(k), at(k - 1), share), at(k), near(at(k), at(k + 1), share)];
  });
}
const CORNER_SHARE = 0.09; // of an edge: beyond where a card is cut round
// The side of a square as large as an outline.
export const spread = (outline) =>
  Math.sqrt(
    Math.abs(
      outline.reduce((a, p, i) => {
        const q = outline[(i + 1) % outline.length];
        return a + p[0] * q[1] - q[0] * p[1];
      }, 0) / 2,
    ),
  );
// The first part of a line, by its length.
export function cut(points, share) {
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
// How far a place lies beside a line.
export function beside(points, [x, y]) {
  const gaps = points.slice(1).map(([bx, by], i) => {
    const [ax, ay] = points[i];
    const [dx, dy] = [bx - ax, by - ay];
    const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
    const k = Math.max(0, Math.min(1, along));
    return Math.hypot(ax + k * dx - x, ay + k * dy - y);
  });
  return gaps.length ? Math.min(...gaps) : 0;
}
// Whether a point is within a closed outline.
export const isInside = ([x, y], outline) =>
  outline.reduce((inside, [x1, y1], i) => {
    const [x2, y2] = outline[(i + 1) % outline.length];
    const crosses = y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
    return crosses ? !inside : inside;
  }, false);

// Four corners in order round a quadrilateral -> the map from it to the unit square, top left first;
// null where they are none: crossed, dented, or flat. Heckbert, Fundamentals of Texture Mapping, 1989.
export function squareOf(corners) {
  const turns = corners.map((b, i) => {
    const [a, c] = [corners[(i + 3) % 4], corners[(i + 1) % 4]];
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
  });
  if (!turns.every((turn) => turn > 0)) return null;
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
  const cross = (ax, ay, bx, by) => ax * by - bx * ay;
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const whole = cross(x1 - x2, y1 - y2, x3 - x2, y3 - y2);
  const g = cross(sx, sy, x3 - x2, y3 - y2) / whole,
    k = cross(x1 - x2, y1 - y2, sx, sy) / whole;
  const [a, b, c] = [x1 - x0 + g * x1, x3 - x0 + k * x3, x0];
  const [d, e, f] = [y1 - y0 + g * y1, y3 - y0 + k * y3, y0];
  return ([x, y]) => {
    const w = (d * k - e * g) * x + (b * g - a * k) * y + (a * e - b * d);
    return [
      ((e - f * k) * x + (c * k - b) * y + (b * f - c * e)) / w,
      ((f * g - d) * x + (a - c * g) * y + (c * d - a * f)) / w,
    ];
  };
}

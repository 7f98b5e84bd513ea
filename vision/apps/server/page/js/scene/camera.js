// Table millimetres <-> photo pixels, as the scan's camera has it (homography, then the lens).
export function makeCamera(camera) {
  const H = camera.photo_from_table,
    K = camera.distortion.camera_matrix,
    { k1, k2 } = camera.distortion;
  const fx = K[0][0],
    fy = K[1][1],
    cx = K[0][2],
    cy = K[1][2];
  const G = invert(H);
  const apply = (M, [x, y]) => {
    const w = M[2][0] * x + M[2][1] * y + M[2][2];
    return [(M[0][0] * x + M[0][1] * y + M[0][2]) / w, (M[1][0] * x + M[1][1] * y + M[1][2]) / w];
  };
  return {
    toPhoto(p) {
      const [u, v] = apply(H, p);
      const x = (u - cx) / fx,
        y = (v - cy) / fy;
      const r2 = x * x + y * y,
        g = 1 + k1 * r2 + k2 * r2 * r2;
      return [x * g * fx + cx, y * g * fy + cy];
    },
    toTable([u, v]) {
      const x = (u - cx) / fx,
        y = (v - cy) / fy,
        d = Math.hypot(x, y);
      let r = d;
      for (let i = 0; i < 15; i++)
        r -=
          (r * (1 + k1 * r * r + k2 * r ** 4) - d) /
          Math.max(1 + 3 * k1 * r * r + 5 * k2 * r ** 4, 0.1);
      const g = d > 0 ? r / d : 1;
      return apply(G, [x * g * fx + cx, y * g * fy + cy]);
    },
  };
}
function invert(m) {
  const [[a, b, c], [d, e, f], [g, h, i]] = m;
  const A = e * i - f * h,
    B = f * g - d * i,
    C = d * h - e * g;
  const det = a * A + b * B + c * C;
  return [
    [A, c * h - b * i, b * f - c * e],
    [B, a * i - c * g, c * d - a * f],
    [C, b * g - a * h, a * e - b * d],
  ].map((row) => row.map((v) => v / det));
}
// A point of a piece (mm, from its centre) on the table, by where the piece lies.
export const onPiece = (pose, [px, py]) => {
  const t = (pose.theta_deg * Math.PI) / 180,
    c = Math.cos(t),
    s = Math.sin(t);
  return [pose.x_mm + c * px - s * py, pose.y_mm + s * px + c * py];
};
const EDGE_POINTS = 4; // a lens bends an edge
export function pieceOutline(camera, [w, h], pose) {
  const corners = [
    [-w / 2, -h / 2],
    [w / 2, -h / 2],
    [w / 2, h / 2],
    [-w / 2, h / 2],
  ];
  return corners.flatMap((p, k) => {
    const q = corners[(k + 1) % 4];
    return Array.from({ length: EDGE_POINTS }, (_, j) => {
      const at = [0, 1].map((i) => p[i] + ((q[i] - p[i]) * j) / EDGE_POINTS);
      return camera.toPhoto(onPiece(pose, at));
    });
  });
}

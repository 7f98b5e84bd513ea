// A piece that lies elsewhere in one of several photos: a cut of each, with its place in both.
import { h, s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { poly } from "../lib/geometry.js";

const ROOM = 1.3; // of a cut, over what is outlined in it

export function bothPlaces(round, { base, stage }, { places }) {
  const marks = round.photos?.of ?? [];
  const shown = places.filter(({ photo }) => !photo || marks[photo]);
  if (!shown.length) return null;
  const cuts = shown.map((place) => {
    const { photo, own_px: own } = place;
    const other = places.find((one) => one !== place).photo + 1;
    const name = t(own.length ? "doubt.place" : "doubt.place_bare", { n: photo + 1, other });
    const href = photo ? `/api/v1${base}/photos/${photo}.jpg?of=${marks[photo]}` : stage.photoUrl;
    return h("figure", {}, cut(place, href, name), h("figcaption.tiny.soft", {}, name));
  });
  return h("div.both", {}, cuts);
}
function cut({ size_wh: [width, height], own_px: own, other_px: other }, href, name) {
  const points = [...own, ...other];
  const ends = [0, 1].map((axis) => points.map((p) => p[axis])).map((v) => [Math.min(...v), Math.max(...v)]);
  const side = ROOM * Math.max(...ends.map(([low, high]) => high - low));
  const [x, y] = ends.map(([low, high]) => (low + high - side) / 2);
  const edge = (outline, kind) =>
    outline.length ? s(`polygon.${kind}`, { points: poly(outline), "vector-effect": "non-scaling-stroke" }) : null;
  return s(
    "svg",
    { viewBox: `${x} ${y} ${side} ${side}`, role: "img", "aria-label": name },
    s("image", { href, x: -0.5, y: -0.5, width, height, preserveAspectRatio: "none" }),
    edge(own, "own"),
    edge(other, "other"),
  );
}

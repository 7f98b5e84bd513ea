// Where names stand over a live table: beside those of other cards, and on no card's number.
const SIGN_WIDE = 0.6, // a letter's width, of its size: bold system fonts have up to .6
  ASIDE = [0, -0.5, 0.5]; // of a name's own width
const box = ({ x, y, wide, high }) => ({
  left: x - wide / 2,
  right: x + wide / 2,
  top: y - high * 0.75,
  bottom: y + high * 0.25,
});
const shared = (a, b) =>
  Math.max(Math.min(a.right, b.right) - Math.max(a.left, b.left), 0) *
  Math.max(Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top), 0);

// cards: each `name` as large as `text`, at `x` and one of `ys`, the best first, or a little aside;
// taken: what they shall leave free.
export function spreadNames(cards, taken) {
  const full = [...taken];
  for (const { name, text: high, x, ys } of cards) {
    const wide = name.textContent.length * high * SIGN_WIDE;
    const places = ASIDE.flatMap((share) => ys.map((y) => ({ x: x + share * wide, y, wide, high })));
    const costs = places.map((place) => full.reduce((sum, other) => sum + shared(box(place), other), 0));
    const place = places[costs.indexOf(Math.min(...costs))];
    name.setAttribute("x", place.x);
    name.setAttribute("y", place.y);
    full.push(box(place));
  }
}

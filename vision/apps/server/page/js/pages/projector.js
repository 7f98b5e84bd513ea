// For a projector over the table, or a screen under a glass one: the beams alone, where they are. Its
// four corners are tapped once in the camera's picture; this device keeps them.
import { h, s } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { centre, poly, squareOf } from "../lib/geometry.js";
import { spectatorOf } from "../lib/live_keys.js";
import { nameSides } from "../lib/names.js";
import { LiveFeed, LivePicture } from "../scene/live_feed.js";
import { beamLines } from "../scene/live_table.js";
import { ageOf, troubleOf } from "../scene/live_trouble.js";

const CORNERS = "live-projector",
  DARK = 1.25, // of a card's size
  TICK_MS = 200;

export function showProjector(main, id) {
  document.title = t("live.projector");
  nameSides({});
  document.documentElement.classList.add("overlay", "projector");
  const page = new Projector(id);
  main.replaceChildren(page.node);
  const timer = setInterval(() => page.tick(), TICK_MS);
  addEventListener("resize", page.draw);
  return () => {
    clearInterval(timer);
    removeEventListener("resize", page.draw);
    page.close();
    document.documentElement.classList.remove("overlay", "projector");
  };
}
// No light on the cards nor at their edges: the camera reads them.
function around(corners) {
  const middle = centre(corners);
  return corners.map((corner) => corner.map((v, i) => middle[i] + DARK * (v - middle[i])));
}
class Projector {
  constructor(id) {
    Object.assign(this, { id, game: null, picture: null });
    this.draw = this.draw.bind(this);
    this.light = s("svg.projected", { role: "img", "aria-label": t("live.projector") });
    this.canvas = h("canvas", { width: 16, height: 9, onclick: (e) => this.tap(e) });
    this.said = h("p", { role: "status" });
    this.asking = h("div.projector-corners", {}, this.said, this.canvas);
    const again = h("button.btn.small", { onclick: () => this.ask() }, t("live.projector.again"));
    this.node = h("div.live-projector", {}, this.light, this.asking, again);
    this.feed = new LiveFeed(id, {
      spectator: spectatorOf(id),
      onTold: () => {},
      onState: (state) => {
        this.game = { ...state, age: state.watch?.age_s };
        this.draw();
      },
      onBeat: ({ age_s: age }) => (this.game = { ...this.game, age }),
      onEnd: () => this.light.replaceChildren(),
    });
    const kept = JSON.parse(localStorage.getItem(CORNERS) || "null");
    if (kept) this.use(kept);
    else this.ask();
  }
  close() {
    this.feed.close();
    this.picture?.close();
  }
  // --- its corners, as shares of the picture, from the top left on, clockwise ---
  ask(words = "live.projector.tap") {
    this.corners = [];
    this.square = null;
    this.picture ??= new LivePicture(this.id, this.canvas);
    this.asking.hidden = false;
    this.say(words);
    this.draw();
  }
  say(words) {
    this.said.textContent = t(words, { corner: t("live.projector.corner." + this.corners.length) });
  }
  tap({ clientX: x, clientY: y }) {
    const box = this.canvas.getBoundingClientRect();
    this.corners.push([(x - box.left) / box.width, (y - box.top) / box.height]);
    if (this.corners.length < 4) return this.say("live.projector.tap");
    if (!squareOf(this.corners)) return this.ask("live.projector.crossed");
    localStorage.setItem(CORNERS, JSON.stringify(this.corners));
    this.use(this.corners);
  }
  use(corners) {
    this.square = squareOf(corners);
    this.picture?.close();
    this.picture = null;
    this.asking.hidden = true;
    this.draw();
  }
  // --- its light ---
  draw() {
    const [w, hh] = [innerWidth, innerHeight];
    this.light.setAttribute("viewBox", `0 0 ${w} ${hh}`);
    const watch = this.game?.watch;
    if (!this.square || !watch?.size_px) return this.light.replaceChildren();
    const [wide, high] = watch.size_px;
    const place = ([x, y]) => {
      const [u, v] = this.square([(x + 0.5) / wide, (y + 0.5) / high]);
      return [u * w, v * hh];
    };
    const beams = (watch.beams || []).map((b) => ({ ...b, points_px: b.points_px.map(place) }));
    const cards = watch.cards.map(({ corners_px: corners }) =>
      s("polygon.dark", { points: poly(around(corners).map(place)) }),
    );
    this.light.replaceChildren(beamLines(beams), ...cards);
  }
  // What is old may be wrong: then there is no light.
  tick() {
    const { game, feed } = this;
    const trouble = troubleOf(game, feed, null);
    this.light.classList.toggle("off", Boolean(trouble) || ageOf(game, feed) === null);
  }
}

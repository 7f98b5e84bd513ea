// What lies over a stream of 1920 x 1080: nothing at rest; score and clock while a round is played,
// and each card as it is laid. ?test=1: all of it at once, to be placed by.
import { h } from "../lib/dom.js";
import { number, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { nameSides, numberOf, sideMark, sideName, sideStyle, titleOf } from "../lib/names.js";
import { offerOf } from "../lib/offers.js";
import { LiveFeed } from "../scene/live_feed.js";

const FIND_MS = 2000,
  TICK_MS = 200,
  POPUP_MS = 8000, // a card stays so long
  RESULT_MS = 30_000; // the score after a verdict
const STYLE = "/static/css/stream.css";

export async function showStream(main, id, asked) {
  const query = new URLSearchParams(asked.split("?")[1] ?? location.search);
  const isTest = query.get("test") === "1";
  document.title = t("stream.title");
  nameSides({});
  const style = h("link", { rel: "stylesheet", href: STYLE });
  document.head.append(style);
  document.documentElement.classList.add("overlay", "clear", "stream");
  const stream = isTest ? testFrame() : new Stream(id);
  main.replaceChildren(stream.node);
  stream.begin?.();
  return () => {
    stream.close?.();
    style.remove();
    document.documentElement.classList.remove("overlay", "clear", "stream");
  };
}
const clockWords = (seconds) => {
  const whole = Math.max(Math.floor(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};
const team = (side, points, laid, most) =>
  h(
    "li",
    {},
    sideMark(side),
    h("span.name", {}, sideName(side)),
    points === null ? null : h("b", {}, number(points)),
    laid === null ? null : h("small", {}, t("stream.laid", { n: laid, most })),
  );
function popup(card, side, laid, most) {
  const isLast = most && laid >= most;
  const mark = sideMark(side);
  return h(
    "div.popup",
    { "data-side": side },
    mark,
    h(
      "div",
      {},
      h("span.name", {}, sideName(side)),
      h("b", {}, titleOf(card)),
      h("small", {}, isLast ? t("stream.last") : t("stream.card")),
    ),
    h("span.number", { "aria-hidden": "true" }, numberOf(card)),
  );
}
// Score and clock above, popups below; the nodes are there all the time, and empty at rest.
class Board {
  constructor() {
    this.teams = h("ul.stream-teams", {});
    this.clock = h("span.stream-clock", { role: "timer" });
    this.bar = h("div.stream-bar", { hidden: true }, this.teams, this.clock);
    this.popups = h("div.stream-popups", { "aria-live": "polite" });
    this.node = h("div.stream-board", {}, this.bar, this.popups);
    this.slots = new Map();
  }
  pop(card, side, laid, most) {
    const slot = this.slots.get(side) ?? h("div", {});
    this.slots.set(side, slot);
    Object.assign(slot, { side }).style.order = sideRank(side);
    if (!slot.parentNode) this.popups.append(slot);
    slot.replaceChildren(popup(card, side, laid, most));
    paintSide(slot.firstChild, side);
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => this.drop(slot), POPUP_MS);
  }
  drop(slot) {
    slot.remove();
    this.slots.delete(slot.side);
  }
  paint(rows, clock) {
    this.bar.hidden = !rows.length;
    this.teams.replaceChildren(...rows.map((row) => team(...row)));
    this.clock.hidden = clock === null;
    this.clock.textContent = clock === null ? "" : clockWords(clock);
  }
  close() {
    for (const slot of this.slots.values()) clearTimeout(slot.timer);
  }
}
// Each side keeps its place in the row.
const sideRank = (side) => offerOf(null).sides.findIndex(({ id }) => id === side);
const paintSide = (node, side) => node.style.setProperty("--side", sideStyle(side).colour);

class Stream {
  constructor(id) {
    Object.assign(this, { given: id, feed: null, isOver: false, state: null, known: null });
    Object.assign(this, { points: {}, scored: "", verdictAt: -Infinity });
    this.board = new Board();
    this.node = this.board.node;
  }
  begin() {
    this.find();
    this.timers = [setInterval(() => this.find(), FIND_MS), setInterval(() => this.tick(), TICK_MS)];
  }
  close() {
    this.timers.forEach(clearInterval);
    this.board.close();
    this.feed?.close();
  }
  // Without an id: the newest table, and the next one when that has ended.
  async find() {
    if (this.feed || (this.given && this.isOver)) return;
    const { games } = await get("/live").catch(() => ({ games: [] }));
    const id = this.given || games[0]?.id;
    if (id && !this.feed) this.follow(id);
  }
  follow(id) {
    this.known = null; // what lies there already is no news
    this.feed = new LiveFeed(id, {
      onTold: () => {},
      onBeat: () => {},
      onState: (state) => this.see(state),
      onEnd: () => {
        Object.assign(this, { isOver: true, feed: null, state: null });
        this.tick();
      },
    });
  }
  see(state) {
    this.state = state;
    this.heard = performance.now();
    const { watch } = state;
    if (watch) this.showNew(watch, offerOf(state.deck)?.laid ?? 0);
    this.score(state.rounds);
    this.tick();
  }
  showNew({ round, cards, counts }, most) {
    const of = (one) => `${round} ${one.card}`;
    for (const one of this.known ? cards : [])
      if (one.team && !this.known.has(of(one)))
        this.board.pop(one.card, one.team, counts[one.team] ?? 0, most);
    this.known = new Set([...(this.known ?? []), ...cards.map(of)]);
  }
  // The sum of the rounds of this table that are not open; asked for when there is a new one.
  async score(rounds) {
    const scans = rounds.map(({ scan }) => scan);
    if (scans.join() === this.scored) return;
    if (this.scored !== "" || this.state?.watch?.phase === "verdict") this.verdictAt = performance.now();
    this.scored = scans.join();
    const told = await Promise.all(scans.map((scan) => get(`/scans/${scan}`).catch(() => ({}))));
    if (scans.join() !== this.scored) return;
    this.points = {};
    for (const { open, scores } of told)
      for (const [side, n] of open ? [] : Object.entries(scores ?? {}))
        this.points[side] = (this.points[side] ?? 0) + n;
    this.tick();
  }
  tick() {
    const { watch, deck } = this.state ?? {};
    const isPlayed = watch && ["playing", "stopped"].includes(watch.phase) && watch.cards.length > 0;
    const isResult = performance.now() - this.verdictAt < RESULT_MS;
    if (!isPlayed && !isResult) return this.board.paint([], null);
    const most = offerOf(deck)?.laid ?? 0;
    const counts = watch?.counts ?? {};
    const sides = Object.keys(counts).filter((side) => counts[side] || side in this.points);
    const rows = sides.map((side) => [
      side,
      this.scored ? (this.points[side] ?? 0) : null,
      isPlayed ? counts[side] : null,
      most,
    ]);
    this.board.paint(rows, isPlayed ? this.elapsed(watch) : null);
  }
  // Since the first card of the round lay still; it stands when the round is stopped.
  elapsed({ phase, cards, time_s: now }) {
    const first = Math.min(...cards.map((one) => one.time_s));
    const since = phase === "playing" ? (performance.now() - this.heard) / 1000 : 0;
    return now - first + since;
  }
}
// All that may ever be painted, with the edge of the picture and of what every screen shows.
function testFrame() {
  const board = new Board();
  const { sides, pieces, laid } = offerOf(null);
  const shown = sides.map(({ id }, i) => [id, 3 * i + 4, i + 1, laid]);
  board.paint(shown, 83);
  const lay = () =>
    sides.forEach(({ id }, i) => {
      const own = pieces.filter(({ side }) => side === id);
      if (own.length) board.pop(own.at(i % own.length).id, id, i ? i : laid, laid);
    });
  lay();
  const timer = setInterval(lay, POPUP_MS / 2);
  const words = h("p.stream-test", {}, "");
  const measure = () =>
    (words.textContent = t("stream.test", { width: innerWidth, height: innerHeight }));
  measure();
  addEventListener("resize", measure);
  board.node.classList.add("test");
  board.node.append(words);
  return {
    node: board.node,
    close: () => {
      clearInterval(timer);
      removeEventListener("resize", measure);
      board.close();
    },
  };
}

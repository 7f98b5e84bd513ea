// For streaming software: the picture of a live table and what lies over it, nothing else.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { spectatorOf } from "../lib/live_keys.js";
import { nameSides } from "../lib/names.js";
import { news } from "../lib/news.js";
import { Newest, Verdicts } from "../lib/television.js";
import { LiveFeed, LivePicture } from "../scene/live_feed.js";
import { LiveTable } from "../scene/live_table.js";
import { ageOf, troubleOf } from "../scene/live_trouble.js";
import { countStrip } from "../panels/live_counts.js";

const PAINT_MS = 200,
  FIND_MS = 2000;

export async function showOverlay(main, given, { clear, tv = false }) {
  document.title = t("live.overlay");
  nameSides({});
  document.documentElement.classList.add("overlay");
  document.documentElement.classList.toggle("clear", clear);
  document.documentElement.classList.toggle("far", tv);
  const page = new Overlay(given, clear, tv ? new Verdicts() : null);
  main.replaceChildren(h("div.live-overlay", {}, page.table.node, page.counts));
  await page.find();
  const newest = new Newest();
  if (tv) {
    await newest.see();
    news.follow(() => newest.see());
  }
  const timers = [
    setInterval(() => page.tell(), PAINT_MS),
    setInterval(() => page.find(), FIND_MS),
  ];
  return () => {
    timers.forEach(clearInterval);
    page.close();
    document.documentElement.classList.remove("overlay", "clear", "far");
  };
}
class Overlay {
  constructor(given, clear, verdicts) {
    Object.assign(this, { given, clear, verdicts, game: null, feed: null, pictures: null, isOver: false });
    this.table = new LiveTable({ clear, isFar: Boolean(verdicts) });
    this.counts = h("p.live-strip", {});
  }
  // Without an id: the newest table, and the next one when that has ended.
  async find() {
    if (this.feed) return;
    const { games } = await get("/live").catch(() => ({ games: [] }));
    const id = this.given || games[0]?.id;
    if (id && !this.feed && (!this.given || !this.isOver)) this.follow(id);
  }
  follow(id) {
    this.feed = new LiveFeed(id, {
      spectator: spectatorOf(id),
      onTold: () => {},
      onState: (state) => {
        this.game = { ...state, age: state.watch?.age_s };
        this.table.draw(this.game.watch, state.battle);
        this.verdicts?.see(state);
        this.counts.replaceChildren(...countStrip(this.game.watch));
      },
      onBeat: ({ age_s: age }) => (this.game = { ...this.game, age }),
      onEnd: () => {
        this.isOver = true;
        this.pictures?.close();
        this.feed = null;
      },
    });
    this.pictures = this.clear ? null : new LivePicture(id, this.table.canvas);
    this.isOver = false;
  }
  tell() {
    const { table, feed, game } = this;
    if (feed) table.tell(ageOf(game, feed), troubleOf(game, feed, null));
    else table.tell(null, { code: "waiting" });
  }
  close() {
    this.feed?.close();
    this.pictures?.close();
  }
}

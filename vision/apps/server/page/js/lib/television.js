// A television: dark all over, large type, nothing to tap. It plays a round, shows the codes where
// orders are given in secret, and goes on to the next round that is read, or to the live table.
import { get } from "./api.js";

const BACK_MS = 30_000, // a result stands so long before a live table is shown again
  LOOK_MS = 500,
  LISTED = 10; // among so many rounds the newest that is read is found
// What must be read from 3 m has a font of 1/33 of the screen's height: its capitals and digits are
// 1/45 of it, 11 mm on a television of 89 x 50 cm.
const FAR_SHARE = 1 / 33,
  TAG_PX = 12.6; // the numbers on pieces elsewhere
const root = document.documentElement;

// How many times as large signs on the photo are as elsewhere.
export const farTimes = () =>
  root.classList.contains("tv") ? Math.max((innerHeight * FAR_SHARE) / TAG_PX, 1) : 1;

// Goes to each round that is read from now on.
export class Newest {
  constructor() {
    this.since = null;
  }
  async see() {
    const { scans } = await get(`/scans?limit=${LISTED}`);
    const newest = scans.find(({ state }) => state === "done");
    const isNext = this.since !== null && newest?.created > this.since;
    this.since = Math.max(this.since ?? 0, newest?.created ?? 0);
    if (isNext) location.hash = `#/round/${newest.id}/tv`;
  }
}
// Shows a round that way and plays it; returns how to leave.
export function onTelevision(page) {
  root.classList.add("tv");
  page.playFromStart();
  let back = null,
    isOver = false;
  const timer = setInterval(() => {
    const isSeating = page.sitting.isOn;
    root.classList.toggle("seating", isSeating);
    if (isSeating && page.tabs.now !== "orders") page.open("orders");
    if (isSeating || page.replay.playing) isOver = false;
    else if (!isOver) {
      isOver = true;
      clearTimeout(back);
      back = setTimeout(toLive, BACK_MS);
    }
  }, LOOK_MS);
  const onKey = ({ key }) => key === "Escape" && (location.hash = `#/round/${page.id}`);
  document.addEventListener("keydown", onKey);
  return () => {
    document.removeEventListener("keydown", onKey);
    root.classList.remove("tv", "seating");
    clearInterval(timer);
    clearTimeout(back);
  };
}
async function toLive() {
  const { games } = await get("/live").catch(() => ({ games: [] }));
  if (games.length) location.hash = "#/live/tv";
}
// Tells of each verdict that comes while one watches: what was there before is old.
export class Verdicts {
  constructor() {
    this.known = null;
  }
  see({ rounds }) {
    const newest = rounds.at(-1)?.scan ?? "";
    const isNew = this.known !== null && newest && newest !== this.known;
    this.known = newest;
    if (isNew) location.hash = `#/round/${newest}/tv`;
  }
}

// A television: dark all over, large scores, nothing to tap; after a verdict its replay by itself.
const BACK_MS = 30_000; // a result stands so long before the live table is shown again
const root = document.documentElement;

// Shows a round that way, plays it, and goes back to the live table; returns how to leave.
export function onTelevision(page) {
  root.classList.add("tv");
  page.playFromStart();
  const timer = setInterval(() => {
    if (page.replay.playing) return;
    clearInterval(timer);
    back = setTimeout(() => (location.hash = "#/live/tv"), BACK_MS);
  }, 500);
  let back = null;
  return () => {
    root.classList.remove("tv");
    clearInterval(timer);
    clearTimeout(back);
  };
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

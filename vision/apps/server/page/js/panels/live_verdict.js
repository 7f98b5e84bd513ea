// The verdict of the newest round of a live table.
import { h, icon } from "../lib/dom.js";
import { t, say } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { ring } from "../lib/sounds.js";
import { scoreLine } from "./rounds.js";

const NEWEST = 20; // rounds, among which is the one that was played last

export class LiveVerdict {
  constructor() {
    this.node = h("section.panel.live-verdict", { hidden: true });
    this.shown = "";
    this.known = null; // what was there before is old
  }
  // The verdict as it was corrected and ruled on since. It is looked for among the newest rounds: one
  // that a later verdict replaced is no more, and the game says which that is.
  async keepUp() {
    const scan = this.last?.rounds.at(-1)?.scan;
    if (!scan) return;
    const { scans } = await get(`/scans?limit=${NEWEST}`);
    const told = scans.find(({ id }) => id === scan);
    if (!told?.headline) return;
    const { headline, winners, scores, doubts } = told;
    this.now = { scan, headline, winners, scores, doubts };
    this.paint(this.last);
  }
  paint({ rounds, watch }) {
    this.last = { rounds, watch };
    const told = rounds.at(-1);
    const round = told && told.scan === this.now?.scan ? { ...told, ...this.now } : told;
    const isCurrent = round && (!watch || round.round === watch.round || watch.phase === "waiting");
    const mark = JSON.stringify([round, isCurrent]);
    if (mark === this.shown) return;
    this.shown = mark;
    const newest = round?.scan ?? "";
    if (this.known !== null && newest && newest !== this.known)
      ring([{ kind: round.headline.open ? "open" : "end" }]);
    this.known = newest;
    this.node.hidden = !round;
    if (round) this.node.replaceChildren(...this.content(round, isCurrent).filter(Boolean));
  }
  content(round, isCurrent) {
    const isOpen = round.headline.open;
    return [
      h("h2", {}, icon(isOpen ? "help" : "crown"), t(isCurrent ? "live.verdict" : "live.verdict_last")),
      h("p.live-winner", {}, say(round.headline.words)),
      h("div.live-scores", {}, scoreLine({ ...round, winners: isOpen ? [] : round.winners })),
      round.doubts ? h("p.tiny", {}, t("live.doubts", { n: round.doubts })) : null,
      h("a.btn.main", { href: round.page.slice(1) }, icon("play"), t("live.open_round")),
    ];
  }
}

// A live table: its newest picture, the cards outlined over it, how old it is, what is wrong.
import { h, s } from "../lib/dom.js";
import { t, list } from "../lib/i18n.js";
import { centre, poly, spread } from "../lib/geometry.js";
import { numberOf, sideStyle, titleOf } from "../lib/names.js";
import { ageWords, isCalm, isOld, troubleWords } from "./live_trouble.js";

const FAR_SIGNS = 46; // names are 1/46 of a television's width high: 20 mm on 92 cm, read from 3 m

export class LiveTable {
  // isFar: on a television, read from across the room
  constructor({ clear = false, isFar = false } = {}) {
    Object.assign(this, { clear, isFar });
    this.over = s("svg.live-over", {
      role: "img",
      preserveAspectRatio: "xMidYMid meet",
      "aria-label": t("live.picture"),
    });
    this.canvas = h("canvas.live-picture", { "aria-hidden": "true", width: 16, height: 9 });
    this.age = h("p.live-age", {});
    this.trouble = h("p.live-trouble", { role: "alert", hidden: true });
    this.stage = h(
      clear ? "div.live-stage.clear" : "div.live-stage",
      {},
      clear ? null : this.canvas,
      this.over,
      this.age,
    );
    this.node = h("div.live-frame", {}, this.stage, this.trouble);
    this.newest = 0;
  }
  // The camera's own film where it is this device's; else the server's pictures.
  showCamera(video) {
    if (this.film === video) return;
    this.film = video;
    this.canvas.hidden = Boolean(video);
    if (video) {
      video.className = "live-picture";
      video.setAttribute("aria-hidden", "true");
      this.canvas.before(video);
    }
  }
  draw(watch) {
    const [w, hh] = watch?.size_px || [16, 9];
    const seen = JSON.stringify([w, hh, watch?.cards]);
    if (seen === this.seen) return;
    this.seen = seen;
    this.over.setAttribute("viewBox", `-0.5 -0.5 ${w} ${hh}`);
    const cards = watch?.cards || [];
    const newest = Math.max(0, ...cards.map((card) => card.order));
    const label = cards.length
      ? t("live.shown", { n: cards.length, cards: list(cards.map((card) => titleOf(card.card))) })
      : t("live.picture");
    this.over.setAttribute("aria-label", label);
    this.over.replaceChildren(
      ...cards.map((card) => this.card(card, w, card.order === newest && newest > this.newest)),
    );
    this.newest = newest;
    this.fit(w, cards);
  }
  card({ card, team: side, corners_px: corners }, width, isNew) {
    const look = sideStyle(side);
    const points = poly(corners);
    const size = spread(corners);
    const [x, y] = centre(corners);
    const text = Math.max(size * 0.2, width / (this.isFar ? FAR_SIGNS : 110));
    const mark = Math.max(size * 0.16, width / (this.isFar ? FAR_SIGNS : 130));
    const k = mark / 12,
      number = numberOf(card);
    return s(
      isNew ? "g.live-card.new" : "g.live-card",
      { "data-card": card },
      s("polygon.ov-case", { points }),
      s("polygon.live-line", { points, stroke: look.colour }),
      s("path.live-mark", {
        d: look.path,
        fill: look.colour,
        transform: `translate(${x} ${y - text * 0.7}) scale(${k})`,
      }),
      number
        ? s("text.live-number", { x, y: y - text * 0.7 + mark * 0.42, "font-size": mark * 1.2 }, number)
        : null,
      s(
        "text.live-name",
        { x, y: y + text * 0.75, "font-size": text, "stroke-width": text / 4.5 },
        titleOf(card),
      ),
    );
  }
  // Where cards are small on the screen their names would hide them: marks alone, names in the log.
  fit(width, cards) {
    const shown = this.node.clientWidth / width;
    const size = cards.length ? spread(cards[0].corners_px) * shown : 99;
    this.over.classList.toggle("small", size < 44 && !this.isFar);
  }
  tell(age, trouble) {
    const words = ageWords(age);
    if (this.age.textContent !== words) this.age.textContent = words;
    this.age.classList.toggle("old", isOld(age));
    this.trouble.hidden = !trouble;
    this.trouble.classList.toggle("calm", isCalm(trouble));
    const told = troubleWords(trouble);
    if (this.trouble.textContent !== told) this.trouble.textContent = told;
    this.node.classList.toggle("stale", Boolean(trouble));
  }
}

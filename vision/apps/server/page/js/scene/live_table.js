// A live table: its newest picture, the cards outlined over it and their beams where those are
// shown, how old it is, what is wrong.
import { h, s, write } from "../lib/dom.js";
import { t, list } from "../lib/i18n.js";
import { centre, poly, spread } from "../lib/geometry.js";
import { numberOf, sideStyle, titleOf } from "../lib/names.js";
import { spreadNames } from "./live_names.js";
import { drawPath, pathNode } from "./marks.js";
import { ageWords, isCalm, isOld, troubleWords } from "./live_trouble.js";

// What every card would hit as it lies, as the page of a round draws it; contested ones dashed.
export const beamLines = (all) =>
  s(
    "g.live-beams",
    {},
    all.map((beam) => {
      const lines = drawPath(pathNode({ ...beam, style: "beam" }, beam), beam);
      const kind = beam.contested ? "g.event.contested" : "g.event";
      return s(kind, { "data-beam": beam.id }, lines);
    }),
  );

// What yields to a card that was laid earlier: crossed out.
const crossed = ([a, b, c, d]) => s("path.live-crossed", { d: `M${a}L${c}M${b}L${d}` });

// The other table's cards; those that yield, of either table, are crossed out.
function otherCards(battle, wide) {
  const { others = [], conflicts = [] } = battle || {};
  const yields = new Set(conflicts.filter((one) => one.stands === "own").map((one) => one.other));
  const card = ({ card, team, corners_px: corners }) => {
    const [x, y] = centre(corners);
    return s(
      yields.has(card) ? "g.live-other.yields" : "g.live-other",
      { "data-other": card },
      s("polygon.live-line", { points: poly(corners), stroke: sideStyle(team).colour }),
      yields.has(card) ? crossed(corners) : "",
      s("text.live-name", { x, y, "font-size": wide / 90, "stroke-width": wide / 400 }, titleOf(card)),
    );
  };
  return s("g.live-others", {}, others.map(card));
}

// On a television, read from 3 m: names are 1/46 of its width high, or 1/26 of its height where the
// picture leaves room at its sides: 20 mm on one of 92 cm.
const FAR_WIDE = 46,
  FAR_HIGH = 26;

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
  // battle: with another table, whose cards are drawn where they lie over this one.
  draw(watch, battle = null) {
    const [w, hh] = watch?.size_px || [16, 9];
    const seen = JSON.stringify([w, hh, watch?.cards, watch?.beams, battle?.others, battle?.conflicts]);
    if (seen === this.seen) return;
    this.seen = seen;
    this.over.setAttribute("viewBox", `-0.5 -0.5 ${w} ${hh}`);
    const cards = watch?.cards || [];
    const newest = Math.max(0, ...cards.map((card) => card.order));
    const label = cards.length
      ? t("live.shown", { n: cards.length, cards: list(cards.map((card) => titleOf(card.card))) })
      : t("live.picture");
    this.over.setAttribute("aria-label", label);
    const groups = cards.map((card) => this.card(card, [w, hh], card.order === newest && newest > this.newest));
    const lost = new Set((battle?.conflicts || []).filter((one) => one.stands === "other").map((one) => one.own));
    groups.forEach(({ node }, i) => {
      node.classList.toggle("by-hand", Boolean(cards[i].by_hand));
      if (lost.has(cards[i].card)) node.append(crossed(cards[i].corners_px));
      node.classList.toggle("yields", lost.has(cards[i].card));
    });
    spreadNames(groups, groups.map(({ mark }) => mark.box));
    const layer = (of) => groups.map(of);
    this.over.replaceChildren(
      otherCards(battle, w),
      ...layer(({ node }) => node),
      beamLines(watch?.beams || []),
      ...layer(({ name }) => name),
      ...layer(({ mark }) => mark.node),
      this.kept ?? "",
    );
    this.newest = newest;
    this.fit(w, cards);
  }
  // Keeps a mark over the cards, however often they are drawn.
  keep(mark) {
    this.kept = mark;
    this.over.append(mark);
  }
  card({ card, team: side, corners_px: corners }, [width, height], isNew) {
    const look = sideStyle(side);
    const points = poly(corners);
    const size = spread(corners);
    const [x, y] = centre(corners);
    const far = this.isFar ? Math.max(width / FAR_WIDE, height / FAR_HIGH) : 0;
    const text = Math.max(size * 0.2, far || width / 110);
    const mark = Math.max(size * 0.16, far || width / 130);
    const k = mark / 12,
      number = numberOf(card);
    const [left, right] = [x - mark, x + mark],
      middle = y - text * 0.7;
    const ys = corners.map((corner) => corner[1]);
    return {
      node: s(
        isNew ? "g.live-card.new" : "g.live-card",
        { "data-card": card },
        s("polygon.ov-case", { points }),
        s("polygon.live-line", { points, stroke: look.colour }),
      ),
      name: s("text.live-name", { "font-size": text, "stroke-width": text / 4.5 }, titleOf(card)),
      x,
      ys: [y + text * 0.75, Math.max(...ys) + text, Math.min(...ys) - text * 0.3, y - text * 2],
      text,
      mark: {
        box: { left, right, top: middle - mark, bottom: middle + mark * 0.7 },
        node: s(
          "g.live-sign",
          {},
          s("path.live-mark", {
            d: look.path,
            fill: look.colour,
            transform: `translate(${x} ${middle}) scale(${k})`,
          }),
          number
            ? s("text.live-number", { x, y: middle + mark * 0.42, "font-size": mark * 1.2 }, number)
            : null,
        ),
      },
    };
  }
  // Where cards are small on the screen their names would hide them: marks alone, names in the log.
  fit(width, cards) {
    const shown = this.node.clientWidth / width;
    const size = cards.length ? spread(cards[0].corners_px) * shown : 99;
    this.over.classList.toggle("small", size < 44 && !this.isFar);
  }
  tell(age, trouble) {
    const words = ageWords(age);
    write(this.age, words);
    this.age.classList.toggle("old", isOld(age));
    this.trouble.hidden = !trouble;
    this.trouble.classList.toggle("calm", isCalm(trouble));
    const told = troubleWords(trouble);
    write(this.trouble, told);
    this.node.classList.toggle("stale", Boolean(trouble));
  }
}

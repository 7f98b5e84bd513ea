// What the coach says: hints, for all or one side, each shown on the photo; where a piece was best.
import { h, s, toast } from "../lib/dom.js";
import { say, sentence, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { poly } from "../lib/geometry.js";
import { sideMark, sideName, sideStyle } from "../lib/names.js";

const COLD = [90, 20, 140], // as in the pictures: lighter is worth more
  HOT = [255, 130, 240],
  FAINT = 0.42,
  STRONG = 0.82,
  NUMBER_SHARE = 0.36; // of a cell's side

export function coachedRound({ advice, maps }, page) {
  if (!advice.length && !maps.some(({ most }) => most)) return h("p.soft", {}, t("coach.silent"));
  const heat = new Heat(page);
  const list = h("ul", {}),
    where = h("div", {});
  const paint = (side) => {
    heat.clear();
    where.replaceChildren(...pieceChoice(maps.filter((one) => !side || one.side === side), heat));
    const own = advice.filter((one) => !side || [null, side].includes(one.side));
    const lines = own.map((one) => hintLine(one, heat));
    list.replaceChildren(...(lines.length ? lines : [h("li.soft", {}, t("coach.silent"))]));
  };
  paint(null);
  return [sidesOf(advice, paint), list, where].filter(Boolean);
}
export function coachedEvening({ advice }) {
  if (!advice.length) return h("p.soft", {}, t("coach.silent"));
  const list = h("ul", {});
  const paint = (side) =>
    list.replaceChildren(
      ...advice
        .filter((one) => !side || one.side === side)
        .map((one) =>
          h(
            "li.soft",
            {},
            h("a", { href: `#/round/${one.round.id}` }, t("evening.nth", { n: one.round.number })),
            " ",
            sentence(say(one.said)),
          ),
        ),
    );
  paint(null);
  return [sidesOf(advice, paint), list].filter(Boolean);
}
// For whom: all, or one side, by the name of who plays it.
function sidesOf(advice, paint) {
  const sides = [...new Set(advice.map(({ side }) => side).filter(Boolean))];
  if (sides.length < 2) return null;
  const choose = (side) => {
    for (const button of row.children) button.setAttribute("aria-pressed", button.side === side);
    paint(side);
  };
  const button = (side, ...words) =>
    Object.assign(
      h("button.btn.small", { "aria-pressed": String(side === null), onclick: () => choose(side) }, words),
      { side },
    );
  const row = h(
    "div.row",
    { role: "group", "aria-label": t("coach.for") },
    button(null, t("coach.all")),
    sides.map((side) => button(side, sideMark(side), sideName(side))),
  );
  return row;
}
function hintLine(advice, heat) {
  const { piece, outline_px: outline, said } = advice;
  const words = sentence(say(said));
  if (!piece || !outline.length) return h("li.soft", {}, words);
  const show = h(
    "button.btn.small",
    { "aria-pressed": "false", onclick: () => heat.toggle(show, piece, outline) },
    t("coach.show"),
  );
  return h("li", {}, h("p.soft", {}, words), show);
}
// Where each piece would have scored best, those first that had most to gain.
function pieceChoice(maps, heat) {
  const able = maps.filter(({ most }) => most).sort((a, b) => b.most - a.most);
  if (!able.length) return [];
  const option = ({ piece, title, most }) =>
    h("option", { value: piece }, t("coach.piece", { piece: say(title), n: most }));
  const select = h(
    "select",
    {
      id: "coach-piece",
      onchange: () => (select.value ? heat.show(select.value) : heat.clear()),
    },
    h("option", { value: "" }, t("coach.none")),
    able.map(option),
  );
  heat.onPiece = (piece) => (select.value = piece ?? "");
  return [h("label.field", { for: "coach-piece" }, t("coach.where"), select)];
}
// The heat map on the photo: of one piece, with one outline of where it would have lain.
class Heat {
  constructor(page) {
    Object.assign(this, { page, layer: page.stage.layers.heat, button: null, onPiece: () => {} });
  }
  toggle(button, piece, outline) {
    const isOn = button.getAttribute("aria-pressed") === "true";
    if (isOn) this.clear();
    else this.show(piece, outline, button);
  }
  clear() {
    this.press(null);
    this.onPiece(null);
    this.wanted = null;
    this.layer.replaceChildren();
  }
  press(button) {
    this.button?.setAttribute("aria-pressed", "false");
    this.button = button;
    button?.setAttribute("aria-pressed", "true");
  }
  async show(piece, outline = null, button = null) {
    this.press(button);
    this.onPiece(piece);
    this.wanted = piece;
    try {
      const heat = await get(`${this.page.base}/coach/${piece}`);
      if (this.wanted === piece) this.draw(heat, outline ?? heat.best_px);
    } catch (problem) {
      toast(problem.words ?? String(problem), true);
    }
  }
  draw({ cells, most, side }, outline) {
    const ordered = [...cells].sort((a, b) => a.worth - b.worth);
    this.layer.replaceChildren(
      ...ordered.map((one) => cell(one, most)),
      ...ghost(outline, sideStyle(side).colour),
    );
    this.page.stage.fit();
    this.page.stage.node.scrollIntoView({ block: "nearest" });
  }
}
function cell({ outline_px: points, worth }, most) {
  const share = worth / most;
  const colour = COLD.map((a, i) => Math.round(a + share * (HOT[i] - a)));
  const [x, y] = [0, 1].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
  const side = Math.hypot(points[1][0] - points[0][0], points[1][1] - points[0][1]);
  return s(
    "g",
    {},
    s("polygon", {
      points: poly(points),
      fill: `rgb(${colour})`,
      "fill-opacity": FAINT + share * (STRONG - FAINT),
    }),
    s(
      "text",
      {
        x,
        y,
        fill: "#fff",
        "font-size": side * NUMBER_SHARE,
        "font-weight": "bold",
        "text-anchor": "middle",
        "dominant-baseline": "central",
      },
      "+" + worth,
    ),
  );
}
const ghost = (points, stroke) =>
  ["#0d1117", stroke].map((colour, i) =>
    s("polygon", {
      points: poly(points),
      fill: i ? "none" : "rgb(13 17 23 / 35%)",
      stroke: colour,
      "stroke-width": i ? 3 : 6,
      "stroke-dasharray": i ? "10 6" : null,
      "vector-effect": "non-scaling-stroke",
    }),
  );

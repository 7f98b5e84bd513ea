// The same design on the cards of other teams: looked at one after the other, the art laid over.
import { h, s, dialog, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { marksOf } from "../scene/card_face.js";

const MARGIN_MM = 2;
export const faceOf = (deck, card) => `/api/v1/decks/${deck}/cards/${card}.jpg`;

// Cards of a design that nobody has looked at yet; the first is the one it was entered on.
export const unseen = (design) =>
  Object.values(design.cards)
    .slice(1)
    .filter((card) => !design.looked_at.includes(card));

function picture(deck, design, size, base, card) {
  const [w, h_] = size;
  const image = (source, kind) =>
    s(`image.${kind}`, { href: faceOf(deck, source), x: -w / 2, y: -h_ / 2, width: w, height: h_, preserveAspectRatio: "none" });
  const over = image(base, "over");
  const marks = s("g", {}, ...marksOf(design, size));
  const box = [-w / 2 - MARGIN_MM, -h_ / 2 - MARGIN_MM, w + 2 * MARGIN_MM, h_ + 2 * MARGIN_MM];
  const svg = s("svg.twinface", { viewBox: box.join(" "), role: "img", "aria-label": card }, image(card, "under"), over, marks);
  return { svg, over, marks };
}
// Asks of each card whether it is as entered; answer(card, isSo) resolves when that is kept.
export function lookAt(deck, design, size, cards, answer) {
  const [base] = Object.values(design.cards);
  const left = [...cards];
  const body = h("div", {});
  const box = dialog(t("does.twins"), t("close"), body);
  const next = () => {
    const card = left.shift();
    if (card) show(card);
    else box.close();
  };
  const show = (card) => {
    const { svg, over, marks } = picture(deck, design, size, base, card);
    over.style.opacity = 0;
    const slider = h("input", { id: "twin-over", type: "range", min: 0, max: 100, value: 0 });
    slider.addEventListener("input", () => {
      over.style.opacity = slider.value / 100;
    });
    const toggle = (label, act) => {
      const button = h("button.btn.small", { "aria-pressed": "false" }, label);
      button.addEventListener("click", () => {
        const isOn = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isOn));
        act(isOn);
      });
      return button;
    };
    const differ = toggle(t("does.differences"), (isOn) => {
      svg.classList.toggle("differ", isOn);
      over.style.opacity = isOn ? 1 : slider.value / 100;
    });
    const bare = toggle(t("does.without"), (isOn) => {
      marks.style.display = isOn ? "none" : "";
    });
    const say = (isSo) => async () => {
      if ((await answer(card, isSo)) !== false) next();
    };
    const yes = h("button.btn.main", { onclick: say(true) }, icon("check"), t("does.same"));
    body.replaceChildren(
      h("h3", {}, card),
      svg,
      h("label.field", { for: "twin-over" }, t("does.lay_over", { card: base }), slider),
      h("div.row", {}, differ, bare),
      h("div.row", {}, yes, h("button.btn", { onclick: say(false) }, t("does.other"))),
      h("p.tiny.soft", {}, t("does.other_how")),
    );
    yes.focus();
  };
  next();
}

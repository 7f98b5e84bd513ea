// The parts of a design as a form: numbers, powers, edges; each can be deleted. What is shown is
// changed in place: a field that is typed in, or a button that is being pressed, stays.
import { h, icon } from "../lib/dom.js";
import { number, t } from "../lib/i18n.js";
import { EDGES, PLACE, POWERS, STRETCHES, WEAPONS, clamp, halfOf, onCard, plainDeg } from "../lib/design.js";

// A number; told(value) is called once it is one. Every piece of the form is {node, show(value)}.
function field(id, label, told, more) {
  const input = h("input", { id, type: "number", ...more });
  input.addEventListener("change", () => {
    if (!input.validity.valid) input.reportValidity();
    else told(input.value === "" ? null : Number(input.value));
  });
  const show = (value) => {
    const isTyped = document.activeElement === input && input.value !== input.dataset.shown;
    if (isTyped) return;
    input.value = value ?? "";
    input.dataset.shown = input.value;
  };
  return { node: h("label.field", { for: id }, label, input), show };
}
const length = (id, label, told) =>
  field(id, label, (value) => value !== null && told(value), { inputmode: "decimal", step: "any", required: true });
// Whole numbers from 1: how fast, how tough.
export const wholeField = (id, label, told) =>
  field(id, label, told, { inputmode: "numeric", min: 1, max: 99, step: 1 });
// Which of a few: buttons that say which is pressed.
export function choices(label, among, told, words) {
  const buttons = among.map((one) =>
    h("button.btn.small", { type: "button", onclick: () => told(one) }, words(one)),
  );
  const show = (now) =>
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(among[k] === now)));
  return { node: h("div.row.choices", { role: "group", "aria-label": label }, buttons), show };
}
const dot = (part) => h(part[PLACE] ? `span.dot.power-${part.power}` : "span.dot.guard", {});
export const powerChoice = (label, told) =>
  choices(label, POWERS, told, (power) => [h(`span.dot.power-${power}`, {}), t(`does.power.${power}`)]);

// now() is the part as it is, change(part) is told another.
function weaponForm(size, now, change) {
  const place = (k, to) => {
    const at = [...now()[PLACE]];
    at[k] = to;
    change({ ...now(), [PLACE]: onCard(at, size) });
  };
  const power = powerChoice(t("does.power"), (value) => change({ ...now(), power: value }));
  const x = length("part-x", t("does.x"), (to) => place(0, to));
  const y = length("part-y", t("does.y"), (to) => place(1, to));
  const turn = length("part-turn", t("does.heading"), (to) => change({ ...now(), heading_deg: plainDeg(to) }));
  const show = (one) => {
    power.show(one.power);
    x.show(one[PLACE][0]);
    y.show(one[PLACE][1]);
    turn.show(one.heading_deg);
  };
  return { nodes: [power.node, h("div.row", {}, x.node, y.node, turn.node)], show };
}
function stretchForm(size, now, change) {
  const onEdge = (edge) => {
    const half = halfOf(edge, size);
    change({ edge, from_mm: Math.max(-half, now().from_mm), to_mm: Math.min(half, now().to_mm) });
  };
  const half = () => halfOf(now().edge, size);
  const end = (name) => (to) => change({ ...now(), [name]: clamp(to, half()) });
  const edge = choices(t("does.edge"), EDGES, onEdge, (name) => t("does.edge." + name));
  const from = length("part-from", t("does.from"), end("from_mm"));
  const to = length("part-to", t("does.to"), end("to_mm"));
  const whole = () => change({ ...now(), from_mm: -half(), to_mm: half() });
  const show = (one) => {
    edge.show(one.edge);
    from.show(one.from_mm);
    to.show(one.to_mm);
  };
  const button = h("button.btn.small", { type: "button", onclick: whole }, t("does.whole_edge"));
  return { nodes: [edge.node, h("div.row", {}, from.node, to.node, button)], show };
}
const FORMS = { [WEAPONS]: weaponForm, [STRETCHES]: stretchForm };
function wordsOf(kind, part, at) {
  const n = at + 1;
  if (kind === WEAPONS) {
    const power = t(`does.power.${part.power}`),
      heading = number(part.heading_deg, 1);
    return t("does.weapon_n", { n, power, heading });
  }
  const [from, to] = [part.from_mm, part.to_mm].map((mm) => number(mm, 1));
  return t("does.stretch_n", { n, edge: t("does.edge." + part.edge), from, to });
}

// All parts as a list; the chosen one open.
export class PartList {
  // choose(chosen), change(chosen, part) and remove(chosen) are told what the hand does
  constructor(size, { choose, change, remove }) {
    Object.assign(this, { size, choose, change, remove, shape: "", shows: [] });
    this.node = h("div", {});
  }
  paint(design, chosen) {
    this.design = design;
    const shape = JSON.stringify([design[WEAPONS].length, design[STRETCHES].length, chosen]);
    if (shape !== this.shape) this.build(chosen);
    this.shape = shape;
    for (const show of this.shows) show();
  }
  build(chosen) {
    const hadFocus = this.node.contains(document.activeElement);
    this.shows = [];
    const all = [WEAPONS, STRETCHES].flatMap((kind) =>
      this.design[kind].map((_, at) => this.item({ kind, at }, chosen?.kind === kind && chosen.at === at)),
    );
    this.node.replaceChildren(all.length ? h("ul.parts", {}, all) : h("p.soft", {}, t("does.nothing")));
    if (hadFocus) this.node.querySelector("[aria-expanded=true], button")?.focus({ preventScroll: true });
  }
  item(which, isOpen) {
    const now = () => this.design[which.kind][which.at];
    const open = h("button.btn.small.grow", { "aria-expanded": String(isOpen), onclick: () => this.choose(isOpen ? null : which) });
    const remove = h("button.ico.danger", { onclick: () => this.remove(which) }, icon("trash"));
    const form = isOpen ? FORMS[which.kind](this.size, now, (part) => this.change(which, part)) : null;
    this.shows.push(() => {
      const part = now(),
        words = wordsOf(which.kind, part, which.at);
      open.replaceChildren(dot(part), words);
      remove.setAttribute("aria-label", t("does.delete", { what: words }));
      form?.show(part);
    });
    return h("li.part", {}, h("div.row", {}, open, remove), form?.nodes);
  }
}

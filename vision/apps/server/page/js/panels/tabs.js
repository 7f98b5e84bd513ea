// Tabs over one body: keys go from one to the next, and stay where they were when it is painted.
import { h } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const sayingOf = (node) =>
  node.tagName + (node.dataset.says || node.getAttribute("aria-label") || node.textContent);

export class Tabs {
  // panels: name -> () => nodes; badged: the tab that carries a number
  constructor(panels, { badged, onOpen }) {
    Object.assign(this, { panels, onOpen, names: Object.keys(panels), now: null });
    this.body = h("div.body", { role: "tabpanel", id: "panel", tabindex: "-1" });
    this.badge = h("span.badge", {});
    this.bar = h(
      "div.tabs",
      { role: "tablist", "aria-label": t("tabs.label") },
      this.names.map((name) => this.button(name, name === badged ? this.badge : null)),
    );
    this.node = h("div.side", {}, this.bar, this.body);
  }
  button(name, badge) {
    return h(
      "button",
      {
        role: "tab",
        id: "tab-" + name,
        "aria-controls": "panel",
        onclick: () => this.open(name),
        onkeydown: (e) => this.step(name, { ArrowRight: 1, ArrowLeft: -1 }[e.key]),
      },
      t("tab." + name),
      badge,
    );
  }
  step(name, by) {
    if (!by) return;
    const { names } = this;
    const next = names[(names.indexOf(name) + by + names.length) % names.length];
    this.open(next);
    document.getElementById("tab-" + next).focus();
  }
  open(name) {
    this.now = name;
    this.onOpen(name);
    for (const b of this.bar.children) {
      const on = b.id === "tab-" + name;
      b.setAttribute("aria-selected", on);
      b.tabIndex = on ? 0 : -1;
    }
    this.body.setAttribute("aria-labelledby", "tab-" + name);
    this.paint();
  }
  count(n) {
    this.badge.textContent = n;
    this.badge.hidden = !n;
  }
  paint() {
    if (!this.now) return;
    const { body } = this;
    const had = document.activeElement;
    const words = body.contains(had) && had !== body ? sayingOf(had) : null;
    const open = [...body.querySelectorAll("details")].map((d) => d.open);
    body.replaceChildren(...[this.panels[this.now]()].flat(3).filter(Boolean));
    const folds = body.querySelectorAll("details");
    if (body.dataset.tab === this.now && folds.length === open.length)
      folds.forEach((d, i) => (d.open = open[i]));
    body.dataset.tab = this.now;
    if (words === null) return; // the keys stay where they were, or near
    const same = [...body.querySelectorAll("button, a, summary, [tabindex]")];
    (same.find((node) => sayingOf(node) === words) || body).focus({ preventScroll: true });
  }
}

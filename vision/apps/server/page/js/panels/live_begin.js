// Live tables: those that are followed now, and a new one with this device's camera.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { keyOf } from "../lib/live_keys.js";
import { chosenDeck, playedOffers } from "../lib/offers.js";
import { deckField } from "./deck.js";
import { ruleFields } from "./rules.js";

function tableItem(game) {
  const name = game.name || t(game.source === "server" ? "live.table_server" : "live.table");
  const phase = t("live.phase." + (game.watch?.phase || "starting"));
  return h(
    "li.item.live-item",
    {},
    h("span.thumb.center", {}, icon("live")),
    h(
      "div",
      {},
      h("a.title", { href: `#/live/${game.id}` }, name),
      h("p.tiny.soft", {}, phase, keyOf(game.id) ? " · " + t("live.yours") : ""),
    ),
    h("a.btn.small", { href: `#/live/${game.id}` }, t("live.watch")),
  );
}
export const runningPanel = (games) =>
  games.length
    ? h(
        "section.panel",
        { "aria-label": t("live.running") },
        h("h2", {}, t("live.running")),
        h("ul", {}, games.map(tableItem)),
      )
    : null;

// begin(order) is told what was chosen; of the evening comes what is played unless told otherwise.
export class BeginPanel {
  constructor(begin, evening) {
    this.count = h("input", { type: "checkbox", id: "live-count", checked: true });
    this.silence = h("input", { type: "checkbox", id: "live-silence", checked: true });
    this.start = h(
      "button.btn.main.big",
      { onclick: () => begin(this.read()) },
      icon("camera"),
      t("live.start"),
    );
    const check = (input, words) =>
      h("label.check", { for: input.id }, input, h("span", {}, t(words)));
    this.rules = h("div.fields", {});
    const offers = playedOffers();
    const own = offers.find((one) => one.deck === evening?.deck);
    this.play(own?.deck ?? chosenDeck(offers), own ? evening.rules : {});
    this.node = h(
      "section.panel",
      { "aria-label": t("live.begin") },
      h("h2", {}, t("live.begin")),
      h("p.soft", {}, t("live.how")),
      deckField(offers, { now: this.deck, changed: (deck) => this.play(deck, {}) }),
      this.start,
      h(
        "details",
        {},
        h("summary", {}, t("live.options")),
        h(
          "div.fields",
          {},
          check(this.count, "live.by_count"),
          check(this.silence, "live.by_silence"),
          this.rules,
        ),
      ),
    );
  }
  play(deck, rules) {
    this.deck = deck;
    this.fields = ruleFields(deck, rules);
    this.rules.replaceChildren(...this.fields.nodes);
  }
  read() {
    return {
      deck: this.deck,
      rules: Object.entries(this.fields.read()).map(([k, v]) => `${k}=${v ?? "auto"}`),
      silence_s: this.silence.checked ? 5 : 0,
      stop_on_count: this.count.checked,
    };
  }
}

// What happens at a live table, the newest first.
import { h, dialog } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { sideMark } from "../lib/names.js";

const MOST_LINES = 200;
const SIGNS = { warning: "!", doubt: "?" };
const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export class LiveLog {
  constructor(id) {
    this.id = id;
    this.lines = h("ol.live-log", {
      "aria-live": "polite",
      "aria-relevant": "additions",
      "aria-label": t("live.log"),
      tabindex: "0",
    });
    this.node = h(
      "section.panel",
      { "aria-label": t("live.log") },
      h("h2", {}, t("live.log")),
      this.lines,
    );
  }
  add(event) {
    this.lines.prepend(this.line(event));
    while (this.lines.children.length > MOST_LINES) this.lines.lastChild.remove();
  }
  line(event) {
    const words = sentence(event.message);
    const sign = SIGNS[event.severity];
    return h(
      `li.is-${event.severity}`,
      { "data-code": event.code },
      h("span.when", {}, clock(event.time_s)),
      h(
        "span.sign",
        {},
        sign ? h("span.sr", {}, t("live." + event.severity) + " ") : null,
        h("span", { "aria-hidden": "true" }, sign || (event.team ? sideMark(event.team) : "")),
      ),
      h("span", {}, words),
      event.has_picture ? this.thumb(event, words) : null,
    );
  }
  thumb({ number }, words) {
    const src = `/api/v1/live/${this.id}/events/${number}/picture`;
    const look = () =>
      dialog(
        t("live.look"),
        t("close"),
        h("p", {}, words),
        h("img.live-look", { src, alt: words }),
      );
    return h(
      "button.live-thumb",
      { "aria-label": t("live.look_at", { what: words }), onclick: look },
      h("img", { src, alt: "", loading: "lazy" }),
    );
  }
}

// Ordering in secret, as the table sees it: a code for each player, who is there, who has ordered.
import { h, icon, toast, dialog } from "../lib/dom.js";
import { list, sentence, t } from "../lib/i18n.js";
import { get, post, call } from "../lib/api.js";
import { loadAbout } from "../lib/about.js";
import { follow } from "../lib/follow.js";
import { partyName, sideMark } from "../lib/names.js";

const TIMES_S = [30, 60, 90, 120, 180, 300];

export class Sitting {
  // base: of the round; parties(): all who order there; clock: shown over the photo; onPaint: something changed; onOver: revealed
  constructor({ base, clock, parties, onPaint, onOver }) {
    Object.assign(this, { base, clock, parties, onPaint, onOver, now: null, former: null, usual: 60 });
    this.turns = 0; // how often it became another sitting, or another state of one
    this.isActing = false;
  }
  // Who orders at this round. An answer is older than what was heard while it was on its way: then
  // the server is asked again.
  async ask() {
    for (;;) {
      const { turns } = this;
      const answer = await get(`${this.base}/sitting`);
      if (turns === this.turns) return answer;
    }
  }
  async load() {
    const { sitting, former, seconds } = await this.ask();
    Object.assign(this, { former, usual: seconds });
    this.take(sitting);
  }
  // Somebody may have begun to take orders on another screen.
  async keepUp() {
    if (this.isOn) return; // its own stream tells of it
    const { sitting, former } = await this.ask();
    if (sitting?.id === this.now?.id && former === this.former) return;
    this.former = former;
    this.take(sitting);
  }
  take(sitting) {
    this.leave();
    this.turns++;
    this.now = sitting;
    if (!this.isOn) return this.onPaint();
    this.clock.set(sitting);
    this.end = follow(`/sittings/${sitting.id}/events`, (state) => this.told(state));
    return this.onPaint();
  }
  get isOn() {
    return ["gathering", "open"].includes(this.now?.state);
  }
  // What the server tells as it happens holds no addresses: those stay as they were.
  told(state) {
    const joins = new Map(this.now.parties.map((party) => [party.id, party.join]));
    for (const party of state.parties) party.join = joins.get(party.id);
    if (state.state !== this.now.state) this.turns++;
    this.now = state;
    this.clock.set(state);
    if (!this.isOn) this.leave();
    this.onPaint();
    if (state.state === "over") this.onOver();
  }
  leave() {
    this.end?.();
    this.end = null;
    this.clock.node.hidden = true;
  }
  // One request at a time: a button that is tapped twice would begin twice, and end the first.
  async act(path, body) {
    if (this.isActing) return;
    this.isActing = true;
    try {
      this.take(await post(path, body));
    } catch (error) {
      toast(error.words || String(error), true);
    }
    this.isActing = false;
  }
  begin(seconds, former) {
    return this.act(`${this.base}/sitting`, { seconds, ...(former ? { former } : {}) });
  }
  async callOff() {
    await call("DELETE", `/sittings/${this.now.id}`).catch((e) => toast(e.words, true));
    await this.load();
  }
  panel() {
    return this.isOn ? this.seats() : this.invitation();
  }
  invitation() {
    const times = [...new Set([...TIMES_S, this.usual])].sort((a, b) => a - b);
    const seconds = h(
      "select",
      // Painted anew it keeps what was chosen.
      { id: "order-seconds", onchange: ({ target }) => (this.seconds = Number(target.value)) },
      times.map((n) => h("option", { value: n }, t("sitting.seconds", { n }))),
    );
    seconds.value = String(this.seconds ?? this.usual);
    const begin = (former) => () => this.begin(Number(seconds.value), former);
    return h(
      "section.panel",
      {},
      h("h2", {}, t("sitting.title")),
      h("p.soft", {}, t("sitting.lead")),
      h(
        "div.row",
        {},
        h("label.field", { for: "order-seconds" }, t("sitting.time"), seconds),
        this.former
          ? h("button.btn.main", { onclick: begin(this.former) }, icon("qr"), t("sitting.same"))
          : null,
        h(
          this.former ? "button.btn" : "button.btn.main",
          { onclick: begin(null) },
          icon("qr"),
          t("sitting.begin"),
        ),
      ),
    );
  }
  // Whose order the photo shows has no seat.
  shown() {
    const seated = new Set(this.now.parties.map(({ id }) => id));
    const names = this.parties().filter(({ id }) => !seated.has(id)).map(partyName);
    return names.length ? h("p.soft", {}, sentence(t("sitting.shown", { names: list(names) }))) : null;
  }
  seats() {
    const { now } = this,
      isWaiting = now.state === "gathering";
    const start = () => this.act(`/sittings/${now.id}/start`);
    return h(
      "section.panel.sitting",
      {},
      h("h2", {}, t("sitting.title")),
      h("p.soft", {}, t(isWaiting ? "sitting.scan" : "sitting.runs")),
      h("div.seats", {}, now.parties.map((party) => this.seat(party))),
      this.shown(),
      this.reach(),
      h(
        "div.row",
        {},
        isWaiting
          ? h("button.btn.main.big", { onclick: start }, icon("play"), t("sitting.start"))
          : null,
        h("button.btn.danger", { onclick: () => this.callOff() }, t("sitting.off")),
      ),
    );
  }
  seat(party) {
    const { id } = this.now,
      name = partyName(party);
    const renew = () => this.act(`/sittings/${id}/seats/${party.id}/renew`);
    const code = `/api/v1/sittings/${id}/seats/${party.id}/qr.svg?of=${party.join.slice(-6)}`;
    const large = () =>
      dialog(
        t("sitting.code", { name }),
        t("close"),
        h("div.qr", {}, h("img.large", { src: code, alt: t("sitting.code", { name }) })),
      );
    const isThere = party.phones > 0;
    return h(
      "div.seat",
      {},
      h("h3.team", {}, party.side ? sideMark(party.side) : null, name),
      isThere
        ? h("p.there", {}, t(party.in ? "sitting.in" : "sitting.there"))
        : h(
            "button.code",
            { onclick: large, "aria-label": t("sitting.code", { name }) },
            h("img", { src: code, alt: "" }),
          ),
      party.phones > 1 ? h("p.warning.tiny", {}, t("sitting.phones", { n: party.phones })) : null,
      isThere
        ? h("button.btn.small", { onclick: renew }, icon("qr"), t("sitting.renew"))
        : h("a.tiny", { href: party.join, target: "_blank", rel: "noopener" }, t("sitting.here")),
    );
  }
  // Phones cannot come to a server that only this machine reaches.
  reach() {
    const note = h("p.warning", { hidden: true }, t("phones.closed"));
    loadAbout()
      .then(({ addresses }) => (note.hidden = addresses.length > 0))
      .catch(() => {});
    return note;
  }
}

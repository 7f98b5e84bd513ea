// A player's own phone: his orders in secret, then what came of all of them.
import { h, toast } from "../lib/dom.js";
import { t, say, sentence } from "../lib/i18n.js";
import { follow } from "../lib/follow.js";
import { nameSides, partyName, sideMark } from "../lib/names.js";
import { readRound } from "../lib/round.js";
import { Seat } from "../lib/seat.js";
import { Replay } from "../scene/replay.js";
import { Stage } from "../scene/stage.js";
import { Taps } from "../scene/taps.js";
import { Clock } from "../panels/clock.js";
import { ledgerPanel } from "../panels/ledger.js";
import { orderPad } from "../panels/order_pad.js";
import { OrderSheet } from "../panels/order_sheet.js";
import { ownSeats } from "../panels/own_seats.js";
import { Scores } from "../panels/scores.js";

const isWide = () => matchMedia("(min-width: 900px)").matches;

export async function showSeat(main, token) {
  nameSides({});
  const seat = new Seat(token);
  const page = new SeatPage(main, seat, await seat.join());
  await page.open();
  return () => page.leave();
}

class SeatPage {
  constructor(main, seat, state) {
    Object.assign(this, { main, seat, state, own: [], isLost: false, isGiving: false, news: Promise.resolve() });
    this.clock = new Clock({ onLast: () => this.giveLast() });
    this.body = h("div.body", {});
    this.told = this.told.bind(this);
  }
  // The round that this seat is at now; the players may have come over to another.
  async open() {
    const { seat, state } = this;
    this.round = readRound(await seat.ask("GET", "/round"));
    this.stage?.destroy();
    this.stage = new Stage({ photoUrl: `/api/v1${seat.path}/photo.jpg?of=${state.scan}` });
    this.scores = new Scores();
    this.replay = new Replay((frame) => this.paintFrame(frame));
    this.taps = this.ordering();
    const { scores, clock, stage, replay } = this;
    document.title = t("seat.title", { name: partyName(this.me) });
    this.page = h(
      "div.round.seat-page",
      {},
      h("div.stagebox", {}, scores.node, clock.node, stage.node, replay.node),
      h("div.side", {}, this.body),
    );
    this.main.replaceChildren(h("h1.sr", {}, document.title), this.page);
    stage.show(this.round);
    stage.lookAtBoard();
    // Where nothing is tapped on the board, a phone shows large what is the player's own.
    if (this.round.by_sheet && !isWide()) stage.lookAtCorner(this.me.side);
    replay.load(this.round);
    this.clock.set(state);
    const [gone, lost] = [() => this.gone(), () => this.lost()];
    this.end ??= follow(`${seat.path}/events`, this.told, gone, lost);
    this.own = await seat.others(state);
    if (this.isMyTurn && state.mine !== "here") await this.choose();
    else this.paint();
  }
  // How an order is chosen: on a sheet that is filled in, or by taps on the photo.
  ordering() {
    const { seat, stage } = this,
      onChange = () => this.paint(),
      read = (_, order) => {
        if (this.round.by_sheet) seat.keep(this.state.scan, order);
        return seat.read(order).catch((error) => {
          if (error.status === 0) this.lost();
          throw error;
        });
      };
    if (this.round.by_sheet)
      return new OrderSheet({ sheet: (_, order) => seat.sheet(order), read, onChange });
    const choices = async (_, so_far) => ({
      ...(await seat.choices(so_far).catch((error) => {
        if (error.status === 0) this.lost();
        throw error;
      })),
      heard: this.state.heard,
    });
    return new Taps(stage, { choices, read, onChange, onTrail: (trail) => this.keepTrail(trail) });
  }
  keepTrail(trail) {
    const last = trail.at(-1);
    this.seat.keep(this.state.scan, last?.whole ? last.text : null, trail);
  }
  leave() {
    this.end?.();
    this.replay.pause();
    this.clock.destroy();
    this.stage.destroy();
  }
  get me() {
    return this.state.parties.find(({ id }) => id === this.state.party);
  }
  get isOn() {
    return ["gathering", "open"].includes(this.state.state);
  }
  // Players may order one after the other.
  get isMyTurn() {
    return this.isOn && this.state.turn.includes(this.state.party);
  }
  choose() {
    const { order, scan } = this.state,
      draft = this.seat.draft(scan);
    const given = this.round.by_sheet ? (draft.order ?? order?.order ?? null) : draft.trail;
    return this.taps
      .begin(this.state.party, given)
      .catch((e) => toast(e.words || String(e), true));
  }
  // News are minded one after the other: of two questions the first may be answered last, and what
  // was so then would stay.
  told(event) {
    this.news = this.news
      .then(() => this.hear(event))
      .catch((error) => toast(error.words || String(error), true));
  }
  // What everyone is told as it happens; what only this phone may know is asked for.
  async hear({ scan }) {
    const was = this.state;
    try {
      this.state = await this.seat.state();
    } catch (error) {
      if (error.status === 404) return this.gone();
      return toast(error.words || String(error), true);
    }
    this.isLost = false;
    this.clock.set(this.state);
    if (scan !== was.scan) return this.open();
    this.own = await this.seat.others(this.state);
    if (this.state.state === "over" && was.state !== "over") return this.reveal();
    if (!this.isMyTurn) this.taps.stop();
    else if (!was.turn.includes(this.state.party) && this.state.mine === "none") return this.choose();
    else if (this.taps.party) await this.catchUp();
    return this.paint();
  }
  // After the server was out of reach: what was tapped meanwhile stays, and is read.
  async catchUp() {
    const { taps } = this;
    try {
      await (!this.round.by_sheet || taps.columns.length ? taps.again() : this.choose());
    } catch {
      this.isLost = true;
    }
  }
  lost() {
    this.isLost = true;
    if (this.isOn) this.paint();
  }
  async reveal() {
    this.taps.stop();
    this.round = readRound(await this.seat.ask("GET", "/round"));
    this.stage.show(this.round);
    this.replay.load(this.round);
    this.paint();
    this.replay.set(0);
    if (this.replay.count) this.replay.play();
  }
  gone() {
    this.leave();
    this.main.replaceChildren(
      h(
        "div.wrap",
        {},
        h(
          "section.panel",
          { role: "alert" },
          h("h1", {}, t("seat.gone_title")),
          h("p", {}, t("seat.gone")),
        ),
      ),
    );
  }
  // What is filled in when the time ends counts, sealed or not.
  giveLast() {
    const { taps, state } = this;
    if (state.state !== "open") return;
    if (taps.party && !taps.isEmpty && !this.isGiving) this.give(taps.filled);
    if (this.gaveDrafts === state.scan) return; // the clock says it again with each news
    this.gaveDrafts = state.scan;
    for (const { seat, state: now } of this.own) {
      const draft = seat.draft(state.scan).order;
      if (draft && now.mine !== "here") seat.give(draft).catch(() => {}); // the phone says so there
    }
  }
  async give(order) {
    this.isGiving = true;
    try {
      const given = await this.seat.give(order);
      if (!this.isOn) return null; // it was the last one, and all is revealed already
      this.state = given;
    } catch (error) {
      return toast(error.words || String(error), true);
    } finally {
      this.isGiving = false;
    }
    this.taps.stop();
    this.clock.set(this.state);
    return this.paint();
  }
  // --- what is shown ---
  paintFrame(frame) {
    this.stage.paint(frame);
    const { winners, headline, tallies, ledger } = this.round;
    this.scores.tell(headline);
    this.scores.paint(tallies[frame.settled].scores, frame.atEnd ? winners : [], ledger);
    for (const node of this.body.querySelectorAll("[data-step]"))
      node.classList.toggle("now", Number(node.dataset.step) === frame.step);
  }
  paint() {
    const { state, me } = this;
    this.page.classList.toggle("filling", Boolean(this.isOn && this.taps.columns?.length));
    const part = { gathering: "orders", open: "orders", over: "result", off: "off" }[state.state];
    // A sheet under a finger stays as it is while others come and seal.
    const own = this.own.map(({ seat }) => seat.token).join();
    const shown = [part, state.state, state.mine, me.phones, this.taps.party, this.taps.columns, own, this.isLost];
    if (part === "orders" && this.shown?.every((one, k) => one === shown[k]))
      return this.body.querySelector("ul.parties").replaceWith(this.others());
    this.shown = this.taps.columns ? shown : null;
    return this.body.replaceChildren(
      ...[
        ownSeats(this),
        this.isLost && this.isOn ? h("p.warning", { role: "status" }, t("seat.lost")) : null,
        h("h2.team", {}, me.side ? sideMark(me.side) : null, partyName(me)),
        me.phones > 1 ? h("p.warning", { role: "status" }, t("sitting.phones", { n: me.phones })) : null,
        ...this[part]().flat().filter(Boolean),
      ].filter(Boolean),
    );
  }
  orders() {
    const { state, taps } = this,
      isOpen = state.state === "open";
    const isWaiting = !isOpen || (!this.isMyTurn && state.mine === "none");
    return [
      isWaiting ? h("p.soft", { role: "status" }, t(isOpen ? "seat.later" : "seat.waiting")) : null,
      taps.party ? this.pad(isOpen) : state.mine === "none" ? null : this.given(),
      this.others(),
    ];
  }
  pad(isOpen) {
    const label = t(isOpen ? "seat.give" : "seat.wait");
    const note = this.state.mine === "elsewhere" ? h("p.warning", {}, t("seat.elsewhere")) : null;
    const counts = h("p.soft.tiny", {}, t("seat.counts"));
    const more = this.own.length || isOpen ? null : h("p.soft.tiny", {}, t("seat.another"));
    const give = (order) => this.give(order);
    return [note, orderPad(this.taps, { give, label, isOpen }), counts, more];
  }
  given() {
    const { order } = this.state,
      { isMyTurn } = this;
    return h(
      "section.panel.sealed",
      { role: "status" },
      h("p.soft", {}, t(isMyTurn ? "seat.sealed" : "seat.stands")),
      order ? h("p.said", {}, sentence(order.said)) : null,
      order?.lines.length
        ? h("ol.lines", {}, order.lines.map(({ said }) => h("li", {}, sentence(said))))
        : null,
      order?.warning ? h("p.warning", {}, sentence(order.warning)) : null,
      isMyTurn ? h("button.btn", { onclick: () => this.choose() }, t("orders.another")) : null,
    );
  }
  others() {
    const rest = this.state.parties.filter(({ id }) => id !== this.state.party);
    const fate = (party) => (party.in ? "sitting.in" : party.phones ? "sitting.there" : "seat.absent");
    return h(
      "ul.parties",
      {},
      rest.map((party) =>
        h(
          "li",
          {},
          h("span.team", {}, party.side ? sideMark(party.side) : null, partyName(party)),
          h("span.soft", {}, t(fate(party))),
        ),
      ),
    );
  }
  result() {
    const { orders, ledger } = this.round;
    return [
      h("p.outcome", {}, h("b", {}, sentence(ledger.outcome))),
      h(
        "ul.parties",
        {},
        orders.map((party) =>
          h(
            "li",
            {},
            h("span.team", {}, party.side ? sideMark(party.side) : null, partyName(party)),
            h("span", {}, party.order === null ? t("orders.none") : sentence(say(party.said))),
          ),
        ),
      ),
      ledgerPanel(this.round, { replay: this.replay }),
    ];
  }
  off() {
    return [h("p", { role: "status" }, t("seat.off"))];
  }
}

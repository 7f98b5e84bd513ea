// A round: photo, score, replay; beside them doubts, ledger, table, corrections, things to take.
import { h, icon, toast } from "../lib/dom.js";
import { t, say, when, language } from "../lib/i18n.js";
import { Problem, get, post } from "../lib/api.js";
import { nameSides } from "../lib/names.js";
import { news } from "../lib/news.js";
import { turnSounds } from "../lib/sounds.js";
import { Newest, onTelevision } from "../lib/television.js";
import { centre, spread } from "../lib/geometry.js";
import { doubts, eventsOf, isOrdered, readRound } from "../lib/round.js";
import { Stage } from "../scene/stage.js";
import { Replay } from "../scene/replay.js";
import { Editor } from "../scene/editor.js";
import { Taps } from "../scene/taps.js";
import { Clock } from "../panels/clock.js";
import { placeOf } from "../panels/doubts.js";
import { help } from "../panels/help.js";
import { screenButton } from "../panels/on_screen.js";
import { OrderSheet } from "../panels/order_sheet.js";
import { Photos } from "../panels/photos.js";
import { roundPanels } from "../panels/round_panels.js";
import { Scores } from "../panels/scores.js";
import { Sitting } from "../panels/sitting.js";
import { Tabs } from "../panels/tabs.js";

const PIECE_SPANS = 5, // of a chosen piece: so much of the table is seen round it on a phone
  EVENT_SPANS = 7;
const isWide = () => matchMedia("(min-width: 900px)").matches;

// Why there is no round: a photo that could not be read says what is needed.
async function toReason(error, { base, token }) {
  const scan = error.code === "not_ready" && !token ? await get(base) : {};
  if (scan.state === "failed") throw new Problem(409, scan.error.code, scan.error.detail);
  throw error;
}
export async function showRound(main, place, { tv = false } = {}) {
  const plain = await get(`${place.base}/round`).catch((error) => toReason(error, place));
  nameSides(await teamsOf(plain));
  const page = new RoundPage(place, plain);
  const newest = new Newest();
  if (tv) await newest.see(); // before the round is shown: from then on its keys are heard
  page.show(main);
  news.follow(async () => {
    const isGood = await page.keepUp();
    if (tv && !page.sitting.isOn) await newest.see();
    return isGood;
  });
  const leave = tv ? onTelevision(page) : () => {};
  return () => {
    leave();
    page.leave();
  };
}

// What the players call their sides, in its evening.
const teamsOf = ({ evening }) =>
  evening ? get(`/evenings/${evening}`).then(({ teams }) => teams, () => ({})) : {};

// What panels are handed as `actions`: where the round is, what is chosen, what can be done.
class RoundPage {
  constructor({ base, id, token }, plain) {
    const round = this.take(plain);
    Object.assign(this, { base, id, token, round, readOnly: Boolean(token), selection: {} });
    this.busy = Promise.resolve();
    this.send = this.send.bind(this);
    this.choose = this.choose.bind(this);
    this.stage = new Stage({
      photoUrl: this.photoUrl,
      onPiece: (piece) => this.choose({ piece }),
      onEvent: (event) => this.choose({ event }),
      onEmpty: () => this.choose({}),
    });
    this.heading = h("h1.sr", {});
    this.scores = new Scores();
    this.photos = new Photos({
      base,
      id,
      onPaint: () => this.tabs.paint(),
      onRead: () => this.reload(),
    });
    this.tabs = this.makeTabs();
    this.replay = new Replay((frame) => this.paintFrame(frame));
    this.editor = new Editor(this.stage, {
      send: this.send,
      onSelect: () => this.tabs.now === "edit" && this.tabs.paint(),
    });
    this.order = this.order.bind(this);
    this.onKey = this.onKey.bind(this);
    this.makeOrders();
  }
  // Orders in the open, by taps, and in secret; the clock of those runs over the photo.
  makeOrders() {
    const ask = (what) => (party, body) =>
      post(`${this.base}/orders/${party}/${what}`, {
        ...body,
        given: Object.fromEntries([...this.drafts].map(([id, { order }]) => [id, order])),
        lang: language(),
      });
    this.drafts = new Map();
    const read = (party, order) => ask("read")(party, { order }),
      onChange = () => this.repaint();
    const sheet = (party, order) => ask("sheet")(party, { order });
    const choices = (party, so_far) => ask("choices")(party, { so_far });
    this.taps = this.round.by_sheet
      ? new OrderSheet({ sheet, read, onChange })
      : new Taps(this.stage, { choices, read, onChange });
    this.clock = new Clock();
    this.sitting = new Sitting({
      base: this.base,
      clock: this.clock,
      parties: () => this.round.orders,
      onPaint: () => this.tabs.now === "orders" && this.tabs.paint(),
      onOver: () => this.reveal(),
    });
  }
  makeTabs() {
    const panels = roundPanels(this);
    if (!this.mayCorrect) delete panels.edit;
    if (!this.round.isPlayed) delete panels.ledger;
    if (!this.takesOrders) delete panels.orders;
    return new Tabs(panels, {
      badged: "doubts",
      onOpen: (name) => {
        this.stage.layers.heat.style.display = name === "ledger" ? "" : "none";
        this.taps?.stop();
        this.edit(name === "edit");
      },
    });
  }
  show(main) {
    const button = (what) =>
      h(
        "button.glass",
        { "aria-label": t("edit." + what), onclick: () => this.send(null, what) },
        icon(what),
      );
    [this.undo, this.redo] = [button("undo"), button("redo")];
    if (!this.readOnly)
      this.stage.node.append(h("div.undoers", {}, this.undo, this.redo), screenButton(this.id));
    main.replaceChildren(
      this.heading,
      h(
        "div.round",
        {},
        h("div.stagebox", {}, this.scores.node, this.clock.node, this.stage.node, this.replay.node),
        this.tabs.node,
      ),
    );
    this.stage.show(this.round);
    this.editor.load(this.round);
    const plain = this.takesOrders && !isOrdered(this.round) ? "orders" : this.plain;
    this.open(doubts(this.round).length ? "doubts" : plain);
    this.photos.load(this.round);
    this.refresh();
    if (this.takesOrders) this.sitting.load().catch((error) => toast(error.words, true));
    document.addEventListener("keydown", this.onKey);
  }
  leave() {
    this.photos.onRead = () => {}; // it shows when the round is opened again
    this.editor.flush();
    this.replay.pause();
    this.sitting.leave();
    this.clock.destroy();
    this.stage.destroy();
    document.removeEventListener("keydown", this.onKey);
    nameSides({});
  }
  // What was only read, without a game, has no table that could be corrected.
  get mayCorrect() {
    return !this.readOnly && this.round.isPlayed;
  }
  get takesOrders() {
    return this.mayCorrect && this.round.orders?.length > 0;
  }
  // Where the round is told: in the ledger, or where things lie if nothing was played.
  get plain() {
    return this.round.isPlayed ? "ledger" : "table";
  }
  open(name) {
    this.tabs.open(name);
  }
  edit(isOn) {
    const { editor, replay } = this;
    if (isOn && !editor.on) {
      replay.pause();
      replay.set(replay.count);
      editor.start();
    } else if (!isOn && editor.on) editor.stop();
  }
  // --- orders ---
  async order(party) {
    this.replay.pause();
    this.replay.set(0); // as the pieces lie
    if (!isWide() && !this.taps.party) this.stage.lookAtBoard();
    const given = this.drafts.get(party)?.order ?? null;
    await this.taps.begin(party, given).catch((error) => toast(error.words || String(error), true));
  }
  // Whoever taps a piece of a side that has one who orders, orders with it.
  async orderWith(piece) {
    const side = this.round.pieces.get(piece)?.side;
    const parties = this.round.orders.filter((party) => side && party.side === side);
    if (parties.length !== 1 || this.sitting.isOn) return;
    await this.order(parties[0].id);
    const first = this.taps.offered.find((choice) => choice.piece === piece);
    if (first) this.taps.choose(first);
  }
  async reveal() {
    await this.load();
    await this.sitting.load();
    this.playFromStart();
  }
  playFromStart() {
    this.open("ledger");
    this.replay.set(0);
    if (this.replay.count) this.replay.play();
  }
  // The same round after its photos were read again.
  async reload() {
    const had = this.round.photos?.of.length;
    this.replay.pause();
    await this.load();
    const now = this.round.photos.of.length;
    if (now !== had && !this.photos.error) toast(t("photos.read", { n: now }));
    if (this.takesOrders) await this.sitting.load();
  }
  load() {
    return this.inTurn(async () => {
      this.round = this.take(await get(`${this.base}/round`));
      this.refresh();
    });
  }
  // A round as the server tells it, and as it was told: whether another telling says anything new.
  take(plain) {
    this.told = JSON.stringify(plain);
    return readRound(plain);
  }
  // Something has changed at the server: take over what concerns this round. Not while a finger
  // holds a piece, or a change of ours is on its way: then it is asked again.
  keepUp() {
    return this.inTurn(async () => {
      const plain = await get(`${this.base}/round`);
      const teams = await teamsOf(plain);
      if (this.takesOrders) await this.sitting.keepUp();
      const told = JSON.stringify(plain),
        names = JSON.stringify(teams);
      if (told === this.told && names === (this.names ??= names)) return true;
      if (this.editor.isHeld || this.photos.reading) return false;
      this.names = names;
      nameSides(teams);
      this.round = this.take(plain);
      this.scores.rename();
      this.refresh();
      return true;
    });
  }
  get photoUrl() {
    return `/api/v1${this.base}/photo.jpg?of=${this.round.photo.of}`;
  }
  repaint() {
    this.tabs.paint();
  }
  // --- what is shown ---
  refresh() {
    const { round, stage, undo, redo } = this;
    document.title = t("round.title", {
      name: round.name || `${say(round.headline.words)}, ${when(round.created)}`,
    });
    this.heading.textContent = document.title;
    this.scores.tell(round.headline);
    stage.setPhoto(this.photoUrl);
    if (this.told !== this.shown) stage.layers.heat.replaceChildren(); // of the round before
    this.shown = this.told;
    stage.show(round);
    this.editor.load(round);
    this.replay.load(round);
    undo.disabled = !round.can_undo;
    redo.disabled = !round.can_redo;
    if (undo.parentNode) undo.parentNode.hidden = !round.can_undo && !round.can_redo;
    this.tabs.count(doubts(round).length);
    const { event, piece } = this.selection;
    if (event >= round.events.length || (piece && !round.pieces.has(piece))) this.selection = {};
    this.mark();
    this.tabs.paint();
  }
  paintFrame(frame) {
    const { round, replay } = this;
    this.stage.paint(frame);
    const { scores } = round.tallies[frame.settled];
    this.scores.paint(scores, frame.atEnd ? round.winners : [], round.ledger);
    for (const node of this.tabs.body.querySelectorAll("[data-step]")) {
      const is = Number(node.dataset.step) === frame.step;
      if (is && !node.classList.contains("now") && replay.playing)
        node.scrollIntoView({ block: "nearest" });
      node.classList.toggle("now", is);
    }
  }
  mark() {
    const { piece, event } = this.selection,
      { round, stage } = this;
    if (piece) stage.select({ pieces: [piece], events: eventsOf(round, piece).map((e) => e.index) });
    else if (event !== undefined)
      stage.select({ pieces: round.events[event].pieces, events: [event] });
    else stage.select({});
  }
  showSelection() {
    const block = isWide() ? "nearest" : "start";
    this.tabs.body.querySelector(".sel")?.scrollIntoView({ block });
  }
  // --- what can be done ---
  choose(what) {
    const { tabs, replay } = this;
    if (tabs.now === "orders" && what.piece) return this.orderWith(what.piece);
    this.selection = what;
    this.mark();
    this.zoomTo(what);
    const isEvent = what.event !== undefined;
    if (isEvent && replay.time < replay.count) replay.goTo(this.round.events[what.event].step);
    if ((what.piece || isEvent) && ![this.plain, "doubts"].includes(tabs.now)) this.open(this.plain);
    else tabs.paint();
    for (const li of tabs.body.querySelectorAll(".ledger li[data-event]"))
      li.classList.toggle("on", Number(li.dataset.event) === what.event);
    // Margin and ruling first; beside the photo, where there is room, the line of the ledger too.
    this.showSelection();
    if (isWide()) tabs.body.querySelector(".ledger li.on")?.scrollIntoView({ block: "nearest" });
  }
  // On a small screen what is chosen is looked at from near; nothing chosen, the whole again.
  zoomTo({ piece, event }) {
    if (isWide()) return;
    const { round, stage } = this;
    const outline = piece && round.pieces.get(piece)?.outline_px;
    if (outline?.length) stage.lookAt(centre(outline), spread(outline) * PIECE_SPANS);
    else if (event !== undefined) {
      const { at, span } = placeOf(round, round.events[event]);
      stage.lookAt(at, span * EVENT_SPANS);
    } else if (!piece && this.isNear) stage.fit();
    this.isNear = Boolean(piece || event !== undefined);
  }
  // Look at a place of the photo, and have the keys there.
  find(at, span) {
    this.stage.lookAt(at, span);
    this.showSelection();
    this.stage.svg.focus({ preventScroll: true });
  }
  // What asks for the round, one after the other: of two answers the older may come last.
  async inTurn(act) {
    const done = this.busy.then(act);
    this.busy = done.catch(() => {}); // whoever asked minds it; the next goes on
    return done;
  }
  // Bring a change to the round; tells whether it was taken.
  send(change, kind = "edits") {
    return this.inTurn(async () => {
      const { revision } = this.round;
      const body = kind === "edits" ? { change, revision } : { revision };
      try {
        this.round = this.take(await post(`${this.base}/${kind}`, body));
      } catch (error) {
        toast(error.words || String(error), true);
        if (error.code === "conflict") this.round = this.take(await get(`${this.base}/round`));
        this.refresh();
        return false;
      }
      this.refresh();
      if (kind === "edits") toast(t("edit.saved"));
      return true;
    });
  }
  goTo(time) {
    this.replay.pause();
    this.replay.set(time);
  }
  onKey(e) {
    if (e.target.closest("input, select, dialog, textarea")) return;
    if ((e.ctrlKey || e.metaKey) && !this.readOnly && e.key.toLowerCase() === "z") {
      e.preventDefault();
      this.editor.flush();
      const what = e.shiftKey ? "redo" : "undo";
      if (this.round["can_" + what]) this.send(null, what);
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const act = {
      p: () => this.replay.toggle(),
      ",": () => this.goTo(Math.ceil(this.replay.time) - 1),
      ".": () => this.goTo(Math.floor(this.replay.time) + 1),
      Escape: () => this.choose({}),
      f: () => this.stage.fit(),
      m: () => turnSounds(),
      "?": () => help(),
      " ": e.target === this.stage.svg ? () => this.replay.toggle() : null,
    }[e.key];
    if (!act) return;
    act();
    e.preventDefault();
  }
}

// A round: photo, score, replay; beside them doubts, ledger, table, corrections, things to take.
import { h, icon, toast } from "../lib/dom.js";
import { t, when } from "../lib/i18n.js";
import { get, post } from "../lib/api.js";
import { setTeamNames } from "../lib/names.js";
import { Stage } from "../scene/stage.js";
import { Replay } from "../scene/replay.js";
import { Editor } from "../scene/editor.js";
import { doubtful, doubtsPanel } from "../panels/doubts.js";
import { editPanel } from "../panels/edit.js";
import { help } from "../panels/help.js";
import { ledgerPanel } from "../panels/ledger.js";
import { Scores } from "../panels/scores.js";
import { selectionPanel } from "../panels/selection.js";
import { tablesPanel } from "../panels/tables.js";
import { Tabs } from "../panels/tabs.js";
import { takePanel } from "../panels/take.js";

const isWide = () => matchMedia("(min-width: 900px)").matches;

export async function showRound(main, place) {
  const round = await get(`${place.base}/round`);
  setTeamNames({});
  if (round.evening)
    await get(`/evenings/${round.evening}`).then(
      (evening) => setTeamNames(evening.teams),
      () => {},
    );
  const page = new RoundPage(place, round);
  document.title = t("round.title", { name: round.name || when(round.created) });
  page.show(main);
  return () => page.leave();
}

// What panels are handed as `actions`: where the round is, what is chosen, what can be done.
class RoundPage {
  constructor({ base, id, token }, round) {
    Object.assign(this, { base, id, token, round, readOnly: Boolean(token), selection: {} });
    this.busy = Promise.resolve();
    this.send = this.send.bind(this);
    this.choose = this.choose.bind(this);
    this.stage = new Stage({
      photoUrl: `/api/v1${base}/photo.jpg`,
      onCard: (card) => this.choose({ card }),
      onShot: (shot) => this.choose({ shot }),
      onEmpty: () => this.choose({}),
    });
    this.scores = new Scores();
    this.tabs = this.makeTabs();
    this.replay = new Replay((frame) => this.paintFrame(frame));
    this.editor = new Editor(this.stage, {
      send: this.send,
      onSelect: () => this.tabs.now === "edit" && this.tabs.paint(),
    });
    this.onKey = this.onKey.bind(this);
  }
  makeTabs() {
    const chosen = () => selectionPanel(this.round, this);
    const panels = {
      doubts: () => [chosen(), doubtsPanel(this.round, this)],
      ledger: () => [chosen(), ledgerPanel(this.round, this)],
      table: () => tablesPanel(this.round, this),
      edit: () => editPanel(this.round, this),
      take: () => takePanel(this.round, this),
    };
    if (this.readOnly) delete panels.edit;
    return new Tabs(panels, { badged: "doubts", onOpen: (name) => this.edit(name === "edit") });
  }
  show(main) {
    const button = (what) =>
      h(
        "button.glass",
        { "aria-label": t("edit." + what), onclick: () => this.send(null, what) },
        icon(what),
      );
    [this.undo, this.redo] = [button("undo"), button("redo")];
    if (!this.readOnly) this.stage.node.append(h("div.undoers", {}, this.undo, this.redo));
    main.replaceChildren(
      h("h1.sr", {}, document.title),
      h(
        "div.round",
        {},
        h("div.stagebox", {}, this.scores.node, this.stage.node, this.replay.node),
        this.tabs.node,
      ),
    );
    this.stage.show(this.round);
    this.editor.load(this.round);
    this.open(doubtful(this.round).length ? "doubts" : "ledger");
    this.refresh();
    document.addEventListener("keydown", this.onKey);
  }
  leave() {
    this.replay.pause();
    this.stage.destroy();
    document.removeEventListener("keydown", this.onKey);
    setTeamNames({});
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
  // --- what is shown ---
  refresh() {
    const { round, stage, undo, redo } = this;
    stage.show(round);
    this.editor.load(round);
    this.replay.load(round);
    undo.disabled = !round.can_undo;
    redo.disabled = !round.can_redo;
    if (undo.parentNode) undo.parentNode.hidden = !round.can_undo && !round.can_redo;
    this.tabs.count(doubtful(round).length);
    const { shot, card } = this.selection;
    if (shot >= round.shots.length || (card && !round.cards.some((c) => c.id === card)))
      this.selection = {};
    this.mark();
    this.tabs.paint();
  }
  paintFrame(frame) {
    const { round, replay } = this;
    this.stage.paint(frame);
    const now = round.timeline[frame.settled] || round.timeline.at(-1);
    this.scores.paint(now.scores, frame.atEnd ? round.winners : []);
    for (const node of this.tabs.body.querySelectorAll("[data-step]")) {
      const is = Number(node.dataset.step) === frame.step;
      if (is && !node.classList.contains("now") && replay.playing)
        node.scrollIntoView({ block: "nearest" });
      node.classList.toggle("now", is);
    }
  }
  mark() {
    const { card, shot } = this.selection;
    const { shots } = this.round;
    const fired = (id) => shots.map((x, i) => (x.ship === id ? i : -1)).filter((i) => i >= 0);
    if (card) this.stage.select({ cards: [card], shots: fired(card) });
    else if (shot !== undefined) {
      const { ship, hit } = shots[shot];
      this.stage.select({ cards: [ship, hit?.card].filter(Boolean), shots: [shot] });
    } else this.stage.select({});
  }
  showSelection() {
    const block = isWide() ? "nearest" : "start";
    this.tabs.body.querySelector(".sel")?.scrollIntoView({ block });
  }
  // --- what can be done ---
  choose(what) {
    const { tabs, replay } = this;
    this.selection = what;
    this.mark();
    const isShot = what.shot !== undefined;
    if (isShot && replay.time < replay.count)
      replay.goTo(this.round.steps.findIndex((x) => x.shots.includes(what.shot)));
    if ((what.card || isShot) && !["ledger", "doubts"].includes(tabs.now)) this.open("ledger");
    else tabs.paint();
    for (const li of tabs.body.querySelectorAll(".ledger li[data-shot]"))
      li.classList.toggle("on", Number(li.dataset.shot) === what.shot);
    // Margin and ruling first; beside the photo, where there is room, the line of the ledger too.
    this.showSelection();
    if (isWide()) tabs.body.querySelector(".ledger li.on")?.scrollIntoView({ block: "nearest" });
  }
  // Look at a place of the photo, and have the keys there.
  find(at, span) {
    this.stage.lookAt(at, span);
    this.showSelection();
    this.stage.svg.focus({ preventScroll: true });
  }
  // One change after the other; tells whether it was taken.
  send(change, kind = "edits") {
    this.busy = this.busy.then(async () => {
      const { revision } = this.round;
      const body = kind === "edits" ? { change, revision } : { revision };
      try {
        this.round = await post(`${this.base}/${kind}`, body);
      } catch (error) {
        toast(error.words || String(error), true);
        if (error.code === "conflict") this.round = await get(`${this.base}/round`);
        this.refresh();
        return false;
      }
      this.refresh();
      if (kind === "edits") toast(t("edit.saved"));
      return true;
    });
    return this.busy;
  }
  goTo(time) {
    this.replay.pause();
    this.replay.set(time);
  }
  onKey(e) {
    if (e.target.closest("input, select, dialog, textarea")) return;
    if ((e.ctrlKey || e.metaKey) && !this.readOnly && e.key.toLowerCase() === "z") {
      e.preventDefault();
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
      "?": () => help(),
      " ": e.target === this.stage.svg ? () => this.replay.toggle() : null,
    }[e.key];
    if (!act) return;
    act();
    e.preventDefault();
  }
}

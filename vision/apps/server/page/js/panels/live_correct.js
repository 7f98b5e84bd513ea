// Correcting cards while a table is followed: a tap on a card says which it is, or that it is none; one
// on an empty place lays a card there, and a second one says where its top points to.
import { h, icon, dialog, s } from "../lib/dom.js";
import { t, sentence } from "../lib/i18n.js";
import { isInside, spread } from "../lib/geometry.js";
import { order } from "../lib/live_keys.js";
import { titleOf } from "../lib/names.js";
import { picker } from "./picker.js";

const degrees = ([x, y], [ax, ay]) => (Math.atan2(ax - x, y - ay) * 180) / Math.PI;

export class LiveCorrect {
  // table: the LiveTable that is tapped
  constructor({ id, table }) {
    Object.assign(this, { id, table, game: null, adding: null, shown: "" });
    table.over.addEventListener("click", (e) => this.tap(e));
    this.said = h("p.tiny.soft", { role: "status" });
    this.cards = h("div.pick", {});
    this.cancel = h("button.btn.small", { hidden: true, onclick: () => this.stop() }, t("cancel"));
    this.node = h(
      "section.panel",
      { "aria-label": t("live.correct"), hidden: true },
      h("details", {}, h("summary", {}, t("live.correct")), this.cards),
      this.said,
      this.cancel,
    );
  }
  paint(game, isOver) {
    this.game = game;
    const cards = game.watch?.cards || [];
    const can = game.has_cards && !isOver && Boolean(game.watch?.size_px);
    this.table.over.classList.toggle("may-correct", can);
    this.node.hidden = !can;
    const mark = JSON.stringify(cards.map(({ card }) => card));
    if (mark === this.shown) return;
    this.shown = mark;
    const button = ({ card }) => h("button.btn", { onclick: () => this.ask(card) }, sentence(titleOf(card)));
    this.cards.replaceChildren(...cards.map(button));
    if (!this.adding) this.say("live.correct.how");
  }
  say(words, values = {}) {
    this.said.textContent = t(words, values);
  }
  // Where in the picture a tap falls.
  place({ clientX: x, clientY: y }) {
    const { over } = this.table;
    const at = new DOMPoint(x, y).matrixTransform(over.getScreenCTM().inverse());
    return [at.x, at.y];
  }
  tap(e) {
    const { watch } = this.game || {};
    if (this.node.hidden || !watch) return;
    const at = this.place(e);
    if (this.adding) return this.turn(at);
    const hit = watch.cards.find(({ corners_px: corners }) => isInside(at, corners));
    if (hit) this.ask(hit.card);
    else if (at.every((v, i) => v >= 0 && v <= watch.size_px[i])) this.add(at);
  }
  // What the picker needs of a round.
  round() {
    return { deck: this.game.deck, offer: null, pieces: new Map(this.game.watch.cards.map((c) => [c.card, c])) };
  }
  ask(card) {
    const name = sentence(titleOf(card));
    const pick = () => {
      box.close();
      const title = t("edit.identity_of", { card: name });
      picker(this.round(), { title, hidden: new Set([card]) }, (identity) =>
        this.send({ kind: "identify", card, identity }),
      );
    };
    const remove = () => {
      box.close();
      this.send({ kind: "remove", card });
    };
    const box = dialog(
      name,
      t("close"),
      h(
        "div.pick",
        {},
        h("button.btn", { onclick: pick }, t("edit.identity")),
        h("button.btn.danger", { onclick: remove }, icon("trash"), t("live.correct.none")),
      ),
    );
  }
  add(at) {
    const there = new Set(this.game.watch.cards.map(({ card }) => card));
    picker(this.round(), { title: t("live.correct.which"), hidden: there }, (identity) => {
      this.adding = { at, identity };
      this.draw();
      this.say("live.correct.top", { card: titleOf(identity) });
      this.cancel.hidden = false;
      this.node.scrollIntoView({ block: "nearest" });
    });
  }
  turn(at) {
    const { at: middle, identity } = this.adding;
    this.stop();
    const heading = degrees(middle, at);
    this.send({ kind: "add", identity, at_px: middle, heading_deg: heading });
  }
  stop() {
    this.adding = null;
    this.cancel.hidden = true;
    this.draw();
    this.say("live.correct.how");
  }
  // A cross where the card will lie.
  draw() {
    this.cross?.remove();
    this.table.kept = null;
    if (!this.adding) return;
    const [x, y] = this.adding.at;
    const { cards, size_px: size } = this.game.watch;
    const r = cards.length ? spread(cards[0].corners_px) / 3 : size[0] / 40;
    this.cross = s("path.live-cross", { d: `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}` });
    this.table.keep(this.cross);
  }
  async send(body) {
    await order(this.id, "POST", "/corrections", body);
  }
}

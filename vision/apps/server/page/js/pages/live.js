// A live table: the picture with the cards outlined, the log, the counts, stop and verdict.
import { h, icon, write } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { keyOf, order } from "../lib/live_keys.js";
import { news } from "../lib/news.js";
import { nameSides } from "../lib/names.js";
import { beginCamera, cameraOf, openCamera } from "../scene/live_camera.js";
import { LiveFeed, LivePicture } from "../scene/live_feed.js";
import { LiveTable } from "../scene/live_table.js";
import { ageOf, isCalm, troubleOf } from "../scene/live_trouble.js";
import { LiveBeams } from "../panels/live_beams.js";
import { LiveBattle } from "../panels/live_battle.js";
import { LiveCorrect } from "../panels/live_correct.js";
import { LiveCounts } from "../panels/live_counts.js";
import { LiveLog } from "../panels/live_log.js";
import { reasonPanel } from "../panels/live_reason.js";
import { LiveTools } from "../panels/live_tools.js";
import { LiveVerdict } from "../panels/live_verdict.js";

const PAINT_MS = 200;

export async function showLive(main, id) {
  nameSides({});
  const game = await get(`/live/${id}`);
  document.title = game.name || t("live.title");
  const page = new LivePage(id, game);
  page.show(main);
  news.follow(() => page.verdict.keepUp());
  return () => page.leave();
}
class LivePage {
  constructor(id, game) {
    Object.assign(this, { id, game, isMine: Boolean(keyOf(id)), isOver: false, pictures: null });
    this.paint = this.paint.bind(this);
    this.table = new LiveTable();
    this.phase = h("p.live-phase", { role: "status" });
    this.viewers = h("span.tiny.soft", {});
    this.reason = h("div.body-part", {});
    this.counts = new LiveCounts();
    this.log = new LiveLog(id);
    this.verdict = new LiveVerdict();
    const endCamera = () => {
      cameraOf(id)?.end();
      this.paint();
    };
    this.tools = new LiveTools({ id, isMine: this.isMine, endCamera });
    const mayAsk = this.isMine || game.is_open;
    this.beams = new LiveBeams({ id, mayAsk, isOpen: game.is_open });
    this.battle = new LiveBattle({ id, mayAsk });
    this.correct = mayAsk ? new LiveCorrect({ id, table: this.table }) : null;
    this.makeButtons();
    this.feed = this.makeFeed();
    const own = cameraOf(id);
    if (own) own.onChange = this.paint;
  }
  makeButtons() {
    const button = (spec, act, sign, words) => h(spec, { onclick: act }, icon(sign), t(words));
    const ask = (what) => () => order(this.id, "POST", what);
    this.on = button("button.btn.main.big", () => this.restart(), "camera", "live.camera_on");
    this.stop = button("button.btn.main.big", ask("/stop"), "stop", "live.stop");
    this.next = button("button.btn.big", ask("/round"), "turn", "live.next");
    this.again = h("a.btn.main.big", { href: "#/live", hidden: true }, icon("live"), t("live.again"));
  }
  makeFeed() {
    return new LiveFeed(this.id, {
      onTold: (event) => this.log.add(event),
      onState: (state) => {
        this.game = { ...state, age: state.watch?.age_s };
        this.paint();
      },
      onBeat: ({ age_s: age, viewers }) => {
        this.game = { ...this.game, age, viewers };
        this.showViewers();
      },
      onEnd: () => {
        this.isOver = true;
        cameraOf(this.id)?.end();
        this.pictures?.close();
        this.paint();
      },
    });
  }
  show(main) {
    const { game, table } = this;
    const name = game.name || t(game.source === "server" ? "live.table_server" : "live.title");
    const mayStop = this.isMine || game.is_open;
    const act = mayStop
      ? h("div.row.live-act", {}, this.on, this.stop, this.next, this.again)
      : h("p.tiny.soft", {}, t("live.only_watching"));
    const side = h(
      "div.body",
      {},
      h("div.live-head", {}, h("h1", {}, name), this.phase, this.viewers),
      this.reason,
      act,
      this.verdict.node,
      this.counts.node,
      this.log.node,
      this.correct?.node ?? "",
      this.battle.node,
      this.beams.node,
      this.tools.node,
    );
    main.replaceChildren(
      h("div.round.live", {}, h("div.stagebox", {}, table.node), h("div.side", {}, side)),
    );
    this.paint();
    this.timer = setInterval(() => this.beat(), PAINT_MS);
    this.resizer = new ResizeObserver(() => {
      const { watch } = this.game;
      table.fit(watch?.size_px?.[0] || 16, watch?.cards || []);
    });
    this.resizer.observe(table.node);
  }
  leave() {
    clearInterval(this.timer);
    this.resizer.disconnect();
    this.feed.close();
    this.battle.close();
    this.pictures?.close();
    const own = cameraOf(this.id);
    if (own) own.onChange = () => {};
    own?.hold();
    document.querySelectorAll("dialog[open]").forEach((box) => box.close());
  }
  paint() {
    const { game, isOver } = this,
      { watch } = game,
      own = cameraOf(this.id);
    this.table.draw(watch, game.battle);
    this.stop.disabled =
      isOver || !["playing", "waiting"].includes(watch?.phase) || !watch.cards.length;
    this.next.disabled = isOver || !watch;
    this.next.classList.toggle("main", watch?.phase === "verdict");
    this.on.hidden = !this.isMine || isOver || Boolean(own);
    this.again.hidden = !isOver;
    this.stop.hidden = this.next.hidden = isOver;
    this.showViewers();
    this.counts.paint(game);
    this.verdict.paint(game);
    this.showPicture(own);
    this.beams.paint(game, isOver);
    this.correct?.paint(game, isOver);
    this.battle.paint(game, isOver);
    this.tools.paint(own, isOver);
    this.beat();
  }
  // The camera's own film where it is this device's; else the server's pictures.
  showPicture(own) {
    this.table.showCamera(own ? own.video : null);
    if (own) {
      this.pictures?.close();
      this.pictures = null;
    } else if (!this.pictures && !this.isOver)
      this.pictures = new LivePicture(this.id, this.table.canvas);
  }
  showViewers() {
    const n = this.game.viewers ?? 1;
    this.viewers.textContent = n > 1 ? t("live.viewers", { n: n - 1 }) : "";
  }
  beat() {
    const { game, feed, pictures } = this,
      own = cameraOf(this.id);
    let age = ageOf(game, feed);
    if (!own && pictures?.shown)
      age = Math.max(age ?? 0, (performance.now() - pictures.shown) / 1000);
    const trouble = this.isOver ? { code: "over" } : troubleOf(game, feed, own);
    this.table.tell(age, trouble);
    this.tellPhase(trouble);
  }
  // A round is on only while its camera is.
  tellPhase(trouble) {
    const { state, watch } = this.game;
    const ready = state === "ready" ? watch?.phase || "starting" : state;
    const isBlind = trouble && !isCalm(trouble) && ["waiting", "playing"].includes(ready);
    const line = t("live.phase." + (this.isOver ? "over" : isBlind ? "blind" : ready));
    write(this.phase, line);
  }
  async restart() {
    this.reason.replaceChildren();
    try {
      const stream = await openCamera();
      beginCamera(this.id, keyOf(this.id), stream).onChange = this.paint;
      this.paint();
    } catch (error) {
      this.reason.replaceChildren(await reasonPanel(error.why || "other"));
    }
  }
}

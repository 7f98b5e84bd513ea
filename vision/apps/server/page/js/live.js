// The live page: the picture with the cards outlined, the log, the counts, stop and verdict.
import { h, s, icon, teamMark, teamStyle, toast, dialog } from "./dom.js";
import { t, has, number, cardName, teamName, setTeamNames, list } from "./i18n.js";
import { get, post } from "./api.js";
import { evening, loadAbout, scoreLine } from "./home.js";
import { ruleFields } from "./editor.js";
import { centre, spread } from "./stage.js";
import { LiveCamera, cameras, openCamera, whyNot } from "./live_camera.js";
import { LiveFeed, LivePicture } from "./live_feed.js";

const KEYS = "live-keys",
  MOST_LINES = 200,
  STALE_S = 1.8, // with the next painting: said within two seconds
  SILENT_MS = 2000, // the server gives a sign of life every second
  JUDGING_S = 10, // no picture is looked at while a verdict is worked out
  PAINT_MS = 200,
  CLOCK_S = 60;

// --- whose games are ours --------------------------------------------------------------------
const keys = () => JSON.parse(localStorage.getItem(KEYS) || "{}");
const keyOf = (id) => keys()[id];
const keepKeys = (all) => localStorage.setItem(KEYS, JSON.stringify(all));
const addKey = (id, key) => keepKeys({ ...keys(), [id]: key });
function dropKeys(except) {
  keepKeys(Object.fromEntries(Object.entries(keys()).filter(([id]) => except.includes(id))));
}
async function order(id, method, what = "") {
  const reply = await fetch(`/api/v1/live/${id}${what}`, {
    method,
    headers: { "X-Live-Key": keyOf(id) || "" },
  }).catch(() => null);
  if (reply?.ok) return true;
  const { code, detail } = (await reply?.json().catch(() => null)) || { code: "offline" };
  const key = "problem." + code;
  toast(has(key) ? t(key, { detail: detail || "" }) : detail || t("error.offline"), true);
  return false;
}

// --- the camera of this page; it goes on while another view is shown ---------------------------
let camera = null;
addEventListener("pagehide", () => camera?.end());
function begin(id, stream) {
  camera?.end();
  camera = new LiveCamera(id, keyOf(id));
  camera.use(stream);
  return camera;
}
const cameraOf = (id) => (camera?.id === id && !camera.isOver ? camera : null);

// Why this device's camera cannot be used, and what to do about it.
async function reasonPanel(why) {
  const about = await loadAbout().catch(() => ({ addresses: [] }));
  const local = `${location.protocol}//localhost:${location.port || 8000}/#/live`;
  const steps = t("live.do." + why, { address: local })
    .split("\n")
    .map((line) => h("li", {}, line));
  return h(
    "section.panel.reason",
    { role: "alert" },
    h("h2", {}, t("live.no." + why)),
    h("p", {}, t("live.why." + why)),
    h("ol.steps", {}, steps),
    h(
      "pre",
      { tabindex: "0" },
      `sightline serve ${about.addresses.length ? "--lan " : ""}--camera 0`,
    ),
  );
}

// --- all tables ------------------------------------------------------------------------------
export async function showTables(main) {
  document.title = t("live.title");
  setTeamNames({});
  const { games } = await get("/live");
  dropKeys(games.map((game) => game.id));
  const fields = ruleFields({});
  const count = h("input", { type: "checkbox", id: "live-count", checked: true });
  const silence = h("input", { type: "checkbox", id: "live-silence", checked: true });
  const reason = h("div", {});
  const start = h(
    "button.btn.main.big",
    {
      onclick: async () => {
        start.disabled = true;
        reason.replaceChildren();
        let stream;
        try {
          stream = await openCamera();
          const rules = Object.entries(fields.read()).map(([k, v]) => `${k}=${v ?? "auto"}`);
          const game = await post("/live", {
            rules,
            evening: await evening(),
            silence_s: silence.checked ? 5 : 0,
            stop_on_count: count.checked,
          });
          addKey(game.id, game.key);
          begin(game.id, stream);
          location.hash = `#/live/${game.id}`;
        } catch (error) {
          stream?.getTracks().forEach((track) => track.stop());
          if (error.why) reason.replaceChildren(await reasonPanel(error.why));
          else toast(error.words || error.message, true);
        }
        start.disabled = false;
      },
    },
    icon("camera"),
    t("live.start"),
  );
  const item = (game) =>
    h(
      "li.item.live-item",
      {},
      h("span.thumb.center", {}, icon("live")),
      h(
        "div",
        {},
        h(
          "a.title",
          { href: `#/live/${game.id}` },
          game.name || t(game.source === "server" ? "live.table_server" : "live.table"),
        ),
        h(
          "p.tiny.soft",
          {},
          t("live.phase." + (game.watch?.phase || "starting")),
          keyOf(game.id) ? " · " + t("live.yours") : "",
        ),
      ),
      h("a.btn.small", { href: `#/live/${game.id}` }, t("live.watch")),
    );
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1", {}, t("live.title")),
      games.length
        ? h(
            "section.panel",
            { "aria-label": t("live.running") },
            h("h2", {}, t("live.running")),
            h("ul", {}, games.map(item)),
          )
        : null,
      h(
        "section.panel",
        { "aria-label": t("live.begin") },
        h("h2", {}, t("live.begin")),
        h("p.soft", {}, t("live.how")),
        start,
        h(
          "details",
          {},
          h("summary", {}, t("live.options")),
          h(
            "div.fields",
            {},
            h("label.check", { for: "live-count" }, count, h("span", {}, t("live.by_count"))),
            h("label.check", { for: "live-silence" }, silence, h("span", {}, t("live.by_silence"))),
            ...fields.nodes,
          ),
        ),
      ),
      reason,
    ),
  );
  const why = whyNot();
  if (why) {
    start.disabled = true;
    reason.replaceChildren(await reasonPanel(why));
  }
}

// --- the picture and what lies over it ---------------------------------------------------------
class Table {
  constructor({ clear = false } = {}) {
    this.clear = clear;
    this.over = s("svg.live-over", {
      role: "img",
      preserveAspectRatio: "xMidYMid meet",
      "aria-label": t("live.picture"),
    });
    this.canvas = h("canvas.live-picture", { "aria-hidden": "true", width: 16, height: 9 });
    this.age = h("p.live-age", {});
    this.trouble = h("p.live-trouble", { role: "alert", hidden: true });
    this.stage = h(
      clear ? "div.live-stage.clear" : "div.live-stage",
      {},
      clear ? null : this.canvas,
      this.over,
      this.age,
    );
    this.node = h("div.live-frame", {}, this.stage, this.trouble);
    this.newest = 0;
  }
  // The camera's own film where it is this device's; else the server's pictures.
  showCamera(video) {
    if (this.film === video) return;
    this.film = video;
    this.canvas.hidden = Boolean(video);
    if (video) {
      video.className = "live-picture";
      video.setAttribute("aria-hidden", "true");
      this.canvas.before(video);
    }
  }
  draw(watch) {
    const [w, hh] = watch?.size_px || [16, 9];
    const seen = JSON.stringify([w, hh, watch?.cards]);
    if (seen === this.seen) return;
    this.seen = seen;
    this.over.setAttribute("viewBox", `-0.5 -0.5 ${w} ${hh}`);
    const cards = watch?.cards || [];
    const newest = Math.max(0, ...cards.map((card) => card.order));
    const label = cards.length
      ? t("live.shown", { n: cards.length, cards: list(cards.map((card) => cardName(card.card))) })
      : t("live.picture");
    this.over.setAttribute("aria-label", label);
    this.over.replaceChildren(
      ...cards.map((card) => this.card(card, w, card.order === newest && newest > this.newest)),
    );
    this.newest = newest;
    this.fit(w, cards);
  }
  card({ card, team, corners_px: corners }, width, isNew) {
    const look = teamStyle(team);
    const points = corners.map((p) => p.join(",")).join(" ");
    const size = spread(corners);
    const [x, y] = centre(corners);
    const text = Math.max(size * 0.2, width / 110);
    const mark = Math.max(size * 0.16, width / 130);
    const k = mark / 12;
    return s(
      isNew ? "g.live-card.new" : "g.live-card",
      { "data-card": card },
      s("polygon.ov-case", { points }),
      s("polygon.live-line", { points, stroke: look.colour }),
      s("path.live-mark", {
        d: look.shape,
        fill: look.colour,
        transform: `translate(${x} ${y - text * 0.7}) scale(${k})`,
      }),
      s(
        "text.live-name",
        { x, y: y + text * 0.75, "font-size": text, "stroke-width": text / 4.5 },
        cardName(card),
      ),
    );
  }
  // Where cards are small on the screen their names would hide them: marks alone, names in the log.
  fit(width, cards) {
    const shown = this.node.clientWidth / width;
    const size = cards.length ? spread(cards[0].corners_px) * shown : 99;
    this.over.classList.toggle("small", size < 44);
  }
  tell(age, trouble) {
    const words =
      age === null
        ? t("live.no_picture")
        : age < CLOCK_S
          ? t("live.age", { s: number(age, age < 10 ? 1 : 0) })
          : t("live.age_minutes", { n: Math.floor(age / 60) });
    if (this.age.textContent !== words) this.age.textContent = words;
    this.age.classList.toggle("old", age === null || age >= STALE_S);
    this.trouble.hidden = !trouble;
    this.trouble.classList.toggle("calm", CALM.has(trouble));
    if (this.trouble.textContent !== (trouble || "")) this.trouble.textContent = trouble || "";
    this.node.classList.toggle("stale", Boolean(trouble));
  }
}

// What is wrong, in words; the nearest cause first.
const CALM = {
  has: (words) =>
    ["starting", "judging", "film_ended", "waiting", "over"].some(
      (name) => t("live.trouble." + name) === words,
    ),
};
function troubleOf(game, feed, own) {
  const silent = performance.now() - feed.heard > SILENT_MS;
  const mine = own?.trouble;
  if (mine && mine !== "offline") return t("live.trouble." + mine);
  if (silent || mine === "offline") return t("live.trouble.offline");
  if (!game) return null;
  if (game.state === "failed") return t("live.trouble.failed");
  if (game.state === "starting") return t("live.trouble.starting");
  const watch = game.watch,
    source = game.trouble;
  if (source?.code === "not_stored") return t("live.trouble.not_stored");
  if (source?.code === "ended") return t("live.trouble.film_ended");
  if (source) return t("live.trouble.source", { detail: source.detail });
  if (watch?.picture === "black") return t("live.trouble.black");
  const age = ageOf(game, feed);
  if (watch?.phase === "stopped" && age >= STALE_S && age < JUDGING_S)
    return t("live.trouble.judging");
  if (watch?.picture === "stalled" || (age !== null && age >= STALE_S))
    return t("live.trouble.stalled");
  return null;
}
const ageOf = (game, feed) =>
  game?.age === undefined || game.age === null
    ? null
    : game.age + (performance.now() - feed.heard) / 1000;
const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// --- one table ---------------------------------------------------------------------------------
export async function showLive(main, id) {
  setTeamNames({});
  let game = await get(`/live/${id}`);
  const isMine = Boolean(keyOf(id)),
    mayStop = isMine || game.is_open;
  document.title = game.name || t("live.title");
  const table = new Table();
  const phase = h("p.live-phase", { role: "status" });
  const counts = h("tbody", {});
  const log = h("ol.live-log", {
    "aria-live": "polite",
    "aria-relevant": "additions",
    "aria-label": t("live.log"),
    tabindex: "0",
  });
  const verdict = h("section.panel.live-verdict", { hidden: true });
  const reason = h("div.body-part", {});
  const viewers = h("span.tiny.soft", {});
  const stop = h(
    "button.btn.main.big",
    { onclick: () => order(id, "POST", "/stop") },
    icon("stop"),
    t("live.stop"),
  );
  const next = h(
    "button.btn.big",
    { onclick: () => order(id, "POST", "/round") },
    icon("turn"),
    t("live.next"),
  );
  const on = h(
    "button.btn.main.big",
    { onclick: () => restart() },
    icon("camera"),
    t("live.camera_on"),
  );
  const tools = h("div.live-tools", {});
  let isOver = false,
    pictures = null,
    shownVerdict = "";

  const paint = () => {
    const watch = game.watch,
      own = cameraOf(id);
    table.draw(watch);
    const words = isOver
      ? "over"
      : game.state === "ready"
        ? watch?.phase || "starting"
        : game.state;
    const line = t("live.phase." + words);
    if (phase.textContent !== line) phase.textContent = line;
    stop.disabled = isOver || !["playing", "waiting"].includes(watch?.phase) || !watch.cards.length;
    next.disabled = isOver || !watch;
    next.classList.toggle("main", watch?.phase === "verdict");
    on.hidden = !isMine || isOver || Boolean(own);
    showViewers(game.viewers);
    const rows = Object.entries(watch?.counts || {});
    counts.replaceChildren(
      ...rows.map(([team, n]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("span.team", {}, teamMark(team), teamName(team))),
          h(
            "td.n",
            {},
            h("b", {}, number(n)),
            " ",
            h("span.soft", {}, t("live.of", { n: game.ships })),
          ),
          h(
            "td.live-bar",
            { "aria-hidden": "true" },
            h("progress", { max: game.ships, value: n, tabindex: "-1" }),
          ),
        ),
      ),
    );
    showVerdict(watch);
    table.showCamera(own && !own.isOver ? own.video : null);
    if (own) {
      pictures?.close();
      pictures = null;
    } else if (!pictures && !isOver) pictures = new LivePicture(id, table.canvas);
    paintTools(own);
    beat();
  };
  const showViewers = (n = 1) => {
    viewers.textContent = n > 1 ? t("live.viewers", { n: n - 1 }) : "";
  };
  const showVerdict = (watch) => {
    const round = game.rounds.at(-1);
    const isCurrent = round && (!watch || round.round === watch.round || watch.phase === "waiting");
    const mark = JSON.stringify([round, isCurrent]);
    if (mark === shownVerdict) return;
    shownVerdict = mark;
    verdict.hidden = !round;
    if (!round) return;
    const parts = [
      h("h2", {}, icon("crown"), t(isCurrent ? "live.verdict" : "live.verdict_last")),
      h(
        "p.live-winner",
        {},
        round.winners.length
          ? t(round.winners.length > 1 ? "live.share" : "live.wins", {
              teams: list(round.winners.map(teamName)),
            })
          : t("live.nobody"),
      ),
      h("div.live-scores", {}, scoreLine(round.scores, round.winners)),
      round.doubts ? h("p.tiny", {}, t("live.doubts", { n: round.doubts })) : null,
      h("a.btn.main", { href: round.page.slice(1) }, icon("play"), t("live.open_round")),
    ];
    verdict.replaceChildren(...parts.filter(Boolean));
  };
  let toolMark = "";
  const paintTools = (own) => {
    const mark = `${Boolean(own)} ${isOver} ${own?.track?.getSettings?.().deviceId || ""}`;
    if (mark === toolMark) return;
    toolMark = mark;
    const choice = h("div", {});
    tools.replaceChildren(
      ...[
        own
          ? h(
              "button.btn",
              {
                onclick: () => {
                  own.end();
                  paint();
                },
              },
              icon("camera"),
              t("live.camera_off"),
            )
          : null,
        h("a.btn", { href: `#/live/${id}/overlay` }, icon("screen"), t("live.overlay")),
        isMine && !isOver
          ? h("button.btn.danger", { onclick: end }, icon("trash"), t("live.end"))
          : null,
        choice,
      ].filter(Boolean),
    );
    if (own)
      cameras().then((all) => {
        if (all.length < 2) return;
        const now = own.track?.getSettings().deviceId;
        const select = h(
          "select",
          { id: "live-device", onchange: () => own.choose(select.value) },
          all.map((d, i) =>
            h("option", { value: d.deviceId }, d.label || t("live.camera_nth", { n: i + 1 })),
          ),
        );
        select.value = now;
        choice.replaceChildren(h("label.field", { for: "live-device" }, t("live.camera"), select));
      });
  };
  const restart = async () => {
    reason.replaceChildren();
    try {
      begin(id, await openCamera()).onChange = paint;
      paint();
    } catch (error) {
      reason.replaceChildren(await reasonPanel(error.why || "other"));
    }
  };
  const end = () => {
    const box = dialog(
      t("live.end"),
      t("close"),
      h("p", {}, t("live.end_more")),
      h(
        "button.btn.danger",
        {
          onclick: async () => {
            cameraOf(id)?.end();
            box.close();
            if (await order(id, "DELETE")) location.hash = "#/live";
          },
        },
        icon("trash"),
        t("live.end"),
      ),
    );
  };
  const beat = () => {
    const own = cameraOf(id);
    const trouble = isOver ? t("live.trouble.over") : troubleOf(game, feed, own);
    let age = ageOf(game, feed);
    if (!own && pictures?.shown)
      age = Math.max(age ?? 0, (performance.now() - pictures.shown) / 1000);
    table.tell(age, trouble);
  };
  const line = (event) => {
    const signs = { warning: "!", doubt: "?" };
    const words = event.message.replace(/^./, (c) => c.toUpperCase());
    const sign = signs[event.severity];
    const picture = `/api/v1/live/${id}/events/${event.number}/picture`;
    const look = () =>
      dialog(
        t("live.look"),
        t("close"),
        h("p", {}, words),
        h("img.live-look", { src: picture, alt: words }),
      );
    return h(
      `li.is-${event.severity}`,
      { "data-code": event.code },
      h("span.when", {}, clock(event.time_s)),
      h(
        "span.sign",
        {},
        sign ? h("span.sr", {}, t("live." + event.severity) + " ") : null,
        h("span", { "aria-hidden": "true" }, sign || (event.team ? teamMark(event.team) : "")),
      ),
      h("span", {}, words),
      event.has_picture
        ? h(
            "button.live-thumb",
            { "aria-label": t("live.look_at", { what: words }), onclick: look },
            h("img", { src: picture, alt: "", loading: "lazy" }),
          )
        : null,
    );
  };
  const feed = new LiveFeed(id, {
    onTold: (event) => {
      log.prepend(line(event));
      while (log.children.length > MOST_LINES) log.lastChild.remove();
    },
    onState: (state) => {
      game = { ...state, age: state.watch?.age_s };
      paint();
    },
    onBeat: ({ age_s: age, viewers: n }) => {
      game = { ...game, age, viewers: n };
      showViewers(n);
    },
    onEnd: () => {
      isOver = true;
      if (cameraOf(id)) camera.end();
      pictures?.close();
      paint();
    },
  });
  const own = cameraOf(id);
  if (own) own.onChange = () => paint();
  main.replaceChildren(
    h(
      "div.round.live",
      {},
      h("div.stagebox", {}, table.node),
      h(
        "div.side",
        {},
        h(
          "div.body",
          {},
          h(
            "div.live-head",
            {},
            h(
              "h1",
              {},
              game.name || t(game.source === "server" ? "live.table_server" : "live.title"),
            ),
            phase,
            viewers,
          ),
          reason,
          mayStop
            ? h("div.row.live-act", {}, on, stop, next)
            : h("p.tiny.soft", {}, t("live.only_watching")),
          verdict,
          h(
            "section.panel",
            {},
            h(
              "table.live-counts",
              {},
              h("caption", {}, t("live.counts")),
              h(
                "thead.sr",
                {},
                h(
                  "tr",
                  {},
                  h("th", { scope: "col" }, t("table.team")),
                  h("th", { scope: "col" }, t("live.laid")),
                  h("td", {}),
                ),
              ),
              counts,
            ),
          ),
          h(
            "section.panel",
            { "aria-label": t("live.log") },
            h("h2", {}, t("live.log")),
            log,
          ),
          h("section.panel", { "aria-label": t("live.tools") }, tools),
        ),
      ),
    ),
  );
  paint();
  const timer = setInterval(beat, PAINT_MS);
  const resizer = new ResizeObserver(() =>
    table.fit(game.watch?.size_px?.[0] || 16, game.watch?.cards || []),
  );
  resizer.observe(table.node);
  return () => {
    clearInterval(timer);
    resizer.disconnect();
    feed.close();
    pictures?.close();
    if (camera) camera.onChange = () => {};
    cameraOf(id)?.hold();
    document.querySelectorAll("dialog[open]").forEach((box) => box.close());
  };
}

// --- for streaming software: the picture and what lies over it, nothing else -------------------
export async function showOverlay(main, given, { clear }) {
  document.title = t("live.overlay");
  setTeamNames({});
  document.documentElement.classList.add("overlay");
  document.documentElement.classList.toggle("clear", clear);
  const table = new Table({ clear });
  const counts = h("p.live-strip", {});
  main.replaceChildren(h("div.live-overlay", {}, table.node, counts));
  let game = null,
    feed = null,
    pictures = null,
    isOver = false;
  const follow = (id) => {
    feed = new LiveFeed(id, {
      onTold: () => {},
      onState: (state) => {
        game = { ...state, age: state.watch?.age_s };
        table.draw(game.watch);
        const laid = Object.entries(game.watch?.counts || {}).filter(([, n]) => n);
        counts.replaceChildren(
          ...laid.map(([team, n]) =>
            h("span.team", {}, teamMark(team), teamName(team) + " ", h("b", {}, number(n))),
          ),
        );
      },
      onBeat: ({ age_s: age }) => (game = { ...game, age }),
      onEnd: () => {
        isOver = true;
        pictures?.close();
        feed = null;
      },
    });
    pictures = clear ? null : new LivePicture(id, table.canvas);
    isOver = false;
  };
  // Without an id: the newest table, and the next one when that has ended.
  const find = async () => {
    if (feed) return;
    const { games } = await get("/live").catch(() => ({ games: [] }));
    const id = given || games[0]?.id;
    if (id && !feed && (!given || !isOver)) follow(id);
  };
  await find();
  const timer = setInterval(() => {
    if (feed) table.tell(ageOf(game, feed), troubleOf(game, feed, null));
    else table.tell(null, t("live.trouble.waiting"));
  }, PAINT_MS);
  const finder = setInterval(find, SILENT_MS);
  return () => {
    clearInterval(timer);
    clearInterval(finder);
    feed?.close();
    pictures?.close();
    document.documentElement.classList.remove("overlay", "clear");
  };
}

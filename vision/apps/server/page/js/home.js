// The first page: photos in, the rounds so far.
import { h, s, icon, teamMark, toast, dialog } from "./dom.js";
import { t, when, day, number, teamName, setTeamNames, has } from "./i18n.js";
import { get, post, call, upload, watch } from "./api.js";
import { keep, drop, kept, newKey } from "./queue.js";

const STAGES = [
  "decode",
  "detect",
  "classify",
  "rectify",
  "second_look",
  "pose",
  "resolve",
  "picture",
];
const uploads = new Map(); // key -> state; outlives the page's views
const done = (state) => ["done", "failed"].includes(state.phase);
let about = null,
  changed = () => {};
export const loadAbout = async () => (about ??= await get("/about"));

export async function evening() {
  // rounds of one evening belong together: the newest of the last 10 hours
  const { evenings } = await get("/evenings");
  const recent = evenings.find((e) => Date.now() / 1000 - e.created < 36000);
  return (recent || (await post("/evenings", { name: day(new Date()) }))).id;
}
let gate = Promise.resolve(),
  eveningId = null;
export async function take(files) {
  for (const file of files) {
    if (!file.type.startsWith("image/") && !/\.(jpe?g|png|webp|heic|heif|avif)$/i.test(file.name)) {
      toast(t("upload.no_photo", { name: file.name }), true);
      continue;
    }
    const entry = { key: newKey(), blob: file, created: Date.now() };
    await keep(entry);
    begin(entry);
  }
  if (location.hash.length > 2) location.hash = "#/";
}
export async function resume() {
  const left = (await kept()).filter((e) => !uploads.has(e.key));
  if (left.length) toast(t("upload.resumed", { n: left.length }));
  left.forEach(begin);
}
function begin(entry) {
  const state = {
    key: entry.key,
    picture: h("img.thumb", { src: URL.createObjectURL(entry.blob), alt: "" }),
    phase: "queued",
    share: 0,
    error: null,
    isOurs: true,
  };
  uploads.set(entry.key, state);
  changed();
  const limit = (about?.limits.body_mb || 30) * 1e6;
  if (entry.blob.size > limit) {
    Object.assign(state, {
      phase: "failed",
      error: t("problem.body_too_large", { detail: "" }),
      final: true,
    });
    drop(entry.key);
    changed();
    return;
  }
  gate = gate.then(() => attempt(entry, state));
}
async function attempt(entry, state, tries = 0) {
  Object.assign(state, { phase: "uploading", share: 0, error: null });
  changed();
  try {
    eveningId ??= await evening();
    const scan = await upload(entry.blob, { key: entry.key, evening: eveningId }, (share) => {
      state.share = share;
      changed();
    });
    await drop(entry.key);
    state.id = scan.id;
    follow(state, scan);
  } catch (error) {
    if (error.code === "not_found" && tries < 1) {
      eveningId = null;
      return attempt(entry, state, tries + 1);
    }
    const passing = [0, 429, 503, 408].includes(error.status) && tries < 8;
    if (passing) {
      Object.assign(state, { phase: "queued", error: error.words });
      changed();
      await new Promise((r) => setTimeout(r, (error.retry || 2 ** Math.min(tries, 5)) * 1000));
      return attempt(entry, state, tries + 1);
    }
    Object.assign(state, { phase: "failed", error: error.words });
    changed();
    if ([413, 415, 422, 409, 410].includes(error.status)) {
      state.final = true;
      await drop(entry.key);
    } else state.retry = () => attempt(entry, state);
    changed();
  }
}
function follow(state, scan) {
  const update = (now) => {
    state.scan = now;
    state.phase = now.state;
    if (now.state === "failed")
      state.error = has("problem." + now.error.code)
        ? t("problem." + now.error.code, { detail: now.error.detail })
        : now.error.detail;
    changed();
    if (now.state === "done") {
      const isHome = location.hash.replace(/^#\/?/, "") === "";
      if (state.isOurs && uploads.size === 1 && isHome) {
        uploads.delete(state.key);
        location.hash = `#/round/${now.id}`;
      }
    }
  };
  update(scan);
  if (!["done", "failed"].includes(scan.state)) watch(scan.id, update);
}
// Photos that the server has, but that we do not follow: another phone's, or from before the phone
// closed this page.
function adopt(scans) {
  const known = new Set([...uploads.values()].map((u) => u.id));
  for (const scan of scans) {
    if (!["waiting", "reading"].includes(scan.state) || known.has(scan.id)) continue;
    const state = { key: scan.id, id: scan.id, picture: h("span.thumb"), phase: scan.state };
    uploads.set(scan.id, state);
    follow(state, scan);
  }
}
// The phone may close this page while its camera is open; then the photo comes back to nobody.
const CAMERA = "camera-opened",
  CAMERA_MS = 15 * 60_000;
const noteCamera = () => localStorage.setItem(CAMERA, String(Date.now()));
const forgetCamera = () => localStorage.removeItem(CAMERA);
const openedBefore = Number(localStorage.getItem(CAMERA) || 0); // by the page that was closed
forgetCamera();
export const wasClosedByCamera = () => Date.now() - openedBefore < CAMERA_MS;
addEventListener("focus", () => {
  const opened = localStorage.getItem(CAMERA); // we are still here: that camera closed nothing
  setTimeout(() => localStorage.getItem(CAMERA) === opened && forgetCamera(), 1000);
});
export const pickPhotos = () => document.getElementById("choose")?.click();
const accepted = () => [
  ...(about?.formats || ["image/jpeg", "image/png", "image/webp"]),
  ...(about?.formats.includes("image/heif") ? ["image/heic"] : []), // else phones send JPEG
];
const inputs = () => {
  const make = (capture) => {
    const input = h("input", {
      type: "file",
      accept: accepted().join(),
      multiple: capture ? null : true,
      capture: capture ? "environment" : null,
      hidden: true,
      id: capture ? "shoot" : "choose",
      "aria-hidden": "true",
      tabindex: "-1",
    });
    input.addEventListener("change", () => {
      forgetCamera();
      take([...input.files]);
      input.value = "";
    });
    return input;
  };
  return [make(true), make(false)];
};
function stageBar(state) {
  const now = STAGES.indexOf(state.scan?.stage);
  return h(
    "div",
    {},
    h(
      "p.tiny.soft",
      { role: "status" },
      state.phase === "waiting"
        ? t("upload.waiting", { n: (state.scan?.ahead ?? 0) + 1 })
        : t("stage." + (now >= 0 ? STAGES[now] : "prepare")),
    ),
    h(
      "div.stages",
      { "aria-hidden": "true" },
      STAGES.map((_, i) => h(i < now ? "i.done" : i === now ? "i.now" : "i")),
    ),
  );
}
function uploadItem(state) {
  const percent = Math.round(state.share * 100);
  const middle = {
    queued: () => h("p.tiny.soft", {}, state.error || t("upload.queued")),
    uploading: () =>
      h(
        "div",
        {},
        h("p.tiny.soft", {}, t("upload.sending", { n: percent })),
        h("progress", {
          max: 100,
          value: percent,
          "aria-label": t("upload.sending", { n: percent }),
        }),
      ),
    waiting: () => stageBar(state),
    reading: () => stageBar(state),
    done: () => h("a.title", { href: `#/round/${state.id}` }, t("upload.done")),
    failed: () => h("p.tiny.err", { role: "alert" }, state.error),
  }[state.phase]();
  const side =
    state.phase === "failed"
      ? h(
          "div.row",
          {},
          state.retry
            ? h("button.btn.small", { onclick: state.retry }, t("upload.retry"))
            : state.id
              ? h(
                  "button.btn.small",
                  { onclick: async () => follow(state, await post(`/scans/${state.id}/retry`)) },
                  t("upload.retry"),
                )
              : null,
          h(
            "button.ico",
            {
              "aria-label": t("upload.dismiss"),
              onclick: () => {
                uploads.delete(state.key);
                drop(state.key);
                changed();
              },
            },
            icon("close"),
          ),
        )
      : state.phase === "done"
        ? h("a.btn.small", { href: `#/round/${state.id}` }, t("upload.open"))
        : h("span");
  return h("li.item", {}, state.picture, h("div", {}, middle), side);
}
export const scoreLine = (scores, winners = []) =>
  h(
    "span.row",
    {},
    Object.entries(scores || {}).map(([team, n]) =>
      h(
        "span.team",
        {},
        teamMark(team),
        h("span.sr", {}, teamName(team)),
        h(winners.includes(team) ? "b" : "span", {}, number(n)),
      ),
    ),
  );
function roundItem(scan) {
  const failed = scan.state === "failed";
  return h(
    "li.item",
    {},
    scan.state === "done"
      ? h("img.thumb", { src: `/api/v1/scans/${scan.id}/thumb.jpg`, alt: "", loading: "lazy" })
      : h("span.thumb"),
    h(
      "div",
      {},
      h("a.title", { href: failed ? null : `#/round/${scan.id}` }, scan.name || when(scan.created)),
      failed
        ? h(
            "p.tiny.err",
            {},
            has("problem." + scan.error.code)
              ? t("problem." + scan.error.code, { detail: scan.error.detail })
              : scan.error.detail,
          )
        : scan.state === "done"
          ? scoreLine(scan.scores, scan.winners)
          : null,
    ),
    h(
      "div.row",
      {},
      scan.doubts
        ? h("span.badge", {}, scan.doubts, h("span.sr", {}, " " + t("tab.doubts")))
        : null,
      failed
        ? h(
            "button.ico",
            {
              "aria-label": t("round.delete"),
              onclick: async (e) => {
                await call("DELETE", `/scans/${scan.id}`);
                e.target.closest("li").remove();
              },
            },
            icon("trash"),
          )
        : null,
    ),
  );
}
export async function showHome(main) {
  document.title = "Sightline";
  setTeamNames({});
  for (const state of uploads.values()) if (state.phase === "done") uploads.delete(state.key);
  const [shoot, choose] = inputs();
  const list = h("ul", {}),
    active = h(
      "section.panel",
      { "aria-label": t("upload.label") },
      h("h2", {}, t("upload.label")),
      list,
    ),
    past = h("div", {}),
    busyIds = () => new Set([...uploads.values()].map((u) => u.id));
  const hero = h(
    "section.hero",
    {},
    h("h1", {}, t("home.title")),
    h("p", {}, t("home.lead")),
    h(
      "div.row",
      {},
      h(
        "button.btn.main.big",
        { onclick: () => (noteCamera(), shoot.click()) },
        icon("camera"),
        t("home.camera"),
      ),
      h("button.btn.big", { onclick: () => choose.click() }, icon("image"), t("home.gallery")),
      h("a.btn.big", { href: "#/live" }, icon("live"), t("home.live")),
    ),
    h("p.tiny.mouse", {}, t("home.drop")),
    shoot,
    choose,
  );
  for (const type of ["dragenter", "dragover"])
    hero.addEventListener(type, () => hero.classList.add("over"));
  for (const type of ["dragleave", "drop"])
    hero.addEventListener(type, () => hero.classList.remove("over"));
  main.replaceChildren(h("div.wrap", {}, hero, active, past));
  const paint = () => {
    active.hidden = !uploads.size;
    list.replaceChildren(...[...uploads.values()].map(uploadItem));
  };
  let last = 0;
  const history = async () => {
    const mine = ++last;
    const [{ scans }, { evenings }] = await Promise.all([get("/scans"), get("/evenings")]);
    if (mine !== last) return;
    adopt(scans);
    const hide = busyIds();
    const groups = new Map();
    for (const scan of scans)
      if (!hide.has(scan.id) || scan.state === "done")
        groups.set(scan.evening, [...(groups.get(scan.evening) || []), scan]);
    past.replaceChildren(
      ...(groups.size
        ? [...groups].map(([key, rounds]) => {
            const e = evenings.find((x) => x.id === key);
            return h(
              "section.panel",
              {},
              h(
                "div.row",
                {},
                h("h2", {}, e ? e.name || when(e.created) : t("home.loose")),
                e ? h("a.btn.small", { href: `#/evening/${e.id}` }, t("home.table")) : null,
              ),
              h("ul", {}, rounds.map(roundItem)),
            );
          })
        : [h("p.soft", {}, t("home.empty"))]),
    );
    past.className = "wrapin";
    [...past.children].forEach((c) => c.classList.add("gap"));
  };
  let doneBefore = -1;
  changed = () => {
    paint();
    const count = [...uploads.values()].filter(done).length;
    if (count !== doneBefore) {
      doneBefore = count;
      history().catch(() => {});
    }
  };
  changed();
  await history();
  return () => {
    changed = () => {};
  };
}
export async function showEvening(main, id) {
  let e = await get(`/evenings/${id}`);
  document.title = e.name || t("evening.title");
  const teams = Object.keys(e.totals);
  const all = teams.length ? teams : ["red", "green", "purple", "blue"];
  setTeamNames(e.teams);
  const save = async (body) => {
    e = { ...e, ...(await call("PATCH", `/evenings/${id}`, body)) };
    toast(t("edit.saved"));
  };
  const name = h("input", { type: "text", id: "evening-name", value: e.name, maxlength: 100 });
  name.addEventListener("change", () => save({ name: name.value }));
  const field = (team) => {
    const input = h("input", {
      type: "text",
      id: "team-" + team,
      maxlength: 40,
      value: e.teams[team] || "",
      placeholder: t("team." + team),
    });
    input.addEventListener("change", async () => {
      await save({ teams: { [team]: input.value } });
      setTeamNames(e.teams);
      showEvening(main, id);
    });
    return h(
      "label.field",
      { for: "team-" + team },
      h("span.team", {}, teamMark(team), has("team." + team) ? t("team." + team) : team),
      input,
    );
  };
  const best = Math.max(...Object.values(e.totals), -Infinity);
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1.sr", {}, e.name || t("evening.title")),
      h(
        "section.panel",
        {},
        h("label.field", { for: "evening-name" }, t("evening.name"), name),
        h("div.pick", {}, all.map(field)),
      ),
      h(
        "section.panel",
        {},
        h(
          "div.scroll",
          { tabindex: "0", role: "region", "aria-label": t("evening.table") },
          h(
            "table",
            {},
            h("caption", {}, t("evening.table")),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, t("evening.round")),
                teams.map((x) =>
                  h("th.n", { scope: "col" }, h("span.team", {}, teamMark(x), teamName(x))),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              e.rounds.map((r, i) =>
                h(
                  "tr",
                  {},
                  h(
                    "th",
                    { scope: "row" },
                    h("a", { href: `#/round/${r.id}` }, r.name || t("evening.nth", { n: i + 1 })),
                  ),
                  r.scores
                    ? teams.map((x) =>
                        h(
                          "td.n",
                          {},
                          r.scores[x] === undefined
                            ? "–"
                            : h(r.winners.includes(x) ? "b" : "span", {}, number(r.scores[x])),
                        ),
                      )
                    : h("td", { colspan: Math.max(teams.length, 1) }, t("evening.unread")),
                ),
              ),
            ),
            h(
              "tfoot",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "row" }, t("evening.sum")),
                teams.map((x) =>
                  h(
                    "td.n",
                    {},
                    h("b", {}, number(e.totals[x])),
                    e.totals[x] === best && teams.length > 1 ? " ♛" : "",
                  ),
                ),
              ),
              h(
                "tr",
                {},
                h("th", { scope: "row" }, t("evening.wins")),
                teams.map((x) => h("td.n", {}, number(e.wins[x] || 0))),
              ),
            ),
          ),
        ),
      ),
      h(
        "div.row",
        {},
        h("a.btn", { href: "#/" }, icon("back"), t("back")),
        h(
          "button.btn.danger",
          {
            onclick: () => {
              const box = dialog(
                t("evening.delete"),
                t("close"),
                h("p", {}, t("evening.delete_more")),
                h(
                  "button.btn.danger",
                  {
                    onclick: async () => {
                      await call("DELETE", `/evenings/${id}`);
                      box.close();
                      location.hash = "#/";
                    },
                  },
                  icon("trash"),
                  t("evening.delete"),
                ),
              );
            },
          },
          icon("trash"),
          t("evening.delete"),
        ),
      ),
    ),
  );
}

// Photos on their way: sent one after the other, tried again, followed until they are read.
import { h, toast } from "./dom.js";
import { t, has } from "./i18n.js";
import { get, post, upload, watch } from "./api.js";
import { evening, known } from "./about.js";
import { wantedDeck } from "./offers.js";
import { keep, drop, kept, newKey } from "./queue.js";

const PASSING = [0, 429, 503, 408]; // worth another try
const HOPELESS = [413, 415, 422, 409, 410];
const MOST_TRIES = 8;
const uploads = new Map(); // key -> state; outlives the page's views
let changed = () => {};
export const onUploads = (act) => {
  changed = act;
  return () => {
    if (changed === act) changed = () => {};
  };
};
export const allUploads = () => [...uploads.values()];
export const isSettled = (state) => ["done", "failed"].includes(state.phase);
export const failureWords = ({ code, detail }) =>
  has("problem." + code) ? t("problem." + code, { detail }) : detail;

let gate = Promise.resolve();
const isPhoto = ({ type, name }) =>
  type.startsWith("image/") || /\.(jpe?g|png|webp|heic|heif|avif)$/i.test(name);
// tables: of each its photos
export async function take(tables) {
  for (const files of tables) {
    for (const { name } of files.filter((file) => !isPhoto(file)))
      toast(t("upload.no_photo", { name }), true);
    const [blob, ...more] = files.filter(isPhoto);
    if (!blob) continue;
    const entry = { key: newKey(), blob, more, deck: wantedDeck(), created: Date.now() };
    await keep(entry);
    begin(entry);
  }
  if (location.hash.length > 2) location.hash = "#/";
}
// Photos of which it is not known yet whether they are of one table: kept until someone says so.
export async function hold(files) {
  const entry = { key: newKey(), asked: files.filter(isPhoto), created: Date.now() };
  await keep(entry);
  ask(entry);
  if (location.hash.length > 2) location.hash = "#/";
  return uploads.get(entry.key);
}
function ask({ key, asked }) {
  const picture = h("img.thumb", { src: URL.createObjectURL(asked[0]), alt: "" });
  uploads.set(key, { key, picture, phase: "asked", files: asked });
  changed();
}
// isOne: all are of one table; else each is of its own.
export async function answer({ key, files }, isOne) {
  if (!uploads.delete(key)) return; // it was answered elsewhere on the page
  await take(isOne ? [files] : files.map((file) => [file]));
  await drop(key); // what is to be sent is kept by now
  changed();
}
export async function resume() {
  const left = (await kept()).filter((e) => !uploads.has(e.key));
  const [held, sent] = [true, false].map((is) => left.filter((e) => Boolean(e.asked) === is));
  held.forEach(ask);
  if (sent.length) toast(t("upload.resumed", { n: sent.length }));
  sent.forEach(begin);
}
export function dismiss(state) {
  uploads.delete(state.key);
  drop(state.key);
  changed();
}
export const forgetDone = () => {
  for (const state of uploads.values()) if (state.phase === "done") uploads.delete(state.key);
};
// Has a photo read again, as a deck and a game if they are given.
export async function readAgain({ id }, as = null) {
  const query = as ? "?" + new URLSearchParams({ deck: as.deck, game: as.game }) : "";
  const scan = await post(`/scans/${id}/retry${query}`);
  const state = allUploads().find((one) => one.id === id) ?? newState(id, scan.state);
  uploads.set(state.key, state);
  follow(state, scan);
}
const newState = (id, phase) => ({ key: id, id, picture: h("span.thumb"), phase });

const photosOf = ({ blob, more = [] }) => [blob, ...more];
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
  const limit = (known()?.limits.body_mb || 30) * 1e6;
  if (photosOf(entry).some(({ size }) => size > limit)) {
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
    const { id } = await evening();
    const query = new URLSearchParams({ evening: id });
    if (entry.deck) query.set("deck", entry.deck); // else it is found, the evening's game first
    const scan = await upload(`/scans?${query}`, photosOf(entry), { "Idempotency-Key": entry.key }, (share) => {
      state.share = share;
      changed();
    });
    state.id = scan.id;
    uploads.delete(scan.id); // the list may have told of it before the answer came: it is ours
    await drop(entry.key);
    follow(state, scan);
  } catch (error) {
    if (error.code === "not_found" && tries < 1) return attempt(entry, state, tries + 1);
    if (PASSING.includes(error.status) && tries < MOST_TRIES) {
      Object.assign(state, { phase: "queued", error: error.words });
      changed();
      await new Promise((r) => setTimeout(r, (error.retry || 2 ** Math.min(tries, 5)) * 1000));
      return attempt(entry, state, tries + 1);
    }
    Object.assign(state, { phase: "failed", error: error.words, code: error.code });
    if (HOPELESS.includes(error.status)) state.final = true;
    else state.retry = () => attempt(entry, state);
    changed(); // once: a button that is replaced under a finger is not pressed
    if (state.final) await drop(entry.key);
  }
}
const isHome = () => location.hash.replace(/^#\/?/, "") === "";
// One opens as a round, also if its photo was sent twice; of several, once all are read, their evening.
async function open({ id, evening }, sent) {
  let own = sent;
  if (sent.length > 1 && evening) {
    const { rounds } = await get(`/evenings/${evening}`).catch(() => ({ rounds: null }));
    const kept = (rounds ?? []).filter((one) => sent.includes(one.id));
    if (kept.length === sent.length) own = kept.filter((one) => !one.same_as).map((one) => one.id);
  }
  if (!isHome()) return;
  if (own.length < 2) location.hash = `#/round/${own[0] ?? id}`;
  else if (evening) location.hash = `#/evening/${evening}`;
}
function follow(state, scan) {
  const update = (now) => {
    state.scan = now;
    state.phase = now.state;
    if (now.state === "failed") state.error = failureWords(now.error);
    changed();
    if (now.state === "done") {
      const rest = allUploads().filter((one) => one.isOurs); // another phone's open there
      if (!state.isOurs || !isHome() || !rest.every(isSettled)) return;
      uploads.delete(state.key);
      open(now, rest.map(({ id }) => id));
    }
  };
  update(scan);
  if (!["done", "failed"].includes(scan.state)) watch(scan.id, update);
}
// Photos that the server has, but that we do not follow: another phone's, or from before the phone
// closed this page.
export function adopt(scans) {
  const followed = new Set(allUploads().map((u) => u.id));
  for (const scan of scans) {
    if (!["waiting", "reading"].includes(scan.state) || followed.has(scan.id)) continue;
    const state = newState(scan.id, scan.state);
    uploads.set(scan.id, state);
    follow(state, scan);
  }
}

// Whose live games are ours: who began one holds its key.
import { toast } from "./dom.js";
import { t, has } from "./i18n.js";

const KEYS = "live-keys";
const keys = () => JSON.parse(localStorage.getItem(KEYS) || "{}");
const keepKeys = (all) => localStorage.setItem(KEYS, JSON.stringify(all));
export const keyOf = (id) => keys()[id];
export const addKey = (id, key) => keepKeys({ ...keys(), [id]: key });
export function dropKeys(except) {
  keepKeys(Object.fromEntries(Object.entries(keys()).filter(([id]) => except.includes(id))));
}

// What a spectator's screen shows to be sent the beams of a game; it controls nothing. It comes by a
// link (?spectator=ID.KEY) or from the host's own page; players' pages never show it.
const SPECTATOR = "live-spectator",
  BY_LINK = /^(\w+)\?spectator=([0-9a-f]{20})\.([0-9a-f]{32})$/;
const spectators = () => JSON.parse(localStorage.getItem(SPECTATOR) || "{}");
export const spectatorOf = (id) => spectators()[id] ?? null;
export const keepSpectator = (id, key) => localStorage.setItem(SPECTATOR, JSON.stringify({ [id]: key }));
export const spectatorLink = (place, id) => `#/live/${place}?spectator=${id}.${spectatorOf(id)}`;
// Keeps what the link of a page brings; returns the page's path without it.
export function takeSpectator(path) {
  const [, last, id, key] = path.at(-1)?.match(BY_LINK) ?? [];
  if (!last) return path;
  keepSpectator(id, key);
  return [...path.slice(0, -1), last];
}
// Asks what only the host may; returns the reply, or false once it has been told why not.
export async function order(id, method, what = "", body = undefined) {
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const reply = await fetch(`/api/v1/live/${id}${what}`, {
    method,
    headers: { "X-Live-Key": keyOf(id) || "", ...type },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => null);
  if (reply?.ok) return reply;
  const { code, detail } = (await reply?.json().catch(() => null)) || { code: "offline" };
  const key = "problem." + code;
  toast(has(key) ? t(key, { detail: detail || "" }) : detail || t("error.offline"), true);
  return false;
}

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
export async function order(id, method, what = "") {
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

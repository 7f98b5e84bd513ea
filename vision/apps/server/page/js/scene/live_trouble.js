// What is wrong with a live table: { code, detail }, the nearest cause first; null if nothing is.
import { t, number } from "../lib/i18n.js";

const STALE_S = 1.8, // with the next painting: said within two seconds
  SILENT_MS = 2000, // the server gives a sign of life every second
  JUDGING_S = 10, // no picture is looked at while a verdict is worked out
  CLOCK_S = 60;
const CALM = ["starting", "judging", "film_ended", "waiting", "over"];

export const isCalm = (trouble) => CALM.includes(trouble?.code);
export const isOld = (age) => age === null || age >= STALE_S;
export const troubleWords = (trouble) =>
  trouble ? t("live.trouble." + trouble.code, { detail: trouble.detail }) : "";
export function ageWords(age) {
  if (age === null) return t("live.no_picture");
  return age < CLOCK_S
    ? t("live.age", { s: number(age, age < 10 ? 1 : 0) })
    : t("live.age_minutes", { n: Math.floor(age / 60) });
}
export const ageOf = (game, feed) =>
  game?.age === undefined || game.age === null
    ? null
    : game.age + (performance.now() - feed.heard) / 1000;

// own: the camera of this device, if the game is followed with it
export function troubleOf(game, feed, own) {
  const mine = own?.trouble;
  if (mine && mine !== "offline") return { code: mine };
  if (mine === "offline" || performance.now() - feed.heard > SILENT_MS) return { code: "offline" };
  if (!game) return null;
  if (["failed", "starting"].includes(game.state)) return { code: game.state };
  return sourceTrouble(game.trouble) || pictureTrouble(game, ageOf(game, feed));
}
function sourceTrouble(trouble) {
  if (!trouble) return null;
  if (trouble.code === "not_stored") return { code: "not_stored" };
  if (trouble.code === "ended") return { code: "film_ended" };
  return { code: "source", detail: trouble.detail };
}
function pictureTrouble({ watch }, age) {
  if (watch?.picture === "black") return { code: "black" };
  if (watch?.phase === "stopped" && age >= STALE_S && age < JUDGING_S) return { code: "judging" };
  if (watch?.picture === "stalled" || (age !== null && age >= STALE_S)) return { code: "stalled" };
  return null;
}

// What the server tells of itself, and the evening that new rounds belong to.
import { get, post } from "./api.js";
import { day } from "./i18n.js";

const RECENT_S = 36_000; // rounds of one evening belong together: the newest of the last 10 hours
let about = null;
export const loadAbout = async () => (about ??= await get("/about"));
export const known = () => about;

// What a field for photos takes.
export const accepted = () =>
  [
    ...(known()?.formats || ["image/jpeg", "image/png", "image/webp"]),
    ...(known()?.formats.includes("image/heif") ? ["image/heic"] : []), // else phones send JPEG
  ].join();

export const recentOf = (evenings) =>
  evenings.find((e) => Date.now() / 1000 - e.created < RECENT_S);
export const recentEvening = async () => recentOf((await get("/evenings")).evenings);
export const evening = async () =>
  (await recentEvening()) ?? (await post("/evenings", { name: day(new Date()) }));

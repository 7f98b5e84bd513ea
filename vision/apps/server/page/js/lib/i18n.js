// Words come from catalogues; no sentence is put together from parts in code.
const LANGS = ["en", "fr"];
let words = {};
let lang = "en";
const pick = () => {
  const kept = localStorage.getItem("lang");
  if (LANGS.includes(kept)) return kept;
  return (navigator.languages || [navigator.language]).some((l, i) => i === 0 && l.startsWith("fr"))
    ? "fr"
    : "en";
};
export async function loadWords(wanted = pick()) {
  lang = wanted;
  const reply = await fetch(`/static/locales/${lang}.json`);
  words = await reply.json();
  document.documentElement.lang = lang;
}
export async function setLang(wanted) {
  localStorage.setItem("lang", wanted);
  await loadWords(wanted);
}
export const language = () => lang;
// The reader's own kind of English or French (British dates, Swiss numbers), if they read it.
const locale = () => (navigator.languages || []).find((l) => l.split("-")[0] === lang) || lang;
export function t(key, params = {}) {
  let text = words[key];
  if (text && typeof text === "object")
    text = text[new Intl.PluralRules(lang).select(params.n)] ?? text.other;
  if (text === undefined) return key;
  if (lang !== "en") text = text.replace(" ({detail})", ""); // a server's details are English
  return bound(text.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? ""));
}
// French has a space before these signs, at which no line may end; so has a quotation inside.
const bound = (text) =>
  lang === "fr" ? text.replace(/ (?=[?!:;»%…])|(?<=«) /g, "\u00a0") : text;
export const has = (key) => key in words;
export const number = (x, digits = 0) =>
  new Intl.NumberFormat(locale(), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(x);
// A length in whole millimetres or tenths.
export const length = (mm) => number(mm, Number.isInteger(mm) ? 0 : 1);
export const percent = (x) =>
  new Intl.NumberFormat(locale(), {
    style: "percent",
    maximumFractionDigits: x < 0.1 ? 1 : 0,
  }).format(x);
export const when = (seconds) =>
  new Intl.DateTimeFormat(locale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(seconds * 1000));
export const time = (ms) =>
  new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(new Date(ms));
export const day = (date) =>
  new Intl.DateTimeFormat(locale(), { weekday: "long", day: "numeric", month: "long" }).format(
    date,
  );
export const list = (items) => new Intl.ListFormat(lang, { type: "conjunction" }).format(items);
// What the server says in every language, in ours; plain words as they are.
export const say = (words) =>
  words && typeof words === "object" ? bound(words[lang] ?? words.en) : words;
// With a capital to begin with.
export const sentence = (words) => words.replace(/^./, (c) => c.toUpperCase());

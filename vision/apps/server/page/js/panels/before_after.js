// What one gets, before there is a round: a photo, and over most of it the round that was read.
import { h } from "../lib/dom.js";
import { t, language } from "../lib/i18n.js";

const SIZE = { width: 560, height: 399 };
const picture = (name, more) => h("img", { src: `/static/pictures/${name}.webp`, alt: "", ...SIZE, ...more });

export const beforeAfter = () =>
  h(
    "figure.shows",
    { role: "img", "aria-label": t("home.shows") },
    picture("before"),
    h("span", {}, t("home.before")),
    h("div.after", {}, picture(`after.${language()}`, { fetchpriority: "low" }), h("span.is", {}, t("home.after"))),
  );

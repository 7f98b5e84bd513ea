// How a round comes onto the television: on this screen, or at an address that another one opens.
import { h, icon, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { loadAbout } from "../lib/about.js";

const place = (id) => `#/round/${id}/tv`;
async function elsewhere(id) {
  const { addresses } = await loadAbout();
  if (!addresses.length) return [h("p.warning", {}, t("phones.closed"))];
  const address = new URL(addresses[0]);
  address.hash = place(id);
  return [
    h("p", {}, t("screen.how")),
    h("img.code", { src: `/qr.svg?round=${id}`, alt: t("screen.code") }),
    h("input", {
      type: "text",
      readonly: true,
      value: address.href,
      "aria-label": t("phones.address"),
      onfocus: (e) => e.target.select(),
    }),
  ];
}
async function show(id) {
  dialog(
    t("screen.title"),
    t("close"),
    h("a.btn.main", { href: place(id) }, icon("screen"), t("screen.here")),
    await elsewhere(id),
    h("p.soft", {}, t("screen.next")),
  );
}
// On the photo, where there is room beside it.
export function screenButton(id) {
  const title = t("screen.title");
  return h("button.glass.screens", { "aria-label": title, title, onclick: () => show(id) }, icon("screen"));
}
export const screenPanel = (id) =>
  h("section.panel.screenpanel", {}, h("button.btn", { onclick: () => show(id) }, icon("screen"), t("screen.title")));

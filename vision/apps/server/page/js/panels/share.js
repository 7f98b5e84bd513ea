// Links to a round: making, copying, ending them.
import { h, icon, toast } from "../lib/dom.js";
import { t, when } from "../lib/i18n.js";
import { get, post, call } from "../lib/api.js";
import { loadAbout } from "../lib/about.js";

const DAYS = [1, 7, 30, 365];
const isOwn = (host) => /^(localhost|127\.|\[::1\])/.test(host);
// Where others reach this page: not at this machine's name for itself.
export async function outside() {
  if (!isOwn(location.hostname)) return location.origin;
  const { addresses } = await loadAbout().catch(() => ({ addresses: [] }));
  return addresses.length ? new URL(addresses[0]).origin : location.origin;
}
async function copy(link, field) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches)
      await navigator.share({ url: link, title: "Sightline" });
    else {
      await navigator.clipboard.writeText(link);
      toast(t("share.copied"));
    }
  } catch (error) {
    if (error.name === "AbortError") return; // they thought better of it
    field.focus();
    field.select(); // without a certificate the clipboard is out of reach
    toast(t(document.execCommand("copy") ? "share.copied" : "share.select"));
  }
}
function linkItem(share, origin, repaint) {
  const link = origin + share.url;
  const field = h("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": t("share.link"),
    onfocus: (e) => e.target.select(),
  });
  const end = async () => {
    await call("DELETE", `/shares/${share.token}`);
    toast(t("share.ended"));
    repaint();
  };
  return h(
    "li.panel",
    {},
    field,
    h("p.tiny.soft", {}, t("share.until", { when: when(share.expires) })),
    h(
      "div.row",
      {},
      h("button.btn.small", { onclick: () => copy(link, field) }, icon("share"), t("share.copy")),
      h("a.btn.small", { href: share.url, target: "_blank", rel: "noopener" }, t("share.open")),
      h("button.btn.small.danger", { onclick: end }, icon("trash"), t("share.end")),
    ),
  );
}
export function sharePanel(round, { base }) {
  const links = h("ul.links", {}),
    closed = h("p.warning", { role: "status", hidden: true }, t("share.here"));
  const days = h(
    "select",
    { id: "share-days" },
    DAYS.map((n) => h("option", { value: n }, t("share.days", { n }))),
  );
  days.value = "30";
  let known = [];
  const paint = async () => {
    const { shares } = await get(`${base}/shares`);
    known = shares.map(({ token }) => token);
    const origin = await outside();
    closed.hidden = !isOwn(new URL(origin).hostname);
    links.replaceChildren(...shares.map((share) => linkItem(share, origin, paint)));
  };
  // A second press gives the link that is there, if it holds as long.
  const make = async () => {
    try {
      const { token } = await post(`${base}/shares`, { days: Number(days.value) });
      if (known.includes(token)) toast(t("share.there"));
      else await paint();
    } catch (e) {
      toast(e.words, true);
    }
  };
  paint().catch(() => {});
  return h(
    "section.panel",
    {},
    h("h2", {}, t("share.title")),
    h("p.soft.tiny", {}, t("share.how")),
    h("label.field", { for: "share-days" }, t("share.for"), days),
    closed,
    h("button.btn.main", { onclick: make }, icon("share"), t("share.make")),
    links,
  );
}

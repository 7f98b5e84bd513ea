// What leaves: pictures, data, paper, links; and the round's own name and end.
import { h, icon, toast } from "./dom.js";
import { t, when } from "./i18n.js";
import { get, post, call } from "./api.js";
import { loadAbout } from "./home.js";

export function takePanels(place, round) {
  const { base, id, token } = place;
  const readOnly = Boolean(token);
  const url = `/api/v1${base}`;
  const film = h("span", { hidden: true }); // a button where the server can write films
  if (!readOnly)
    loadAbout()
      .then((about) => {
        if (about.replays.includes("mp4")) film.replaceWith(file("picture.replay.mp4", "take.mp4"));
      })
      .catch(() => {});
  const file = (kind, key) =>
    h(
      "a.btn",
      { href: `${url}/${kind}`, download: "round." + kind.split(".").at(-1) },
      icon("download"),
      t(key),
    );
  return [
    h(
      "section.panel",
      {},
      h("h2", {}, t("take.title")),
      h(
        "div.pick",
        {},
        file("picture.png", "take.png"),
        file("picture.jpg", "take.jpg"),
        file("picture.svg", "take.svg"),
        file("picture.replay.webp", "take.webp"),
        file("picture.replay.gif", "take.gif"),
        film,
        readOnly ? null : file("scan.json", "take.json"),
        h(
          "a.btn",
          { href: readOnly ? `/s/${token}#/print` : `#/print/${id}` },
          icon("print"),
          t("take.print"),
        ),
      ),
      h("p.tiny.soft", {}, t("take.private")),
    ),
    readOnly ? null : sharePanel(place),
    readOnly ? null : aboutPanel(place, round),
  ];
}
// Where others reach this page: not at this machine's name for itself.
async function outside() {
  if (!/^(localhost|127\.|\[::1\])/.test(location.hostname)) return location.origin;
  const { addresses } = await loadAbout().catch(() => ({ addresses: [] }));
  return addresses.length ? new URL(addresses[0]).origin : location.origin;
}
function sharePanel({ base }) {
  const links = h("ul.links", {});
  const days = h(
    "select",
    { id: "share-days" },
    [1, 7, 30, 365].map((n) => h("option", { value: n }, t("share.days", { n }))),
  );
  days.value = "30";
  const paint = async () => {
    const { shares } = await get(`${base}/shares`);
    const origin = await outside();
    links.replaceChildren(
      ...shares.map((x) => {
        const link = origin + x.url;
        const field = h("input", {
          type: "text",
          readonly: true,
          value: link,
          "aria-label": t("share.link"),
          onfocus: (e) => e.target.select(),
        });
        return h(
          "li.panel",
          {},
          field,
          h("p.tiny.soft", {}, t("share.until", { when: when(x.expires) })),
          h(
            "div.row",
            {},
            h(
              "button.btn.small",
              {
                onclick: async () => {
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
                },
              },
              icon("share"),
              t("share.copy"),
            ),
            h("a.btn.small", { href: x.url, target: "_blank", rel: "noopener" }, t("share.open")),
            h(
              "button.btn.small.danger",
              {
                onclick: async () => {
                  await call("DELETE", `/shares/${x.token}`);
                  toast(t("share.ended"));
                  paint();
                },
              },
              icon("trash"),
              t("share.end"),
            ),
          ),
        );
      }),
    );
  };
  paint().catch(() => {});
  return h(
    "section.panel",
    {},
    h("h2", {}, t("share.title")),
    h("p.soft.tiny", {}, t("share.how")),
    h("label.field", { for: "share-days" }, t("share.for"), days),
    h(
      "button.btn.main",
      {
        onclick: async () => {
          try {
            await post(`${base}/shares`, { days: Number(days.value) });
            paint();
          } catch (e) {
            toast(e.words, true);
          }
        },
      },
      icon("share"),
      t("share.make"),
    ),
    links,
  );
}
function aboutPanel({ base, id }, round) {
  const name = h("input", {
    type: "text",
    id: "round-name",
    value: round.name,
    maxlength: 100,
    placeholder: when(round.created),
  });
  name.addEventListener("change", async () => {
    await call("PATCH", base, { name: name.value });
    toast(t("edit.saved"));
  });
  return h(
    "section.panel",
    {},
    h("label.field", { for: "round-name" }, t("round.name"), name),
    round.evening ? h("a.btn", { href: `#/evening/${round.evening}` }, t("round.evening")) : null,
    h(
      "button.btn.danger",
      {
        onclick: async () => {
          await call("DELETE", base);
          location.hash = "#/";
          toast(t("round.deleted"), false, {
            label: t("edit.undo"),
            run: async () => {
              await post(`${base}/restore`);
              location.hash = `#/round/${id}`;
            },
          });
        },
      },
      icon("trash"),
      t("round.delete"),
    ),
  );
}

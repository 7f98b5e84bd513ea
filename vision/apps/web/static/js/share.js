// What leaves: pictures, data, paper, links; and the round's own name and end.
import { h, icon, toast } from "./dom.js";
import { t, when } from "./i18n.js";
import { get, post, call } from "./api.js";

export function takePanels(place, round) {
  const { base, id, token } = place;
  const readOnly = Boolean(token);
  const url = `/api/v1${base}`;
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
        readOnly ? null : file("scan.json", "take.json"),
        h("a.btn", { href: readOnly ? `/s/${token}#/print` : `#/print/${id}` }, t("take.print")),
      ),
      h("p.tiny.soft", {}, t("take.private")),
    ),
    readOnly ? null : sharePanel(place),
    readOnly ? null : aboutPanel(place, round),
  ];
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
    links.replaceChildren(
      ...shares.map((x) => {
        const link = location.origin + x.url;
        return h(
          "li.panel",
          {},
          h("input", {
            type: "text",
            readonly: true,
            value: link,
            "aria-label": t("share.link"),
            onfocus: (e) => e.target.select(),
          }),
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
                  } catch {
                    links.querySelector("input").select();
                    toast(t("share.select"));
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

// A career: who served and serves, what each round left, and what is said by hand.
import { h, icon, dialog, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get, post, call } from "../lib/api.js";
import { news } from "../lib/news.js";
import { copiesPanel, figuresPanel, handPanel } from "../panels/careers.js";

export async function showCareer(main, id) {
  const base = `/careers/${id}`;
  let shown = null;
  const show = (career) => {
    shown = career;
    paint(main, career, acts(career));
  };
  const done = async (request) => {
    try {
      show(await request);
      toast(t("edit.saved"));
    } catch (error) {
      toast(error.words || String(error), true);
      show(await get(base));
    }
  };
  const acts = ({ revision }) => ({
    rename: (figure, name) => done(post(`${base}/figures`, { figure, name, revision })),
    setPoints: (points) => done(post(`${base}/points`, { points, revision })),
    undo: () => done(post(`${base}/undo`, { revision })),
    redo: () => done(post(`${base}/redo`, { revision })),
    renamePlayer: (name) => done(call("PATCH", base, { name })),
    remove: () => removeDialog(base),
  });
  show(await get(base));
  news.follow(async () => {
    const now = await get(base);
    const isWriting = main.contains(document.activeElement?.closest("input"));
    if (!isWriting && JSON.stringify(now) !== JSON.stringify(shown)) show(now);
  });
}
function paint(main, career, acts) {
  document.title = career.name;
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1", {}, career.name),
      figuresPanel(career, acts),
      copiesPanel(career.copies),
      handPanel(career, acts),
      h("div.row", {}, h("a.btn", { href: "#/" }, icon("back"), t("back"))),
    ),
  );
}
function removeDialog(base) {
  const remove = async () => {
    await call("DELETE", base);
    box.close();
    location.hash = "#/";
  };
  const box = dialog(
    t("career.delete"),
    t("close"),
    h("p", {}, t("career.delete_more")),
    h("button.btn.danger", { onclick: remove }, icon("trash"), t("career.delete")),
  );
}

// This is wrong: the round in one file for a bug report; what goes of the photo is chosen first.
import { h, icon, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

const CHOICES = ["table", "as_is", "none"];

export function askWrong(base) {
  const note = h("textarea", { id: "wrong-note", rows: 3, maxlength: 1000 });
  const address = (photo) =>
    `/api/v1${base}/report.zip?${new URLSearchParams({ photo, note: note.value })}`;
  const link = (photo) => {
    const words = t("wrong." + photo);
    const node = h("a.btn", { download: "", href: address(photo) }, icon("download"), words);
    note.addEventListener("input", () => (node.href = address(photo)));
    return node;
  };
  dialog(
    t("wrong.title"),
    t("close"),
    h("p", {}, t("wrong.how")),
    h("label.field", { for: "wrong-note" }, t("wrong.note"), note),
    h("p.soft", {}, t("wrong.photo")),
    h("div.pick", {}, CHOICES.map(link)),
    h("p.tiny.soft", {}, t("wrong.private")),
  );
}

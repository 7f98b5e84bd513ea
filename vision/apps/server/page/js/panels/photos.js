// The photos of a round, where a table may be spread over several: which are missing, one more, a look.
import { h, icon, dialog, toast } from "../lib/dom.js";
import { t, say, sentence } from "../lib/i18n.js";
import { accepted, known } from "../lib/about.js";
import { call, upload, watch } from "../lib/api.js";
import { failureWords } from "../lib/uploads.js";

const isRead = (state) => ["done", "failed"].includes(state);

// The photos of a round that is looked at; in place of them `reading` while they are read again.
export class Photos {
  // base: of the round; id: its own; onPaint: something changed; onRead: the round is another
  constructor({ base, id, onPaint, onRead }) {
    Object.assign(this, { base, id, onPaint, onRead, share: null, reading: false, error: null });
  }
  load({ photos }) {
    if (!photos || this.reading) return;
    this.error = photos.error ? failureWords(photos.error) : null;
    if (!isRead(photos.state)) this.follow();
  }
  async add(files) {
    if (!files.length || this.reading || this.share !== null) return;
    const limit = (known()?.limits.body_mb || 30) * 1e6;
    if (files.some((file) => file.size > limit)) {
      toast(t("problem.body_too_large", { detail: "" }), true);
      return;
    }
    Object.assign(this, { share: 0, error: null });
    this.onPaint();
    const onProgress = (share) => {
      this.share = share;
      this.onPaint();
    };
    await this.act(upload(`${this.base}/photos`, files, {}, onProgress));
  }
  remove(number) {
    return this.act(call("DELETE", `${this.base}/photos/${number}`));
  }
  async act(request) {
    try {
      const scan = await request;
      if (isRead(scan.state)) toast(t("photos.there"));
      else this.follow();
    } catch (error) {
      this.error = error.words || String(error);
    }
    this.share = null;
    this.onPaint();
  }
  follow() {
    this.reading = true;
    watch(this.id, ({ state, error }) => {
      if (!isRead(state) || !this.reading) return;
      this.reading = false;
      this.error = error ? failureWords(error) : null;
      this.onRead();
    });
  }
}
export function photosPanel(round, { photos, base }) {
  if (!round.photos) return null;
  const { of, most, wanted } = round.photos;
  const mayAdd = of.length < most && !photos.reading && photos.share === null;
  return h(
    "section.panel.photos",
    {},
    h("h2", {}, t("photos.title")),
    wanted.length
      ? [
          h("p.soft", {}, t("photos.wanted")),
          h("ul.wanted", {}, wanted.map((said) => h("li", {}, sentence(say(said))))),
        ]
      : null,
    of.length > 1 ? h("div.thumbs", {}, of.map((mark, n) => thumb(mark, n, photos, base))) : null,
    underWay(photos),
    photos.error ? h("p.err", { role: "alert" }, photos.error) : null,
    mayAdd ? adders(photos) : null,
  );
}
function underWay({ share, reading }) {
  if (share === null && !reading) return null;
  const words = reading ? t("photos.reading") : t("upload.sending", { n: Math.round(share * 100) });
  return h("p.soft", { role: "status" }, words);
}
function thumb(mark, number, photos, base) {
  const src = `/api/v1${base}/photos/${number}.jpg?of=${mark}`,
    name = number ? t("photos.more", { n: number + 1 }) : t("photos.first");
  const look = () => {
    const remove = async () => {
      box.close();
      await photos.remove(number);
    };
    const box = dialog(
      name,
      t("close"),
      h("img.whole", { src, alt: name }),
      number && !photos.reading
        ? h("button.btn.danger", { onclick: remove }, icon("trash"), t("photos.remove"))
        : null,
    );
  };
  return h("button.thumb", { onclick: look, "aria-label": name }, h("img", { src, alt: "", loading: "lazy" }));
}
function adders(photos) {
  const input = (more) => {
    const node = h("input", { type: "file", accept: accepted(), hidden: true, "aria-hidden": "true", ...more });
    node.addEventListener("change", () => photos.add([...node.files]));
    return node;
  };
  const [shoot, choose] = [input({ capture: "environment" }), input({ multiple: true })];
  return h(
    "div.row",
    {},
    h("button.btn.main", { onclick: () => shoot.click() }, icon("camera"), t("photos.add")),
    h("button.btn", { onclick: () => choose.click() }, icon("image"), t("home.gallery")),
    shoot,
    choose,
  );
}

// What is shown is as the server has it, or says how old it is. A tab holds one stream of news; the
// page in it says how to load itself anew. Whoever hears nothing, or cannot load, marks the page.
import { h } from "./dom.js";
import { t, time } from "./i18n.js";
import { Problem } from "./api.js";

const SILENT_MS = 1500, // the server beats every 0.7 s; a page may be wrong unmarked for 2 s
  LOOK_MS = 200,
  GATHER_MS = 100, // changes within it are loaded once
  AGAIN_MS = 500,
  FIRST_MS = 500; // so long a page waits for the stream before it loads without
const root = document.documentElement;

class News {
  constructor() {
    this.node = h("p.stale", { role: "status" });
  }
  start(path) {
    Object.assign(this, { path, load: null, isOld: false, isLoading: false, heard: 0, oldSince: 0 });
    this.asOf = Date.now();
    this.said = "";
    setInterval(() => this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => (document.hidden ? this.hush() : this.listen()));
    addEventListener("offline", () => this.look(true));
    addEventListener("pagehide", () => this.hush());
    addEventListener("pageshow", (e) => e.persisted && this.listen());
    const first = new Promise((resolve) => (this.opened = resolve));
    this.listen();
    return Promise.race([first, new Promise((resolve) => setTimeout(resolve, FIRST_MS))]);
  }
  // A tab that nobody sees holds no connection: browsers have six for one server.
  hush() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
  listen() {
    if (this.source) return;
    this.heard = this.oldSince = performance.now();
    const source = (this.source = new EventSource("/api/v1" + this.path));
    const on = (name, act) =>
      source.addEventListener(name, () => {
        const before = this.heard;
        this.heard = performance.now();
        act(before);
        this.opened();
      });
    on("state", (before) => this.grow(before));
    on("beat", () => {});
    on("gone", () => {
      source.close();
      this.onGone?.(new Problem(404, "not_found", ""));
    });
    source.addEventListener("error", () => {
      this.heard = Math.min(this.heard, performance.now() - SILENT_MS);
      if (source.readyState !== EventSource.CLOSED || this.source !== source) return;
      this.source = null;
      this.timer = setTimeout(() => this.listen(), AGAIN_MS);
    });
  }
  // Something may have changed: at the earliest when the server last said that nothing had.
  grow(since) {
    if (!this.isOld) this.oldSince = since;
    this.isOld = true;
    this.count = (this.count ?? 0) + 1;
    clearTimeout(this.wait);
    this.wait = setTimeout(() => this.catchUp(), GATHER_MS);
  }
  // onGone: what a page shows is no more.
  // A page is being opened: what changes from now on it has to load again.
  begin() {
    this.load = null;
    this.isOld = false;
    this.asOf = Date.now();
  }
  follow(load) {
    this.load = load;
    if (this.isOld) this.catchUp();
  }
  async catchUp() {
    const { load, count } = this;
    if (!load || this.isLoading) return;
    this.isLoading = true;
    const asOf = Date.now();
    let isGood = false;
    try {
      isGood = (await load()) !== false;
    } catch (error) {
      if (error.status === 404 && load === this.load) this.onGone?.(error);
    }
    this.isLoading = false;
    if (load !== this.load) return this.isOld && this.catchUp(); // another page by now
    if (isGood) this.asOf = asOf;
    if (isGood && count === this.count) this.isOld = false;
    else setTimeout(() => this.catchUp(), isGood ? 0 : AGAIN_MS);
    this.look();
  }
  look(isOff = false) {
    const now = performance.now();
    const isSilent = isOff || now - this.heard > SILENT_MS;
    const isLate = this.isOld && now - this.oldSince > SILENT_MS;
    if (!isSilent && !this.isOld) this.asOf = Date.now();
    const at = { time: time(this.asOf) };
    const words = isSilent ? t("stale.offline", at) : isLate ? t("stale.late", at) : "";
    this.tell(this.load ? words : "");
  }
  tell(words) {
    if (words === this.said) return;
    this.said = words;
    root.classList.toggle("is-stale", Boolean(words));
    root.style.setProperty("--stale", JSON.stringify(" · " + words));
    this.node.textContent = words;
  }
}
export const news = new News();

// What a viewer gets of a live game: events and state by one stream, the newest picture by another.
import { get } from "../lib/api.js";
import { language } from "../lib/i18n.js";

const AGAIN_MS = 2000;

export class LiveFeed {
  // spectator: the key of a spectator's screen, if it has one
  constructor(id, { onTold, onState, onBeat, onEnd, spectator = null }) {
    Object.assign(this, { id, onTold, onState, onBeat, onEnd, spectator, known: 0, isOver: false });
    this.heard = performance.now();
    this.listen();
  }
  listen() {
    const query = new URLSearchParams({ lang: language(), after: this.known });
    if (this.spectator) query.set("spectator", this.spectator);
    const source = (this.source = new EventSource(`/api/v1/live/${this.id}/events?${query}`));
    const on = (name, act) =>
      source.addEventListener(name, (e) => {
        this.heard = performance.now();
        act(JSON.parse(e.data));
      });
    on("told", (event) => {
      if (event.number <= this.known) return;
      this.known = event.number;
      this.onTold(event);
    });
    on("state", this.onState);
    on("beat", this.onBeat);
    on("end", () => this.finish());
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) this.again(); // else it comes back itself
    });
  }
  again() {
    this.source.close();
    setTimeout(async () => {
      if (this.isOver) return;
      try {
        await get(`/live/${this.id}`);
      } catch (error) {
        if (error.status === 404) return this.finish();
      }
      if (!this.isOver) this.listen();
    }, AGAIN_MS);
  }
  finish() {
    this.close();
    this.onEnd();
  }
  close() {
    this.isOver = true;
    this.source.close();
  }
}

// The newest picture on a canvas, again and again; each is asked for when the last is shown.
export class LivePicture {
  constructor(id, canvas) {
    Object.assign(this, { id, canvas, isOver: false, number: 0, shown: null });
    this.stop = new AbortController();
    this.run();
  }
  async run() {
    const pause = (ms) => new Promise((r) => setTimeout(r, ms));
    while (!this.isOver) {
      if (document.hidden) {
        await pause(300);
        continue;
      }
      try {
        const reply = await fetch(`/api/v1/live/${this.id}/picture?after=${this.number}`, {
          signal: this.stop.signal,
        });
        if (reply.status !== 200) {
          await pause(reply.status === 204 ? 400 : 1500);
          continue;
        }
        const bitmap = await createImageBitmap(await reply.blob());
        if (this.isOver) return;
        this.canvas.width = bitmap.width;
        this.canvas.height = bitmap.height;
        this.canvas.getContext("2d").drawImage(bitmap, 0, 0);
        bitmap.close();
        this.number = Number(reply.headers.get("X-Picture"));
        this.shown = performance.now() - 1000 * Number(reply.headers.get("X-Age"));
      } catch {
        if (!this.isOver) await pause(1000);
      }
    }
  }
  close() {
    this.isOver = true;
    this.stop.abort();
  }
}

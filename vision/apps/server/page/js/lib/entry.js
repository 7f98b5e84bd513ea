// What is entered of a deck: sent one after the other, kept in the browser until the server has it.
import { t } from "./i18n.js";
import { call, get, post } from "./api.js";
import { WEAPONS, toldOf, valuesOf } from "./design.js";
import { toast } from "./dom.js";

const SOON_MS = 500, // what keys add up to is one step to undo
  AGAIN_MS = 3000;

export class Entry {
  // changed(): something else shows
  constructor(deck, told, changed) {
    Object.assign(this, { deck, changed, trouble: "", timer: null, working: null });
    this.hear(told);
    this.base = `/decks/${deck}/designs`;
    this.place = `entered:${deck}`;
    this.waiting = new Map(this.restored()); // by design: what the server has not taken yet
    this.again = () => this.send();
    addEventListener("online", this.again);
    if (this.waiting.size) this.send();
  }
  leave() {
    removeEventListener("online", this.again);
    clearTimeout(this.timer);
    this.changed = () => {};
    return this.send();
  }
  restored() {
    try {
      return JSON.parse(localStorage.getItem(this.place)) || [];
    } catch {
      return [];
    }
  }
  keep() {
    if (this.waiting.size) localStorage.setItem(this.place, JSON.stringify([...this.waiting]));
    else localStorage.removeItem(this.place);
  }
  hear(told) {
    this.told = toldOf(told);
  }
  toldOf(name) {
    return this.told.designs.find((one) => one.name === name);
  }
  // A design as it is here, whether the server has it or not.
  of(name) {
    const told = this.toldOf(name),
      values = this.waiting.get(name)?.values;
    return told && values ? { ...told, ...values, [WEAPONS]: values[this.told.called.weapons] } : told;
  }
  put(name, design, { soon = false } = {}) {
    const values = valuesOf(design, this.told.called);
    const revision = this.waiting.get(name)?.revision ?? this.toldOf(name).revision;
    this.waiting.set(name, { values, revision });
    this.keep();
    this.changed();
    clearTimeout(this.timer);
    if (soon) this.timer = setTimeout(this.again, SOON_MS);
    else this.send();
  }
  // Sends what waits; resolves when nothing waits any more, or it cannot go on.
  send() {
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
    return this.working;
  }
  async work() {
    clearTimeout(this.timer);
    while (this.waiting.size) {
      const [name, sent] = this.waiting.entries().next().value;
      try {
        this.hear(await call("PUT", `${this.base}/${name}`, { ...sent.values, revision: sent.revision }));
        this.trouble = "";
        const now = this.waiting.get(name);
        if (now === sent) this.waiting.delete(name);
        else now.revision = this.toldOf(name).revision; // more came meanwhile
      } catch (error) {
        if (!(await this.failed(name, sent, error))) return;
      }
      this.keep();
      this.changed();
    }
  }
  // Tells whether what waits can go on.
  async failed(name, sent, error) {
    if (error.status === 0 || error.status >= 500) {
      this.trouble = t("does.unsent");
      this.timer = setTimeout(this.again, AGAIN_MS);
      this.changed();
      return false;
    }
    this.waiting.delete(name);
    this.keep();
    await this.load();
    if (error.status !== 409) toast(error.words || error.message, true);
    else if (!this.has(name, sent.values)) toast(t("does.conflict", { name }), true);
    return true;
  }
  // Whether the server has just this: it was sent before, and the answer was lost.
  has(name, values) {
    const told = this.toldOf(name);
    return Boolean(told) && JSON.stringify(valuesOf(told, this.told.called)) === JSON.stringify(values);
  }
  async load() {
    try {
      this.hear(await get(this.base));
    } catch (error) {
      this.trouble = error.words || error.message;
    }
    this.changed();
  }
  // Undo, redo, a look: on what the server has, so after all that waits.
  async ask(act) {
    await this.send();
    if (this.waiting.size) return false;
    try {
      this.hear(await act());
      this.changed();
      return true;
    } catch (error) {
      toast(error.status === 409 ? t("does.conflict", { name: "" }) : error.words || error.message, true);
      await this.load();
      return false;
    }
  }
  step(name, kind) {
    return this.ask(() =>
      post(`${this.base}/${name}/${kind}`, { revision: this.toldOf(name).revision }),
    );
  }
  look(name, card, isSo) {
    const revision = () => this.toldOf(name).revision;
    return this.ask(() =>
      call("PUT", `${this.base}/${name}/looked_at`, { card, is_so: isSo, revision: revision() }),
    );
  }
  finish() {
    return this.ask(() => post(this.base));
  }
}

// A player's own place at a table, by its address; this phone holds a key to its own order.
import { call } from "./api.js";
import { language } from "./i18n.js";

export class Seat {
  constructor(token) {
    this.token = token;
    this.path = `/seats/${token}`;
    this.kept = `seat-${token}`;
  }
  ask(method, what = "", body = undefined) {
    const phone = localStorage.getItem(this.kept) || "";
    return call(method, this.path + what, body, { "X-Phone": phone });
  }
  // Come to the seat, once for each phone; return how things stand.
  async join() {
    if (!localStorage.getItem(this.kept)) {
      const { phone } = await this.ask("POST", "/join");
      localStorage.setItem(this.kept, phone);
    }
    return this.state();
  }
  state() {
    return this.ask("GET", `?lang=${language()}`);
  }
  choices(so_far) {
    return this.ask("POST", "/choices", { so_far, lang: language() });
  }
  read(order) {
    return this.ask("POST", "/read", { order, lang: language() });
  }
  sheet(order) {
    return this.ask("POST", "/sheet", { order, lang: language() });
  }
  give(order) {
    return this.ask("PUT", "/order", { order, lang: language() });
  }
}

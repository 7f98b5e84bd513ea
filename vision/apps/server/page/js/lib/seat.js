// A player's own place at a table, by its address; this phone holds a key to its own order, and what
// is filled in but not sealed yet. One phone may have several seats.
import { call } from "./api.js";
import { language } from "./i18n.js";

const KEY = "seat-",
  DRAFT = "draft-";

export class Seat {
  constructor(token) {
    this.token = token;
    this.path = `/seats/${token}`;
    this.kept = KEY + token;
  }
  // The seats of this phone.
  static all() {
    const tokens = Object.keys(localStorage).filter((name) => name.startsWith(KEY));
    return tokens.map((name) => new Seat(name.slice(KEY.length))).sort((a, b) => (a.token < b.token ? -1 : 1));
  }
  // The other seats of this phone at the same table, with their states; those that are gone are forgotten.
  async others({ id }) {
    const asked = Seat.all().filter(({ token }) => token !== this.token);
    const found = await Promise.all(
      asked.map((seat) =>
        seat.state().then(
          (state) => ({ seat, state }),
          (error) => (error.status === 404 ? seat.forget() : null),
        ),
      ),
    );
    return found.filter((one) => one?.state.id === id);
  }
  forget() {
    localStorage.removeItem(this.kept);
    localStorage.removeItem(DRAFT + this.token);
    return null;
  }
  // What is filled in or tapped at a round and not sealed: it outlives this page. `order` is what it
  // says as far as it is one, `trail` the taps that led there.
  draft(scan) {
    const kept = JSON.parse(localStorage.getItem(DRAFT + this.token) || "null");
    return kept?.scan === scan ? kept : { order: null, trail: [] };
  }
  keep(scan, order, trail = []) {
    localStorage.setItem(DRAFT + this.token, JSON.stringify({ scan, order, trail }));
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
  async give(order) {
    const state = await this.ask("PUT", "/order", { order, lang: language() });
    localStorage.removeItem(DRAFT + this.token);
    return state;
  }
}

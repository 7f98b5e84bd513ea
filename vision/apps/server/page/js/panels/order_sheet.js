// An order that is filled in like a sheet: columns side by side, one tap each, in any order.
import { h, toast } from "../lib/dom.js";
import { sentence } from "../lib/i18n.js";
import { typedOrder } from "./typed_order.js";

const failed = (error) => toast(error.words || String(error), true);
const values = (column) => column.picks.map(({ value }) => value).join();

// The sheet of whoever orders now, as far as it is filled in; in place of taps on the photo.
export class OrderSheet {
  // sheet(party, given) and read(party, order) ask the server; onChange: another sheet shows
  constructor({ sheet, read, onChange }) {
    Object.assign(this, { ask: sheet, readOrder: read, onChange, asked: 0 });
    this.stop();
  }
  stop() {
    Object.assign(this, { party: null, columns: [], order: null, offered: [], onRead: null });
  }
  async begin(party, given = null) {
    this.stop();
    this.party = party;
    await this.fill(given);
  }
  async fill(given) {
    const { party } = this,
      { sheet } = await this.ask(party, given);
    if (this.party !== party) return; // another one orders now
    this.columns = sheet;
    await this.read();
    this.onChange();
  }
  get filled() {
    return Object.fromEntries(this.columns.map(({ id, chosen }) => [id, chosen]));
  }
  get isEmpty() {
    return this.columns.every(({ chosen }) => !chosen.length);
  }
  async read() {
    const asked = ++this.asked,
      order = await this.readOrder(this.party, this.filled);
    if (asked !== this.asked) return; // a later tap asks anew
    this.order = order;
    this.onRead?.();
  }
  // Ask once more what the server could not be asked before.
  async again() {
    if (this.columns.length && !this.order) await this.read();
  }
  tap(column, value) {
    const rest = column.chosen.filter((one) => one !== value);
    column.chosen = rest.length < column.chosen.length ? rest : [...rest, value].slice(-column.most);
    this.order = null;
    return this.read();
  }
}
// sheet: the one that is filled in; give(order) takes what it says; label says what giving does
export function sheetPad(sheet, { give, label, isOpen = true }) {
  const said = h("div.order", { role: "status" });
  const button = h("button.btn.main.big", { onclick: () => give(sheet.filled) }, label);
  const blocks = together(sheet.columns).map((columns) =>
    columns.length > 1 ? grid(sheet, columns) : line(sheet, columns[0]),
  );
  sheet.onRead = () => {
    const { order } = sheet;
    button.disabled = !isOpen || !order;
    if (order) said.replaceChildren(...words(order));
  };
  sheet.onRead();
  return h("div.pad.sheetpad", {}, blocks, said, h("div.row", {}, button), typedOrder((text) => sheet.fill(text)));
}
const words = ({ said, warning }) => [
  h("p.said", {}, sentence(said)),
  ...(warning ? [h("p.warning", {}, sentence(warning))] : []),
];
// Columns that follow each other and have the same picks are one grid.
const together = (columns) =>
  columns.reduce((groups, column) => {
    const last = groups.at(-1);
    if (last && values(last[0]) === values(column)) last.push(column);
    else groups.push([column]);
    return groups;
  }, []);
function grid(sheet, columns) {
  const heads = columns.map(({ name }) => h("span.head", { "aria-hidden": "true" }, name));
  const rows = columns[0].picks.map((pick, k) => [
    h("span.name", { "aria-hidden": "true" }, sentence(pick.said)),
    columns.map((column) => choice(sheet, column, column.picks[k])),
  ]);
  const node = h("div.ordersheet", { role: "group" }, h("span", {}), heads, rows);
  node.style.setProperty("--columns", columns.length);
  return node;
}
const line = (sheet, column) =>
  h(
    "div.orderline",
    { role: "group", "aria-label": column.name },
    h("span.name", { "aria-hidden": "true" }, column.name),
    h("div.choices", {}, column.picks.map((pick) => choice(sheet, column, pick))),
  );
function choice(sheet, column, pick) {
  const paint = (button) => {
    button.setAttribute("aria-pressed", String(column.chosen.includes(pick.value)));
  };
  const tap = (e) => {
    const told = sheet.tap(column, pick.value);
    for (const node of e.currentTarget.closest(".sheetpad").querySelectorAll("button.cell"))
      node.repaint();
    told.catch(failed);
  };
  const label = `${column.name}: ${sentence(pick.said)}`;
  const button = h("button.cell", { onclick: tap, "aria-label": label }, pick.sign || sentence(pick.said));
  button.repaint = () => paint(button);
  paint(button);
  return button;
}

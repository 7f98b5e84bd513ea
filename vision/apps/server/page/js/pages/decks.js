// The decks: those that are there, drafts from photos, and a new one.
import { h, icon, toast } from "../lib/dom.js";
import { length, t } from "../lib/i18n.js";
import { get, post } from "../lib/api.js";
import { loadOffers } from "../lib/offers.js";
import { deckItem, importButton, nameField } from "../panels/deck_shelf.js";

const SIZES = ["63.5x88.9", "63x88", "57x89", "70x120"]; // mm, of usual cards

export async function showDecks(main) {
  document.title = t("decks.title");
  const list = h("ul", {}),
    drafts = h("ul", {});
  const paint = async () => {
    const [{ learned }, told] = await Promise.all([get("/decks"), get("/drafts")]);
    list.replaceChildren(...learned.map((deck) => deckItem(deck, changed)));
    drafts.replaceChildren(...told.drafts.map(draftItem));
    if (!learned.length) list.replaceChildren(h("li.soft", {}, t("decks.none")));
  };
  const changed = async () => {
    await Promise.all([paint(), loadOffers()]);
  };
  main.replaceChildren(
    h(
      "div.wrap",
      {},
      h("h1", {}, t("decks.title")),
      h("p.soft", {}, t("decks.lead")),
      h("section.panel", {}, h("h2", {}, t("decks.learned")), list, importButton(changed)),
      h("section.panel.gap", {}, h("h2", {}, t("drafts.title")), drafts, beginForm()),
      h("div.row", {}, h("a.btn", { href: "#/" }, icon("back"), t("back"))),
    ),
  );
  await paint();
}
const draftItem = ({ name, cards, named }) =>
  h(
    "li.item",
    {},
    h(
      "div",
      {},
      h("a.title", { href: `#/draft/${name}` }, name),
      h("p.tiny.soft", {}, t("drafts.state", { n: cards, named })),
    ),
  );

// How large the cards are: a usual size, numbers, or a thing that lies beside them.
function beginForm() {
  const name = nameField("draft-name");
  const size = h(
    "select",
    { id: "draft-size" },
    SIZES.map((one) => h("option", { value: one }, one.split("x").map(Number).map(length).join(" × ") + " mm")),
    h("option", { value: "own" }, t("drafts.own_size")),
    h("option", { value: "bank-card" }, t("drafts.bank_card")),
    h("option", { value: "a4" }, t("drafts.a4")),
  );
  const side = (id, label) =>
    h("input", { id, type: "number", min: 15, max: 500, step: 0.1, "aria-label": label });
  const [wide, high] = [side("draft-wide", t("drafts.wide")), side("draft-high", t("drafts.high"))];
  const own = h("div.row", { hidden: true }, wide, "×", high, "mm");
  size.addEventListener("change", () => {
    own.hidden = size.value !== "own";
  });
  const begin = async (e) => {
    e.preventDefault();
    const isBeside = ["bank-card", "a4"].includes(size.value);
    const told = size.value === "own" ? [wide.value, high.value] : size.value.split("x");
    const body = isBeside ? { beside: size.value } : { size_mm: told.map(Number) };
    try {
      await post("/drafts", { name: name.value, ...body });
      location.hash = `#/draft/${name.value}`;
    } catch (error) {
      toast(error.words || error.message, true);
    }
  };
  return h(
    "form",
    { onsubmit: begin },
    h("label.field", { for: "draft-name" }, t("decks.name"), name),
    h("p.tiny.soft", {}, t("decks.name_how")),
    h("label.field", { for: "draft-size" }, t("drafts.size"), size),
    own,
    h("button.btn.main", {}, icon("camera"), t("drafts.begin")),
  );
}

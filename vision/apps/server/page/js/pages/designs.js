// What the cards of a deck do: which are entered, what is still missing; then the deck is played by it.
import { h, icon, toast } from "../lib/dom.js";
import { say, sentence, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { Entry } from "../lib/entry.js";
import { STRETCHES, WEAPONS } from "../lib/design.js";
import { chooseDeck, loadOffers } from "../lib/offers.js";
import { faceOf, unseen } from "../panels/twins.js";

const SHOWN = 6; // problems that are listed at once

export async function showDesigns(main, deck) {
  const entry = new Entry(deck, await get(`/decks/${deck}/designs`), () => paint());
  document.title = `${t("does.title")} · ${deck}`;
  const state = h("p", { role: "status" }),
    problems = h("ul.problems", {}),
    grid = h("div.cardgrid.designgrid", {}),
    tools = h("div.row", {});
  const finish = async () => {
    if (!(await entry.finish())) return;
    await loadOffers();
    chooseDeck(deck);
    toast(t("does.made", { name: deck }));
  };
  const paint = () => {
    const told = entry.told;
    const designs = told.designs.map((one) => entry.of(one.name));
    const done = designs.filter((one) => !one.problems.length).length;
    const open = designs.reduce((sum, one) => sum + unseen(one).length, 0);
    state.textContent = entry.trouble || (told.is_played ? t("does.played") : t("does.state", { n: designs.length, done, open }));
    const turned = designs.flatMap((one) => one.turned);
    problems.replaceChildren(
      ...turned.map((card) => h("li", {}, t("does.turned", { card }))),
      ...told.problems.slice(0, SHOWN).map((one) => h("li", {}, sentence(say(one)))),
      told.problems.length > SHOWN ? h("li.soft", {}, t("does.more", { n: told.problems.length - SHOWN })) : "",
    );
    grid.replaceChildren(...designs.map((one) => designCell(deck, one)));
    const isWhole = !told.problems.length;
    tools.replaceChildren(
      h("button.btn.main", { onclick: finish, disabled: !isWhole || told.is_played }, icon("check"), t("does.finish")),
      isWhole ? h("a.btn", { href: `/api/v1/decks/${deck}/designs.toml`, download: "" }, icon("download"), t("does.file")) : "",
      h("a.btn", { href: "#/decks" }, icon("back"), t("back")),
    );
  };
  main.replaceChildren(
    h("div.wrap", {}, h("h1", {}, t("does.title")), h("p.soft", {}, t("does.lead")), state, problems, grid, tools),
  );
  paint();
  return () => entry.leave();
}
function designCell(deck, one) {
  const [card] = Object.values(one.cards);
  const words = t("does.cell", { speed: one.speed ?? "?", health: one.health ?? "?", weapons: one[WEAPONS].length, shields: one[STRETCHES].length });
  const left = unseen(one).length;
  const sign = one.problems.length ? h("span.badge", {}, "?") : left ? h("span.badge", { title: t("does.to_look", { n: left }) }, `${left} ×`, icon("image")) : h("span.badge.good", {}, "✓");
  return h(
    "a.cardcell",
    { href: `#/does/${deck}/${one.name}` },
    h("img", { src: faceOf(deck, card), alt: "", loading: "lazy" }),
    h("b", {}, one.name),
    h("span.tiny.soft", {}, words),
    sign,
  );
}

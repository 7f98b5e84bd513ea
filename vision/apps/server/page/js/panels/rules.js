// The options that are played by, as the game tells them.
import { h, icon, dialog } from "../lib/dom.js";
import { t, say } from "../lib/i18n.js";
import { optionsOf } from "../lib/offers.js";

const KEYS = { number: Number, choice: String };
const asText = (value) => (value === null ? "" : String(value));

function flag({ id, name }, value) {
  const input = h("input", { type: "checkbox", id: "rule-" + id, checked: Boolean(value) });
  return {
    node: h("label.check", { for: input.id }, input, h("span", {}, say(name))),
    read: () => input.checked,
  };
}
function select({ id, kind, name, choices }, value) {
  const entry = (one) => h("option", { value: asText(one.value) }, say(one.name));
  const node = h("select", { id: "rule-" + id }, choices.map(entry));
  if (!choices.some((one) => one.value === value))
    node.append(entry({ value, name: asText(value) }));
  node.value = asText(value);
  return {
    node: h("label.field", { for: node.id }, say(name), node),
    read: () => (node.value === "" ? null : KEYS[kind](node.value)),
  };
}
// The options of a deck's game as fields; read() gives what is chosen, others stay as they were.
export function ruleFields(deck, rules, asItWas = null) {
  const fields = optionsOf(deck, asItWas).map((option) => {
    const value = rules[option.id] ?? option.default;
    const field = option.kind === "flag" ? flag(option, value) : select(option, value);
    return [option.id, field, option.rare];
  });
  const nodes = (isRare) => fields.filter(([, , rare]) => rare === isRare).map(([, { node }]) => node);
  const rare = nodes(true);
  return {
    nodes: [
      ...nodes(false),
      ...(rare.length ? [h("details", {}, h("summary", {}, t("rules.rare")), rare)] : []),
    ],
    read: () => ({
      ...Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null)),
      ...Object.fromEntries(fields.map(([id, { read }]) => [id, read()])),
    }),
  };
}
export function rulesDialog(round, send) {
  const fields = ruleFields(round.deck, round.rules, round.offer);
  const apply = async () => {
    if (await send({ kind: "rules", rules: fields.read() })) box.close();
  };
  const box = dialog(
    t("rules.title"),
    t("close"),
    ...fields.nodes,
    h("button.btn.main", { onclick: apply }, icon("rules"), t("rules.apply")),
  );
}

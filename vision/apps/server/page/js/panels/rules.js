// The rules that are played by.
import { h, icon, dialog } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

// The choices of the rules as fields; read() gives what is chosen.
export function ruleFields(r) {
  const select = (name, options) => {
    const node = h(
      "select",
      { id: "rule-" + name },
      options.map((o) => h("option", { value: o }, t(`rule.${name}.${o}`))),
    );
    node.value = r[name] ?? options[0];
    return [node, h("label.field", { for: "rule-" + name }, t("rule." + name), node)];
  };
  const rocks = h(
    "select",
    { id: "rule-rocks" },
    ["", "6", "8", "10", "12", "16", "20"].map((o) =>
      h("option", { value: o }, o || t("rule.rocks.auto")),
    ),
  );
  if (r.rocks && ![...rocks.options].some((o) => o.value === String(r.rocks)))
    rocks.append(h("option", { value: String(r.rocks) }, String(r.rocks)));
  rocks.value = r.rocks ? String(r.rocks) : "";
  const piracy = h("input", { type: "checkbox", id: "rule-piracy", checked: Boolean(r.piracy) });
  const [asteroids, a] = select("asteroids", ["auto", "joined", "separate"]),
    [credit, c] = select("kill_credit", ["auto", "opponent", "most-damage"]),
    [down, d] = select("face_down", ["blocks", "ignored"]);
  return {
    nodes: [
      h("label.field", { for: "rule-rocks" }, t("rule.rocks"), rocks),
      h("label.check", { for: "rule-piracy" }, piracy, h("span", {}, t("rule.piracy"))),
      a,
      c,
      d,
    ],
    read: () => ({
      piracy: piracy.checked,
      rocks: rocks.value ? Number(rocks.value) : null,
      asteroids: asteroids.value,
      kill_credit: credit.value,
      face_down: down.value,
      ...(r.teams ? { teams: r.teams } : {}),
    }),
  };
}
export function rulesDialog(round, send) {
  const fields = ruleFields(round.rules);
  const box = dialog(
    t("rules.title"),
    t("close"),
    ...fields.nodes,
    h(
      "button.btn.main",
      {
        onclick: async () => {
          if (await send({ kind: "rules", rules: fields.read() })) box.close();
        },
      },
      icon("rules"),
      t("rules.apply"),
    ),
  );
}

// An order typed in words, in place of taps.
import { h, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

// take(text) reads it, or says what is wrong
export function typedOrder(take) {
  const input = h("input", {
    type: "text",
    id: "order-text",
    maxlength: 500,
    autocapitalize: "none",
    autocomplete: "off",
    spellcheck: "false",
  });
  const submit = (e) => {
    e.preventDefault();
    take(input.value).catch((error) => toast(error.words || String(error), true));
  };
  return h(
    "details",
    {},
    h("summary", {}, t("orders.typed")),
    h(
      "form.row",
      { onsubmit: submit },
      h("label.field", { for: "order-text" }, t("orders.text"), input),
      h("button.btn", { type: "submit" }, t("orders.read")),
    ),
  );
}

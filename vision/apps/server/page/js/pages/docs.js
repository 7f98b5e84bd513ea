// The API's own description as a page; no outside scripts.
import { h } from "../lib/dom.js";
const doc = await (await fetch("/api/v1/openapi.json")).json();
const resolve = (node, depth = 0) => {
  if (!node || typeof node !== "object" || depth > 6) return node;
  if (node.$ref) return resolve(doc.components.schemas[node.$ref.split("/").at(-1)], depth + 1);
  if (Array.isArray(node)) return node.map((n) => resolve(n, depth + 1));
  return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, resolve(v, depth + 1)]));
};
const groups = new Map();
for (const [path, verbs] of Object.entries(doc.paths))
  for (const [verb, op] of Object.entries(verbs)) {
    const tag = op.tags?.[0] || "other";
    groups.set(tag, [...(groups.get(tag) || []), [verb, path, op]]);
  }
const schema = (content) =>
  Object.entries(content || {}).map(([type, c]) =>
    h(
      "div",
      {},
      h("code", {}, type),
      c.schema && Object.keys(c.schema).length
        ? h("pre", { tabindex: "0" }, JSON.stringify(resolve(c.schema), null, 1))
        : null,
    ),
  );
// ``code`` in the words of the description
const words = (text) =>
  (text || "").split(/``?([^`]+)``?/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
function kindOf(given) {
  const schema = resolve(given);
  const kinds = (schema.anyOf || [schema]).filter((one) => one.type !== "null");
  return kinds
    .map((one) => {
      const limits = [
        one.minimum !== undefined && `from ${one.minimum}`,
        one.maximum !== undefined && `to ${one.maximum}`,
        one.maxLength && `at most ${one.maxLength} characters`,
        one.pattern,
      ].filter(Boolean);
      const many = one.type === "array" ? " of " + kindOf(one.items) : "";
      return [one.type + many, ...limits].join(", ");
    })
    .join(" or ");
}
function tryIt(path) {
  const ask = async (e) => {
    const place = e.target.parentNode;
    const out =
      place.querySelector("pre.out") || place.appendChild(h("pre.out", { tabindex: "0" }));
    const reply = await fetch(path);
    out.textContent = reply.status + "\n" + (await reply.text()).slice(0, 4000);
  };
  return h("button.btn.small", { onclick: ask }, "Try it");
}
const parameter = (p) =>
  h(
    "tr",
    {},
    h("th", { scope: "row" }, p.name),
    h("td", {}, p.in + (p.required ? ", required" : "")),
    h("td", {}, kindOf(p.schema), p.description ? ". " + p.description : ""),
  );
const reply = ([code, r]) =>
  h(
    "li",
    {},
    h("strong", {}, code),
    " ",
    r.description,
    Number(code) < 300 ? schema(r.content) : null,
  );
const operation = ([verb, path, op]) =>
  h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span.verb", {}, verb.toUpperCase()),
      h("code", {}, path),
      " ",
      op.summary || "",
    ),
    h("p", {}, words(op.description)),
    op.parameters?.length
      ? h(
          "table",
          {},
          h("caption", {}, "Parameters"),
          h("tbody", {}, op.parameters.map(parameter)),
        )
      : null,
    op.requestBody ? h("div", {}, h("h4", {}, "Body"), schema(op.requestBody.content)) : null,
    h("h4", {}, "Replies"),
    h("ul", {}, Object.entries(op.responses).map(reply)),
    verb === "get" && !path.includes("{") ? tryIt(path) : null,
  );
document
  .getElementById("docs")
  .replaceChildren(
    h("p", {}, doc.info.description),
    h("p", {}, h("a", { href: "/api/v1/openapi.json" }, "openapi.json")),
    ...[...groups].map(([tag, ops]) => h("section", {}, h("h2", {}, tag), ops.map(operation))),
  );

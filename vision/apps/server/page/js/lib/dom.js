// Elements without a framework: h("p.soft", {onclick}, "text", child).
const SVG = "http://www.w3.org/2000/svg";

function build(ns, spec, props, children) {
  const [tag, ...classes] = spec.split(".");
  const node = ns ? document.createElementNS(ns, tag) : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}
export const h = (spec, props, ...children) =>
  props && (typeof props !== "object" || props instanceof Node || Array.isArray(props))
    ? build(null, spec, {}, [props, ...children])
    : build(null, spec, props, children);
export const s = (spec, props, ...children) => build(SVG, spec, props, children);

// Resolves when no finger is on the page: the tap would meet what has come under it meanwhile.
const CLICK_MS = 50, // from a lifted finger to its click
  LONGEST_TAP_MS = 1000;
let isTouched = false;
const lift = () => setTimeout(() => (isTouched = false), CLICK_MS);
addEventListener("pointerdown", () => (isTouched = true), true);
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, lift, true);
export async function tapEnded() {
  const end = performance.now() + LONGEST_TAP_MS;
  while (isTouched && performance.now() < end) await new Promise((r) => setTimeout(r, CLICK_MS));
}

// Words that stand there already are not written again: the page would be laid out anew.
export const write = (node, words) => {
  if (node.textContent !== words) node.textContent = words;
};

const PATHS = {
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9.5h.01",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  first: "M18 6l-8 6 8 6zM6 6v12",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  undo: "M9 5L4 10l5 5M4 10h10a5 5 0 0 1 0 10h-3",
  redo: "M15 5l5 5-5 5M20 10H10a5 5 0 0 0 0 10h3",
  trash: "M5 7h14M10 11v6M14 11v6M7 7l1 13h8l1-13M9 7V4h6v3",
  share: "M12 15V4M8 8l4-4 4 4M5 13v7h14v-7",
  edit: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  back: "M15 5l-7 7 7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 13l4 4L19 7",
  turn: "M20 12a8 8 0 1 1-3-6.2M20 3v5h-5",
  thing: "M7 4h9l4 6-2 8-8 2-6-5 1-8z",
  rules: "M5 6h14M5 12h14M5 18h8",
  crown: "M3 18l-1-11 6 4 4-7 4 7 6-4-1 11z",
  download: "M12 4v11M8 11l4 4 4-4M5 20h14",
  live: "M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM8 16a5.6 5.6 0 0 1 0-8M16 8a5.6 5.6 0 0 1 0 8M5 19a9.9 9.9 0 0 1 0-14M19 5a9.9 9.9 0 0 1 0 14",
  stop: "M6 6h12v12H6z",
  screen: "M3 5h18v12H3zM8 21h8M12 17v4",
  sound: "M4 9h4l5-4v14l-5-4H4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  mute: "M4 9h4l5-4v14l-5-4H4zM16 9.5l5 5M21 9.5l-5 5",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
};
export const icon = (name) =>
  s("svg.i", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));

export function toast(text, bad = false, action = null) {
  const node = h(
    bad ? "div.toast.bad" : "div.toast",
    {},
    text,
    action &&
      h(
        "button",
        {
          onclick: () => {
            node.remove();
            action.run();
          },
        },
        action.label,
      ),
  );
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), bad || action ? 8000 : 4000);
}
export function dialog(title, closeLabel, ...content) {
  const id = "d" + Math.random().toString(36).slice(2);
  const node = h(
    "dialog",
    { "aria-labelledby": id },
    h(
      "div",
      {},
      h(
        "header",
        {},
        h("h2", { id }, title),
        h(
          "button.ico",
          { type: "button", "aria-label": closeLabel, onclick: () => node.close() },
          icon("close"),
        ),
      ),
      ...content,
    ),
  );
  node.addEventListener("close", () => node.remove());
  node.addEventListener("click", (e) => {
    if (e.target === node) node.close();
  });
  document.body.append(node);
  node.showModal();
  return node;
}

// What is in doubt: where to look, and how to say it.
import { s } from "./dom.js";
import { t, cardName, has, list, language } from "./i18n.js";
import { spread } from "./stage.js";

// Where the beam passes what it nearly meets, and how much around it to show.
export function critical(round, shot) {
  const path = shot.path_px;
  const card = round.cards.find((c) => c.id === shot.margin_card);
  if (!path.length) return [[round.photo.width_px / 2, round.photo.height_px / 2], 400];
  const size = card?.outline_px.length ? spread(card.outline_px) : 200;
  let best = [Infinity, path.at(-1)];
  for (const q of card?.outline_px || [])
    for (let i = 1; i < path.length; i++) {
      const [a, b] = [path[i - 1], path[i]];
      const L = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 || 1;
      const k = Math.max(
        0,
        Math.min(1, ((q[0] - a[0]) * (b[0] - a[0]) + (q[1] - a[1]) * (b[1] - a[1])) / L),
      );
      const p = [a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1])];
      const d = Math.hypot(p[0] - q[0], p[1] - q[1]);
      if (d < best[0]) best = [d, [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]];
    }
  return [best[1], Math.max(size * 0.42, best[0] * 3)];
}
export const beamLine = (shot) =>
  [
    ["#0d1117", 5],
    [shot.power === 2 ? "#ff2b3d" : shot.power === 3 ? "#19d45b" : "#fff", 2.5],
  ].map(([stroke, w]) =>
    s("polyline", {
      points: shot.path_px.map((p) => p.join(",")).join(" "),
      fill: "none",
      stroke,
      "stroke-width": w,
      "vector-effect": "non-scaling-stroke",
    }),
  );
export const issueWords = (issue) =>
  issue.words
    ? issue.words[language()]
    : has("issue." + issue.code)
      ? t("issue." + issue.code, {
          cards: list(issue.cards.map(cardName)),
          card: cardName(issue.cards[0] || ""),
          other: cardName(issue.cards[1] || ""),
        })
      : issue.message;

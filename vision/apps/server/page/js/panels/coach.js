// What would have been better: asked for when the round is played, never before.
import { h, toast } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { get } from "../lib/api.js";
import { coachedEvening, coachedRound } from "./coached.js";

const asked = new WeakMap(); // page of a round -> what its coach said, of which revision

// A button; what the coach says is asked for when it is pressed.
export function coachPanel(round, page) {
  if (!round.has_coach || page.readOnly) return null;
  const kept = asked.get(page);
  if (kept?.told === page.told) return kept.node;
  const panel = askPanel("coach.ask", `${page.base}/coach`, (told) =>
    coachedRound(told, page),
  );
  asked.set(page, { told: page.told, node: panel });
  return panel;
}
export const eveningCoach = ({ id, rounds }) =>
  rounds.some(({ scores }) => scores)
    ? askPanel("coach.evening", `/evenings/${id}/coach`, coachedEvening)
    : null;
function askPanel(words, path, show) {
  const place = h("div", { "aria-live": "polite" });
  const ask = h("button.btn", { onclick: () => tell() }, t(words));
  const tell = async () => {
    ask.disabled = true;
    try {
      place.replaceChildren(...[show(await get(path))].flat());
    } catch (problem) {
      toast(problem.words ?? String(problem), true);
    } finally {
      ask.disabled = false;
    }
  };
  return h("section.panel.coach", {}, ask, place);
}

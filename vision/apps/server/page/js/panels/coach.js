// What would have been better: asked for when the round is played, never before.
import { h, toast } from "../lib/dom.js";
import { language, sentence, t } from "../lib/i18n.js";
import { get } from "../lib/api.js";

export function coachPanel(round, actions) {
  if (!round.has_coach || actions.readOnly) return null;
  const list = h("ul", { "aria-live": "polite" });
  const ask = h("button.btn", { onclick: () => tell() }, t("coach.ask"));
  const tell = () => {
    ask.disabled = true;
    return get(`${actions.base}/coach`)
      .then(({ advice }) => {
        const lines = advice.map((one) => one.said[language()]);
        const shown = lines.length ? lines : [t("coach.silent")];
        list.replaceChildren(...shown.map((line) => h("li.soft", {}, sentence(line))));
      })
      .catch((problem) => toast(problem.words ?? String(problem), true))
      .finally(() => {
        ask.disabled = false;
      });
  };
  return h("section.panel.coach", {}, ask, list);
}

// A round: photo, score, replay, doubts, ledger, table, corrections, things to take away.
import { h, s, icon, teamMark, toast, dialog } from "./dom.js";
import { t, cardName, teamName, number, percent, when, setTeamNames, list } from "./i18n.js";
import { get, post } from "./api.js";
import { Stage, centre, spread } from "./stage.js";
import { Replay } from "./replay.js";
import { ledger, shotLine, shotName, hitWords, marginWords } from "./ledger.js";
import { Editor, rulesDialog } from "./editor.js";
import { critical, beamLine, issueWords } from "./doubts.js";
import { scoreTable, cardTable, scrolling } from "./tables.js";
import { takePanels } from "./share.js";

const sayingOf = (node) => node.tagName + (node.getAttribute("aria-label") || node.textContent);

export async function showRound(main, { base, id, token }) {
  const readOnly = Boolean(token);
  let round = await get(`${base}/round`);
  document.title = t("round.title", { name: round.name || when(round.created) });
  if (round.evening) {
    try {
      setTeamNames((await get(`/evenings/${round.evening}`)).teams);
    } catch {
      setTeamNames({});
    }
  } else setTeamNames({});
  let tab = null,
    selection = {},
    busy = Promise.resolve();
  const stage = new Stage({
    photoUrl: `/api/v1${base}/photo.jpg`,
    onCard: (c) => choose({ card: c }),
    onShot: (i) => choose({ shot: i }),
    onEmpty: () => choose({}),
  });
  const scores = h("div.scores", { role: "list", "aria-label": t("scores.label") });
  const body = h("div.body", { role: "tabpanel", id: "panel", tabindex: "-1" });
  let shown = {};
  const replay = new Replay((frame) => {
    stage.paint(frame);
    const now = round.timeline[frame.settled] || round.timeline.at(-1);
    paintScores(now.scores, frame.atEnd);
    for (const node of body.querySelectorAll("[data-step]")) {
      const is = Number(node.dataset.step) === frame.step;
      if (is && !node.classList.contains("now") && replay.playing)
        node.scrollIntoView({ block: "nearest" });
      node.classList.toggle("now", is);
    }
  });
  const paintScores = (points, atEnd) => {
    const teams = Object.keys(points);
    if (scores.children.length !== teams.length || scores.dataset.teams !== teams.join()) {
      scores.dataset.teams = teams.join();
      scores.dataset.count = teams.length;
      scores.replaceChildren(
        ...teams.map((team) =>
          h(
            "div.chip",
            { role: "listitem" },
            teamMark(team),
            h("span.nm", {}, teamName(team)),
            h("b", {}, "0"),
          ),
        ),
      );
      shown = {};
    }
    teams.forEach((team, i) => {
      const chip = scores.children[i],
        b = chip.querySelector("b"),
        total = points[team].total;
      if (shown[team] !== undefined && shown[team] !== total) {
        chip.classList.remove("bump");
        void chip.offsetWidth;
        chip.classList.add("bump");
      }
      shown[team] = total;
      b.textContent = number(total);
      const win = atEnd && teams.length > 1 && round.winners.includes(team);
      chip.classList.toggle("win", win);
      const crown = chip.querySelector(".crown");
      if (win && !crown)
        chip.append(
          s(
            "svg.crown",
            { viewBox: "0 0 24 24", role: "img", "aria-label": t("scores.wins") },
            s("path", { d: "M3 18l-1-11 6 4 4-7 4 7 6-4-1 11z" }),
          ),
        );
      else if (!win) crown?.remove();
    });
  };
  const send = (change, kind = "edits") =>
    (busy = busy.then(async () => {
      try {
        round = await post(
          `${base}/${kind}`,
          kind === "edits" ? { change, revision: round.revision } : { revision: round.revision },
        );
        refresh();
        if (kind === "edits") toast(t("edit.saved"));
        return true;
      } catch (error) {
        toast(error.words || String(error), true);
        if (error.code === "conflict") {
          round = await get(`${base}/round`);
        }
        refresh();
        return false;
      }
    }));
  const editor = new Editor(stage, {
    send,
    onSelect: () => {
      if (tab === "edit") paintTab();
    },
  });
  const undo = h(
      "button.glass",
      { "aria-label": t("edit.undo"), onclick: () => send(null, "undo") },
      icon("undo"),
    ),
    redo = h(
      "button.glass",
      { "aria-label": t("edit.redo"), onclick: () => send(null, "redo") },
      icon("redo"),
    );
  if (!readOnly) stage.node.append(h("div.undoers", {}, undo, redo));
  const doubtful = () => round.issues.filter((i) => i.severity === "doubt").length;
  const tabs = h("div.tabs", { role: "tablist", "aria-label": t("tabs.label") });
  const names = ["doubts", "ledger", "table", ...(readOnly ? [] : ["edit"]), "take"];
  names.forEach((name) =>
    tabs.append(
      h(
        "button",
        {
          role: "tab",
          id: "tab-" + name,
          "aria-controls": "panel",
          onclick: () => open(name),
          onkeydown: (e) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
            if (step) {
              const next = names[(names.indexOf(name) + step + names.length) % names.length];
              open(next);
              document.getElementById("tab-" + next).focus();
            }
          },
        },
        t("tab." + name),
        name === "doubts" ? h("span.badge", {}) : null,
      ),
    ),
  );
  const open = (name) => {
    tab = name;
    if (name === "edit" && !editor.on) {
      replay.pause();
      replay.set(replay.count);
      editor.start();
    } else if (name !== "edit" && editor.on) editor.stop();
    for (const b of tabs.children) {
      const on = b.id === "tab-" + name;
      b.setAttribute("aria-selected", on);
      b.tabIndex = on ? 0 : -1;
    }
    body.setAttribute("aria-labelledby", "tab-" + name);
    paintTab();
  };
  const refresh = () => {
    stage.show(round);
    editor.load(round);
    replay.load(round);
    undo.disabled = !round.can_undo;
    redo.disabled = !round.can_redo;
    undo.parentNode && (undo.parentNode.hidden = !round.can_undo && !round.can_redo);
    const n = doubtful();
    const badge = tabs.querySelector(".badge");
    badge.textContent = n;
    badge.hidden = !n;
    if (
      selection.shot >= round.shots.length ||
      (selection.card && !round.cards.some((c) => c.id === selection.card))
    )
      selection = {};
    mark();
    paintTab();
  };
  const mark = () => {
    if (selection.card)
      stage.select({
        cards: [selection.card],
        shots: round.shots
          .map((x, i) => (x.ship === selection.card ? i : -1))
          .filter((i) => i >= 0),
      });
    else if (selection.shot !== undefined) {
      const shot = round.shots[selection.shot];
      stage.select({ cards: [shot.ship, shot.hit?.card].filter(Boolean), shots: [selection.shot] });
    } else stage.select({});
  };
  const isWide = () => matchMedia("(min-width: 900px)").matches;
  const showSelection = () =>
    body.querySelector(".sel")?.scrollIntoView({ block: isWide() ? "nearest" : "start" });
  const choose = (what) => {
    selection = what;
    mark();
    if (what.shot !== undefined && replay.time < replay.count)
      replay.goTo(round.steps.findIndex((x) => x.shots.includes(what.shot)));
    if ((what.card || what.shot !== undefined) && !["ledger", "doubts"].includes(tab))
      open("ledger");
    else paintTab();
    for (const li of body.querySelectorAll(".ledger li[data-shot]"))
      li.classList.toggle("on", Number(li.dataset.shot) === what.shot);
    // Margin and ruling first; beside the photo, where there is room, the line of the ledger too.
    showSelection();
    if (isWide()) body.querySelector(".ledger li.on")?.scrollIntoView({ block: "nearest" });
  };

  // --- the panels ---
  const selectionPanel = () => {
    if (selection.card) {
      const c = round.cards.find((x) => x.id === selection.card);
      const mine = round.shots.map((x, i) => [x, i]).filter(([x]) => x.ship === c.id);
      return h(
        "section.panel.sel",
        { "aria-live": "polite" },
        h("div.row", {}, c.team ? teamMark(c.team) : null, h("h2", {}, cardName(c.id))),
        c.kind === "ship"
          ? h(
              "p.soft",
              {},
              t("ship.facts", { speed: c.speed, damage: c.damage, health: c.health, n: c.rocks }),
            )
          : null,
        c.dies_at !== null
          ? h("p.err", {}, t(c.kind === "ship" ? "ship.dies" : "asteroid.gone", { n: c.dies_at }))
          : null,
        mine.length
          ? h(
              "ul",
              {},
              mine.map(([x, i]) =>
                h(
                  "li",
                  {},
                  h("button.link", { onclick: () => choose({ shot: i }) }, shotLine(x)),
                  h("p.tiny.soft", {}, marginWords(x)),
                ),
              ),
            )
          : c.kind === "ship"
            ? h("p.soft", {}, t("ship.silent"))
            : null,
      );
    }
    if (selection.shot !== undefined) {
      const x = round.shots[selection.shot];
      return h(
        "section.panel.sel",
        { "aria-live": "polite" },
        h("h2", {}, shotName(x)),
        h("p", {}, shotLine(x)),
        h("p.soft", {}, marginWords(x)),
        x.ruled ? h("p", {}, t("ruling.done", { hit: hitWords(x.hit) })) : null,
        rule(x),
        h(
          "div.row",
          {},
          h("button.btn.small", { onclick: () => choose({ card: x.ship }) }, cardName(x.ship)),
          h(
            "button.btn.small",
            {
              onclick: () => {
                const [at, span] = critical(round, x);
                stage.lookAt(at, span * 1.6);
              },
            },
            icon("fit"),
            t("doubt.look"),
          ),
        ),
      );
    }
    return null;
  };
  const sameHit = (hit, o) =>
    hit ? hit.card === o.target && hit.shielded === o.shielded : o.target === null;
  const below = (card, node) => {
    if (node) card.append(node);
    return card;
  };
  const rule = (shot) =>
    readOnly
      ? null
      : h(
          "div.row.rulings",
          { role: "group", "aria-label": t("ruling.label", { shot: shotName(shot) }) },
          shot.options.map((o) =>
            h(
              sameHit(shot.hit, o) && shot.ruled ? "button.btn.small.main" : "button.btn.small",
              {
                "aria-pressed": String(shot.ruled && sameHit(shot.hit, o)),
                onclick: () =>
                  send({
                    kind: "ruling",
                    ship: shot.ship,
                    laser: shot.laser,
                    target: o.target,
                    shielded: o.shielded,
                  }),
              },
              t(o.target === null ? "ruling.miss" : o.shielded ? "ruling.shield" : "ruling.hit", {
                card: cardName(o.target || ""),
              }),
            ),
          ),
          shot.ruled
            ? h(
                "button.btn.small",
                { onclick: () => send({ kind: "withdraw", ship: shot.ship, laser: shot.laser }) },
                icon("undo"),
                t("ruling.back"),
              )
            : null,
        );
  const doubtCard = (at, span, extra, title, ...content) =>
    h(
      "article.doubt.hot",
      {},
      h(
        "button.closeup",
        {
          "aria-label": t("doubt.look"),
          onclick: () => {
            stage.lookAt(at, span * 2);
            stage.node.scrollIntoView({ block: "nearest" });
          },
        },
        stage.closeup(at, span, extra),
      ),
      h("div", {}, h("h3", {}, title), ...content),
    );
  const panels = {
    doubts() {
      const ruled = round.shots.map((x, i) => [x, i]).filter(([x]) => x.ruled);
      const contested = round.shots
        .map((x, i) => [x, i])
        .filter(([x]) => x.contested)
        .sort((a, b) => b[0].flip - a[0].flip);
      const others = round.issues.filter((i) => i.severity === "doubt" && i.code !== "close_call");
      const notes = round.issues.filter((i) => i.severity !== "doubt");
      const place = (issue) => {
        const c = round.cards.find((x) => issue.cards.includes(x.id));
        return c && c.outline_px.length ? [centre(c.outline_px), spread(c.outline_px) * 1.7] : null;
      };
      const entry = (issue) => {
        const p = place(issue);
        const content = [
          h("p.soft.tiny", {}, issueWords(issue)),
          !readOnly && issue.cards.length && round.cards.some((c) => c.id === issue.cards[0])
            ? h(
                "div.row",
                {},
                h(
                  "button.btn.small",
                  {
                    onclick: () => {
                      open("edit");
                      editor.choose(issue.cards[0]);
                    },
                  },
                  icon("edit"),
                  t("doubt.correct"),
                ),
              )
            : null,
        ];
        const title = list(issue.cards.map(cardName)) || t("doubt.table");
        return p
          ? doubtCard(...p, [], title, ...content)
          : h("article.panel", {}, h("h3", {}, title), ...content);
      };
      return [
        selectionPanel(),
        contested.length || others.length
          ? h("p.soft", {}, t("doubts.lead", { n: contested.length + others.length }))
          : h(
              "div.panel",
              {},
              h("h2", {}, t("doubts.none")),
              h("p.soft", {}, t("doubts.none_more")),
            ),
        contested.map(([x, i]) =>
          below(
            doubtCard(
              ...critical(round, x),
              beamLine(x),
              shotName(x),
              h(
                "p",
                {},
                t("contested.words", {
                  hit: hitWords(x.hit),
                  other: hitWords(x.margin_outcome),
                  p: percent(x.flip),
                }),
              ),
              h(
                "div.meter",
                { role: "img", "aria-label": t("contested.meter", { p: percent(x.flip) }) },
                bar(x.flip),
              ),
              h(
                "p.tiny.soft",
                {},
                t("contested.margin", {
                  mm: number(x.margin_mm ?? 0, 2),
                  sigma: number(x.sigma_mm, 2),
                }),
              ),
              h("button.link", { onclick: () => choose({ shot: i }) }, t("doubt.show_shot")),
            ),
            rule(x),
          ),
        ),
        ruled.map(([x]) =>
          below(
            doubtCard(
              ...critical(round, x),
              beamLine(x),
              shotName(x),
              h("p", {}, t("ruling.done", { hit: hitWords(x.hit) })),
            ),
            rule(x),
          ),
        ),
        others.map(entry),
        notes.length
          ? h(
              "details",
              {},
              h("summary", {}, t("doubts.notes", { n: notes.length })),
              h(
                "ul.body",
                {},
                notes.map((n) => h("li.soft.tiny", {}, issueWords(n))),
              ),
            )
          : null,
      ];
    },
    ledger: () => [
      selectionPanel(),
      ledger(round, { onShot: (i) => choose({ shot: i }), onStep: (k) => replay.goTo(k) }),
    ],
    table: () => [
      scrolling(t("table.scores"), scoreTable(round)),
      scrolling(
        t("table.cards"),
        cardTable(round, (card) => choose({ card })),
      ),
    ],
    edit() {
      const c = editor.card;
      if (editor.points)
        return [
          h(
            "section.panel",
            {},
            h("h2", {}, t("edit.outline")),
            h("p.soft", {}, t("edit.outline_how", { n: editor.points.length })),
            h("p.soft.tiny.keys", {}, t("edit.outline_keys")),
            h(
              "div.row",
              {},
              h(
                "button.btn.main",
                { disabled: editor.points.length < 3, onclick: () => editor.finishOutline() },
                t("edit.done"),
              ),
              h(
                "button.btn",
                {
                  onclick: () => {
                    editor.points.pop();
                    editor.drawHandles();
                    paintTab();
                  },
                },
                icon("undo"),
                t("edit.corner_back"),
              ),
              h(
                "button.btn",
                {
                  onclick: () => {
                    editor.points = null;
                    editor.drawHandles();
                    paintTab();
                  },
                },
                t("cancel"),
              ),
            ),
          ),
        ];
      return [
        c
          ? h(
              "section.panel.sel",
              {},
              h("div.row", {}, c.team ? teamMark(c.team) : null, h("h2", {}, cardName(c.id))),
              h("p.soft.tiny", {}, t("edit.how")),
              h("p.soft.tiny.keys", {}, t("edit.how_keys")),
              h(
                "div.row",
                {},
                h("button.btn.main", { onclick: () => editor.pickIdentity() }, t("edit.identity")),
                h(
                  "button.btn",
                  { onclick: () => editor.turn(180) },
                  icon("turn"),
                  t("edit.half_turn"),
                ),
                h(
                  "button.btn.danger",
                  { onclick: () => editor.remove() },
                  icon("trash"),
                  t("edit.delete"),
                ),
              ),
              c.choices.length
                ? h(
                    "div.pick",
                    {},
                    c.choices.map((id) =>
                      h(
                        "button.btn.likely",
                        {
                          onclick: async () => {
                            const old = editor.id;
                            editor.id = id;
                            if (!(await send({ kind: "identify", card: old, identity: id })))
                              editor.id = old;
                            paintTab();
                          },
                        },
                        t("edit.is", { card: cardName(id) }),
                      ),
                    ),
                  )
                : null,
            )
          : h("p.soft", {}, t("edit.choose")),
        h(
          "div.row",
          {},
          h("button.btn", { onclick: () => editor.add() }, icon("plus"), t("edit.add")),
          h("button.btn", { onclick: () => editor.outlineMode() }, icon("rock"), t("edit.outline")),
          h(
            "button.btn",
            { onclick: () => rulesDialog(round, send) },
            icon("rules"),
            t("rules.title"),
          ),
        ),
        round.objects.length
          ? h(
              "ul",
              {},
              round.objects.map((o) =>
                h(
                  "li.row",
                  {},
                  h("span", {}, t("edit.object", { id: o.id })),
                  h(
                    "button.btn.small.danger",
                    { onclick: () => send({ kind: "remove", id: o.id }) },
                    icon("trash"),
                    t("edit.delete"),
                  ),
                ),
              ),
            )
          : null,
        h(
          "details",
          {},
          h("summary", {}, t("edit.all_cards", { n: round.cards.length })),
          h(
            "div.pick",
            {},
            round.cards.map((x) =>
              h(
                x.doubtful ? "button.btn.likely" : "button.btn",
                {
                  onclick: () => {
                    editor.choose(x.id);
                    stage.lookAt(centre(x.outline_px), spread(x.outline_px) * 3);
                    showSelection();
                    stage.svg.focus({ preventScroll: true });
                  },
                },
                cardName(x.id),
              ),
            ),
          ),
        ),
      ];
    },
    take: () => takePanels({ base, id, token }, round),
  };
  const bar = (p) => {
    const i = h("i", {});
    i.style.width = Math.max(2, p * 100) + "%";
    return i;
  };
  const paintTab = () => {
    if (!tab) return;
    const had = document.activeElement;
    const words = body.contains(had) && had !== body ? sayingOf(had) : null;
    const open = [...body.querySelectorAll("details")].map((d) => d.open);
    const content = [panels[tab]()].flat(3).filter(Boolean);
    body.replaceChildren(...content);
    const folds = body.querySelectorAll("details");
    if (body.dataset.tab === tab && folds.length === open.length)
      folds.forEach((d, i) => (d.open = open[i]));
    body.dataset.tab = tab;
    if (words === null) return; // the keys stay where they were, or near
    const same = [...body.querySelectorAll("button, a, summary, [tabindex]")];
    (same.find((node) => sayingOf(node) === words) || body).focus({ preventScroll: true });
  };

  const side = h("div.side", {}, tabs, body);
  main.replaceChildren(
    h("h1.sr", {}, document.title),
    h("div.round", {}, h("div.stagebox", {}, scores, stage.node, replay.node), side),
  );
  stage.show(round);
  editor.load(round);
  open(doubtful() ? "doubts" : "ledger");
  refresh();
  const keys = (e) => {
    if (e.target.closest("input, select, dialog, textarea")) return;
    if ((e.ctrlKey || e.metaKey) && !readOnly && e.key.toLowerCase() === "z") {
      e.preventDefault();
      const k = e.shiftKey ? "redo" : "undo";
      if (round["can_" + k]) send(null, k);
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const act = {
      p: () => replay.toggle(),
      ",": () => {
        replay.pause();
        replay.set(Math.ceil(replay.time) - 1);
      },
      ".": () => {
        replay.pause();
        replay.set(Math.floor(replay.time) + 1);
      },
      Escape: () => choose({}),
      f: () => stage.fit(),
      "?": () => help(),
    }[e.key];
    if (act) {
      act();
      e.preventDefault();
    } else if (e.key === " " && e.target === stage.svg) {
      replay.toggle();
      e.preventDefault();
    }
  };
  document.addEventListener("keydown", keys);
  return () => {
    replay.pause();
    stage.destroy();
    document.removeEventListener("keydown", keys);
    setTeamNames({});
  };
}
export function help() {
  dialog(
    t("help.title"),
    t("close"),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        ["P", ", .", "+ − 0", "← ↑ → ↓", "[ ]", "Ctrl+Z", "Esc", "?"].map((k, i) =>
          h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, t("help." + i))),
        ),
      ),
    ),
  );
}

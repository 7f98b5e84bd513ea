// Two frames of a replay, one after the other -> what is heard between them.
import { pathsOf } from "../lib/round.js";

const marksOf = (events, kind) => events.flatMap((event) => event.marks).filter((mark) => mark.kind === kind);

// was, now: as Replay.frameNow tells them
export function cuesBetween(round, was, now) {
  const fresh = round.events.filter(({ step }) => step >= was.settled); // the end shows all once more
  const begun = fresh.filter(({ index }) => !was.shares[index] && now.shares[index] > 0);
  const settled = fresh.filter(({ step }) => step < now.settled);
  const beams = begun.flatMap(pathsOf).filter(({ style }) => style === "beam");
  const counts = marksOf(settled, "badge").filter(({ style }) => style === "count");
  const isEnd = now.atEnd && !was.atEnd;
  return [
    ...beams.map(({ strength }) => ({ kind: "beam", power: strength })),
    ...[...now.out].filter((id) => !was.out.has(id)).map(() => ({ kind: "out" })),
    ...marksOf(settled, "burst").map(({ strength }) => ({ kind: "hit", power: strength })),
    ...counts.map(() => ({ kind: "count" })),
    ...(isEnd ? [{ kind: round.headline?.open ? "open" : "end" }] : []),
  ];
}

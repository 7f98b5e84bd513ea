// What happens at a place of the server, as it happens; a connection that breaks comes back.
const AGAIN_MS = 2000,
  SILENT_MS = 12000; // the server tells how things stand every 5 s, changed or not

// onState is told each state, onGone that the place is no more, onLost that nobody answers just now;
// returns what ends it.
export function follow(path, onState, onGone, onLost) {
  let source,
    timer,
    patience = SILENT_MS,
    isOver = false;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };
  const within = (ms, act) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  // A connection may be open and dead: not every network says that the other end is gone.
  const expectNews = () =>
    within(patience, () => {
      source.close();
      patience *= 2; // a slow server is not asked faster than it answers
      onLost?.();
      listen();
    });
  const listen = () => {
    source = new EventSource("/api/v1" + path);
    expectNews();
    source.addEventListener("state", (e) => {
      patience = SILENT_MS;
      expectNews();
      onState(JSON.parse(e.data));
    });
    source.addEventListener("gone", () => {
      end();
      onGone?.();
    });
    source.addEventListener("error", () => {
      onLost?.();
      if (source.readyState !== EventSource.CLOSED || isOver) return; // else it comes back itself
      within(AGAIN_MS, listen);
    });
  };
  listen();
  return end;
}

// What happens at a place of the server, as it happens; a connection that breaks comes back.
const AGAIN_MS = 2000;

// onState is told each state, onGone that the place is no more, onLost that nobody answers just now;
// returns what ends it.
export function follow(path, onState, onGone, onLost) {
  let source,
    timer,
    isOver = false;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };
  const listen = () => {
    source = new EventSource("/api/v1" + path);
    source.addEventListener("state", (e) => onState(JSON.parse(e.data)));
    source.addEventListener("gone", () => {
      end();
      onGone?.();
    });
    source.addEventListener("error", () => {
      onLost?.();
      if (source.readyState !== EventSource.CLOSED || isOver) return; // else it comes back itself
      timer = setTimeout(listen, AGAIN_MS);
    });
  };
  listen();
  return end;
}

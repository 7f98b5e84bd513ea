// Requests; every failure becomes a Problem with a code and a sentence.
import { t, has } from "./i18n.js";

export class Problem extends Error {
  constructor(status, code, detail, retry = 0) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retry = retry;
  }
  get words() {
    return has("problem." + this.code)
      ? t("problem." + this.code, { detail: this.message })
      : this.message;
  }
}
const toProblem = (status, text, retry) => {
  try {
    const b = JSON.parse(text);
    return new Problem(status, b.code, b.detail, retry);
  } catch {
    return new Problem(status, "internal", t("error.server", { status }));
  }
};
export const call = (method, path, body, more = {}) =>
  ask(path, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...more },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
// A file as it is.
export const sendBody = (path, file) => ask(path, { method: "POST", body: file });
async function ask(path, request) {
  let reply;
  try {
    reply = await fetch("/api/v1" + path, request);
  } catch {
    throw new Problem(0, "offline", t("error.offline"));
  }
  if (reply.status === 204) return null;
  const text = await reply.text();
  if (!reply.ok) throw toProblem(reply.status, text, Number(reply.headers.get("Retry-After") || 0));
  return JSON.parse(text);
}
export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

// Photos of one table, in one form.
export function upload(path, photos, headers, onProgress) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const photo of photos) form.append("photo", photo, "photo");
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1" + path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && onProgress(e.loaded / e.total);
    request.onload = () =>
      request.status < 300
        ? resolve(JSON.parse(request.responseText))
        : reject(
            toProblem(
              request.status,
              request.responseText,
              Number(request.getResponseHeader("Retry-After") || 0),
            ),
          );
    request.onerror = () => reject(new Problem(0, "offline", t("error.offline")));
    request.send(form);
  });
}
// A browser opens six connections to one server: a few photos are followed by events, the others,
// which wait in line anyway, are asked for now and then.
const STREAMS = 2,
  ASK_MS = 2000;
let streams = 0;
export function watch(id, onState) {
  let isOver = false;
  const tell = (state) => {
    onState(state);
    isOver = ["done", "failed"].includes(state.state);
    return isOver;
  };
  const listen = () => {
    streams++;
    const source = new EventSource(`/api/v1/scans/${id}/events`);
    const close = () => {
      source.close();
      streams--;
    };
    source.addEventListener("state", (e) => tell(JSON.parse(e.data)) && close());
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED || isOver) return; // else it comes back itself
      close();
      setTimeout(follow, ASK_MS);
    });
  };
  const ask = async () => {
    try {
      if (tell(await get(`/scans/${id}`))) return;
    } catch (error) {
      if (error.status === 404) return;
    }
    setTimeout(follow, ASK_MS);
  };
  const follow = () => (streams < STREAMS ? listen() : ask());
  follow();
}

// This device's camera: its pictures go to the server one by one, each when the last was answered.
const STALE_MS = 1600, // with the next look at it: said within two seconds
  LOOK_MS = 250,
  LEAST_MS = 66, // between two pictures: the server needs no more than fifteen a second
  PATIENCE_MS = 20_000,
  WIDEST = 1920,
  QUALITY = 0.85;
const RETRY_MS = [1000, 2000, 4000, 8000];

const codeOf = (error) =>
  ({
    NotAllowedError: "denied",
    SecurityError: "denied",
    NotFoundError: "none",
    DevicesNotFoundError: "none",
    OverconstrainedError: "none",
    NotReadableError: "busy",
    TrackStartError: "busy",
    AbortError: "busy",
  })[error.name] || "other";

// Why the browser does not even ask for the camera; null where it may.
export const whyNot = () =>
  !window.isSecureContext ? "insecure" : !navigator.mediaDevices?.getUserMedia ? "unable" : null;

export async function openCamera(device = null) {
  const why = whyNot();
  if (why) throw Object.assign(new Error(why), { why });
  const wish = {
    width: { ideal: 1920 },
    height: { ideal: 1080 },
    frameRate: { ideal: 15 },
    ...(device ? { deviceId: { exact: device } } : { facingMode: { ideal: "environment" } }),
  };
  try {
    return await navigator.mediaDevices.getUserMedia({ video: wish, audio: false });
  } catch (error) {
    throw Object.assign(error, { why: codeOf(error) });
  }
}
export async function cameras() {
  const all = await navigator.mediaDevices?.enumerateDevices?.().catch(() => []);
  return (all || []).filter((d) => d.kind === "videoinput");
}

export class LiveCamera {
  constructor(id, key) {
    Object.assign(this, { id, key, trouble: null, isOver: false, tries: 0, asked: 0, begun: 0 });
    this.video = document.createElement("video");
    Object.assign(this.video, { muted: true, playsInline: true, autoplay: true });
    this.canvas = document.createElement("canvas");
    this.looked = 0; // when the last picture that the server has looked at was taken
    this.framed = performance.now();
    this.onChange = () => {};
    this.look = this.look.bind(this);
    this.visible = this.visible.bind(this);
    document.addEventListener("visibilitychange", this.visible);
    this.timer = setInterval(this.look, LOOK_MS);
  }
  get track() {
    return this.video.srcObject?.getVideoTracks()[0];
  }
  use(stream) {
    this.video.srcObject?.getTracks().forEach((track) => track.stop());
    this.video.srcObject = stream;
    this.framed = performance.now();
    for (const name of ["ended", "mute", "unmute"])
      stream.getVideoTracks()[0]?.addEventListener(name, this.look);
    this.video.play().catch(() => {});
    this.stayAwake();
    if (this.begun++) return;
    this.watchFrames();
    this.run();
  }
  // Go on while another view is shown: a film outside of the page is paused.
  hold() {
    this.video.className = "live-held";
    document.body.append(this.video);
    this.video.play().catch(() => {});
  }
  async stayAwake() {
    if (document.hidden || this.isOver) return;
    this.lock = await navigator.wakeLock?.request("screen").catch(() => null);
    if (this.isOver) this.lock?.release();
  }
  visible() {
    this.framed = performance.now();
    this.stayAwake();
    this.video.play().catch(() => {});
    this.look();
  }
  say(trouble) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.onChange();
  }
  // What is wrong with the camera, if anything.
  look() {
    if (this.isOver) return;
    const track = this.track;
    if (document.hidden) return this.say("hidden");
    if (!track || track.readyState === "ended") {
      this.say("ended");
      return this.again();
    }
    if (track.muted) return this.say("muted");
    if (performance.now() - this.framed > STALE_MS) return this.say("frozen");
    this.tries = 0;
    if (["hidden", "ended", "muted", "frozen"].includes(this.trouble)) this.say(null);
  }
  // A camera that was pulled out may come back.
  async again(at = performance.now()) {
    if (this.isAsking || at < this.asked) return;
    this.isAsking = true;
    try {
      const stream = await openCamera(this.device);
      if (this.isOver) stream.getTracks().forEach((track) => track.stop());
      else this.use(stream);
    } catch {
      // it is said already; the next try comes later
    }
    this.asked = performance.now() + RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)];
    this.isAsking = false;
  }
  async choose(device) {
    this.device = device;
    this.track?.stop();
    this.asked = 0;
    this.look();
  }
  // Note every picture of the camera, also while one is being sent.
  watchFrames() {
    const seen = () => {
      this.framed = performance.now();
      this.wake?.();
    };
    if (this.video.requestVideoFrameCallback) {
      const next = () => {
        seen();
        if (!this.isOver) this.video.requestVideoFrameCallback(next);
      };
      this.video.requestVideoFrameCallback(next);
      return;
    }
    let last = -1;
    const poll = () => {
      if (this.video.currentTime !== last) seen();
      last = this.video.currentTime;
      if (!this.isOver) setTimeout(poll, 30);
    };
    poll();
  }
  frame() {
    return new Promise((resolve) => (this.wake = resolve));
  }
  async run() {
    let last = 0;
    while (!this.isOver) {
      await this.frame();
      if (this.isOver) return;
      const wait = last + LEAST_MS - performance.now();
      if (wait > 0) {
        await new Promise((r) => setTimeout(r, wait));
        continue; // with the newest picture
      }
      last = performance.now();
      if (this.trouble === "ended" || !this.video.videoWidth || document.hidden) continue;
      await this.send();
    }
  }
  async send() {
    const { videoWidth: w, videoHeight: hh } = this.video;
    const scale = Math.min(1, WIDEST / w);
    const size = [Math.round(w * scale), Math.round(hh * scale)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1])
      [this.canvas.width, this.canvas.height] = size;
    this.canvas.getContext("2d", { alpha: false }).drawImage(this.video, 0, 0, ...size);
    const taken = Date.now() / 1000,
      at = performance.now();
    const blob = await new Promise((r) => this.canvas.toBlob(r, "image/jpeg", QUALITY));
    if (!blob || this.isOver) return;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
    try {
      const reply = await fetch(`/api/v1/live/${this.id}/frames?taken=${taken.toFixed(3)}`, {
        method: "POST",
        headers: { "Content-Type": "image/jpeg", "X-Live-Key": this.key },
        body: blob,
        signal: stop.signal,
      });
      if (reply.status === 200) this.looked = at;
      if (reply.ok) {
        if (["refused", "offline"].includes(this.trouble)) this.say(null);
        return;
      }
      const { code } = await reply.json().catch(() => ({}));
      if (["not_found", "live_ended", "live_not_yours"].includes(code)) {
        this.end();
        this.say("over");
      } else this.say("refused");
      await new Promise((r) => setTimeout(r, 1000));
    } catch {
      if (!document.hidden) this.say("offline");
      await new Promise((r) => setTimeout(r, 500));
    } finally {
      clearTimeout(timer);
    }
  }
  end() {
    this.isOver = true;
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.visible);
    this.video.srcObject?.getTracks().forEach((track) => track.stop());
    this.video.srcObject = null;
    this.lock?.release?.();
    this.video.remove();
    this.wake?.();
    this.onChange();
  }
}

// The camera of this page; it goes on while another view is shown.
let camera = null;
addEventListener("pagehide", () => camera?.end());
export function beginCamera(id, key, stream) {
  camera?.end();
  camera = new LiveCamera(id, key);
  camera.use(stream);
  return camera;
}
export const cameraOf = (id) => (camera?.id === id && !camera.isOver ? camera : null);

// Sounds, made by the browser itself: off until they are asked for on this device, and kept there.
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";

const KEPT = "sounds",
  CHANGED = "sounds-changed", // all switches of the page show the same
  LATE_MS = 300, // a sound that could not begin by then would belong to another picture
  APART_S = 0.07, // what begins at once is heard one after the other
  MOST = 6, // of these; more are one noise
  LOUDNESS = 0.16, // of full scale: so many at once do not distort
  ATTACK_S = 0.01, // without it each begins with a crackle
  SILENCE = 0.001; // an exponential fall never comes to nothing

// Notes of each cue: wave, pitch from and to (Hz), length and delay (s). What is worse is lower and longer.
const NOTES = {
  beam: (power) => [["sawtooth", 1760 / power, 660 / power, 0.12 + 0.08 * power, 0]],
  hit: (power) => [["triangle", 330 / power, 90, 0.15 + 0.05 * power, 0]],
  count: () => [
    ["square", 520, 520, 0.05, 0],
    ["square", 390, 390, 0.07, 0.08],
  ],
  out: () => [["sawtooth", 180, 35, 0.8, 0]],
  end: () => [523, 659, 784].map((hz, i) => ["triangle", hz, hz, 0.5, 0.14 * i]),
  open: () => [523, 698].map((hz, i) => ["triangle", hz, hz, 0.4, 0.2 * i]), // it rises, as a question
};
let context = null;

export const isOn = () => localStorage.getItem(KEPT) === "on";
export function turnSounds() {
  if (isOn()) {
    localStorage.removeItem(KEPT);
    context?.close();
    context = null;
  } else {
    localStorage.setItem(KEPT, "on");
    ring([{ kind: "count" }]); // so it is heard whether the device is mute
  }
  dispatchEvent(new Event(CHANGED));
}
// Sound what happened: `kind` is one of NOTES, `power` from 1 on.
export async function ring(cues) {
  if (!isOn() || !cues.length || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  const asked = performance.now(),
    own = context;
  await own.resume().catch(() => {}); // browsers hold it back until somebody has touched the page
  if (own !== context || own.state !== "running" || performance.now() - asked > LATE_MS) return;
  cues.slice(0, MOST).forEach(({ kind, power = 1 }, i) => {
    for (const note of NOTES[kind](Math.max(power, 1))) sound(own, note, own.currentTime + i * APART_S);
  });
}
function sound(own, note, now) {
  const [wave, from, to, seconds, delay] = note;
  const tone = own.createOscillator(),
    gain = own.createGain(),
    begin = now + delay,
    end = begin + seconds;
  const glides = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  tone.type = wave;
  tone.frequency.setValueAtTime(from, begin);
  if (glides && to !== from) tone.frequency.exponentialRampToValueAtTime(to, end);
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(LOUDNESS, begin + ATTACK_S);
  gain.gain.exponentialRampToValueAtTime(SILENCE, end);
  tone.connect(gain).connect(own.destination);
  tone.start(begin);
  tone.stop(end);
}
// The switch; with its words beside it where there is room.
export function soundSwitch(spec, { words = false } = {}) {
  const label = t("sounds.label");
  const node = h(spec, { role: "switch", "aria-label": label, title: label, onclick: turnSounds });
  const face = () => {
    if (!node.isConnected && node.childNodes.length) return removeEventListener(CHANGED, face);
    node.setAttribute("aria-checked", String(isOn()));
    node.replaceChildren(icon(isOn() ? "sound" : "mute"), ...(words ? [label] : []));
  };
  addEventListener(CHANGED, face);
  face();
  return node;
}

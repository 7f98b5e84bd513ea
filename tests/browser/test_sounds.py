"""Sounds of the replay: what is scheduled, on a page whose loudspeaker is a list."""

import time
from collections import Counter

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, MOVING, PHONE
from tests.browser.test_page import check_axe, open_round
from tests.patience import PATIENCE_S

#: Stands for the browser's own: notes what is started, and whether its pitch slides.
LOUDSPEAKER = """
(() => {
  window.notes = [];
  const level = (glides) => ({
    setValueAtTime(hz) { glides.hz ??= hz; },
    linearRampToValueAtTime() {},
    exponentialRampToValueAtTime() { glides.is = true; },
  });
  window.AudioContext = class {
    state = 'suspended';
    currentTime = 1;
    destination = {};
    resume() { this.state = 'running'; return Promise.resolve(); }
    close() { window.silenced = (window.silenced || 0) + 1; this.state = 'closed'; }
    createGain() { return { gain: level({}), connect: (next) => next }; }
    createOscillator() {
      const glides = {};
      return {
        frequency: level(glides),
        connect: (next) => next,
        start(at) {
          window.notes.push({ wave: this.type, at, hz: glides.hz, glides: Boolean(glides.is) });
        },
        stop() {},
      };
    }
  };
})();
"""
#: All cues of a round, looked at every so often.
CUES = """
async ([base, every]) => {
  const { Replay } = await import('/static/js/scene/replay.js');
  const { cuesBetween } = await import('/static/js/scene/cues.js');
  const { readRound } = await import('/static/js/lib/round.js');
  const round = readRound(await (await fetch('/api/v1' + base + '/round')).json());
  const replay = new Replay(() => {});
  replay.load(round);
  const found = [];
  let was = null;
  for (let time = 0; ; time = Math.min(time + every, replay.count)) {
    replay.set(time);
    const now = replay.frameNow();
    if (was) found.push(...cuesBetween(round, was, now).map((cue) => cue.kind));
    was = now;
    if (time >= replay.count) break;
  }
  const marks = round.events.flatMap((event) => event.marks);
  const count = (is) => marks.filter(is).length;
  return {
    found,
    beam: count((mark) => mark.kind === 'path' && mark.style === 'beam'),
    hit: count((mark) => mark.kind === 'burst'),
    count: count((mark) => mark.kind === 'badge' && mark.style === 'count'),
    out: Object.values(round.tallies.at(-1).pieces).filter((piece) => piece.out).length,
  };
}
"""


@pytest.fixture
def hearing(open_page, round_id):
    def open_it(**options):
        page = open_round(open_page, round_id, **{**MOVING, **options})
        page.add_init_script(LOUDSPEAKER)
        page.reload()
        page.wait_for_selector(".stage g.card")
        return page

    return open_it


def wait_for_note(page, wave: str) -> dict:
    """Return the first note of a wave; the page's own policy forbids to wait by a script."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        notes = [note for note in page.evaluate("window.notes") if note["wave"] == wave]
        if notes:
            return notes[0]
        page.wait_for_timeout(50)
    pytest.fail(f"no {wave} sounds; heard {page.evaluate('window.notes')}")


@pytest.mark.parametrize("every", [0.05, 0.4, 0.9], ids=str)
def test_all_that_happens_is_heard_once_however_slow_the_device(open_page, round_id, every):
    page = open_round(open_page, round_id, **DESKTOP, **MOVING)
    told = page.evaluate(CUES, [f"/scans/{round_id}", every])
    heard = Counter(told.pop("found"))
    assert heard.pop("open", 0) + heard.pop("end", 0) == 1
    assert heard == Counter({kind: n for kind, n in told.items() if n})
    assert heard["beam"] > 0


def test_sounds_are_off_until_asked_for_and_are_kept(hearing):
    page = hearing(**PHONE)
    play = page.get_by_role("button", name="Play the round")
    switch = page.get_by_role("switch", name="Sounds")
    near_the_end = "Number(document.querySelector('.player input').max) - 40"

    def play_the_end() -> None:
        page.locator(".player input").fill(str(page.evaluate(near_the_end)))
        play.click()
        expect(page.locator(".player output")).to_have_text("Result")

    play_the_end()
    assert page.evaluate("window.notes") == []
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "true")
    check_axe(page)
    page.reload()
    page.wait_for_selector(".stage g.card")
    expect(switch).to_have_attribute("aria-checked", "true")
    play_the_end()
    wait_for_note(page, "triangle")  # the end
    page.locator("svg.photo").press("m")
    expect(switch).to_have_attribute("aria-checked", "false")
    assert page.evaluate("window.silenced") == 1  # what still sounds is silent at once


def test_pitches_stand_still_where_less_motion_is_asked_for(hearing):
    for motion, glides in (("no-preference", True), ("reduce", False)):
        page = hearing(**{**DESKTOP, "reduced_motion": motion})
        page.get_by_role("switch", name="Sounds").click()
        page.get_by_role("button", name="To the start").click()
        page.get_by_role("button", name="Play the round").click()
        assert wait_for_note(page, "sawtooth")["glides"] == glides

"""The overlay: what it draws is where the camera says, and it hides no card."""

import math
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest
from shapely import LineString, Point, Polygon, box

from vision.games.light_speed.tell import side_of, tell
from vision.games.light_speed.values import (
    Damage,
    Deck,
    Destroyed,
    Hit,
    Laser,
    Mined,
    Resolution,
    Score,
    Shield,
    Ship,
    Shot,
    Step,
    TableObject,
    TableState,
)
from vision.games.light_speed.words import words
from vision.geometry import card_corners, distort, photo_from_table, table_from_card
from vision.showing import overlay
from vision.showing.above import draw_face_plain, draw_table, table_camera
from vision.showing.beams import draw_beam, foot_on, is_straight, part_of, px_per_mm, trace_path
from vision.showing.canvas import Canvas, dashes, free_place, touches
from vision.showing.cards import lay_doubts
from vision.showing.closeups import lay_strip
from vision.showing.marks import lay_signs
from vision.showing.overlay import annotate_photo
from vision.showing.panel import find_place, lay_panel, paint_panel, panel_box, panel_content
from vision.showing.scene import build_scene
from vision.showing.style import BEAMS, AnnotateSettings, side_style
from vision.showing.tags import lay_tags
from vision.texts import texts
from vision.values.layout import Camera, PlacedCard
from vision.values.ledger import Ledger
from vision.values.messages import Issue, Message, message
from vision.values.verdict import Verdict, judge

END_TOL_PX = 1.5  # an anti-aliased edge is one pixel wide, and the beam has a casing's end
BEND_TOL_PX = 1.0  # a chord of the drawn polyline against the true curve, and rounding

DECK = Deck(
    name="small",
    width_mm=63.5,
    height_mm=88.9,
    teams=("red", "green", "purple", "blue"),
    ships=(
        Ship("moth", 1, 1, (Laser(2, (0.0, -10.0), 0.0),), ()),
        Ship("ghost", 5, 3, (Laser(1, (0.0, 5.0), math.pi),), (Shield("left", -20, 20),)),
        Ship("destroyer", 10, 4, (Laser(3, (0.0, 0.0), 0.5),), ()),
    ),
    asteroids=("asteroid-1", "asteroid-2"),
)


SETTINGS = AnnotateSettings(texts=words())


def annotate(*args, **more) -> np.ndarray:
    return annotate_photo(*args, settings=SETTINGS, **more)


def table_drawn(*args, **more) -> np.ndarray:
    return draw_table(*args, settings=SETTINGS, **more)


def make_camera(
    size_wh: tuple[int, int], *, span_mm: float = 700.0, tilt: float = 0.5, k1: float = -0.18
) -> Camera:
    """Look at the table's origin, tilted, through a barrel lens."""
    width, height = size_wh
    focal = 0.75 * math.hypot(width, height)
    far = span_mm * focal / width
    c, s = math.cos(tilt), math.sin(tilt)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    columns = np.column_stack([turn[:, 0], turn[:, 1], [0, 0, far]])
    return Camera(matrix, np.array([k1, 0.02]), matrix @ columns / far)


def make_round() -> tuple[TableState, Resolution]:
    """A moth mines, a ghost is blocked and shoots into space, a destroyer kills."""
    table = TableState(
        (
            PlacedCard("red-moth", -200, 120, 0.3),
            PlacedCard("blue-ghost", -160, -120, -0.8),
            PlacedCard("green-destroyer", 180, 110, 2.0),
            PlacedCard("asteroid-1", 30, -20, 0.1),
            PlacedCard("red-ghost", 200, -140, 1.2),
        )
    )
    steps = (
        Step(
            1,
            (Shot("red-moth", 0, 2, ((-170, 90), (2, 0)), Hit("asteroid-1", "left", False), 9.0),),
            mined=(Mined("red-moth", "asteroid-1", 2),),
        ),
        Step(
            5,
            (
                Shot(
                    "blue-ghost",
                    0,
                    1,
                    ((-120, -130), (165, -145)),
                    Hit("red-ghost", "left", True),
                    4.0,
                ),
                Shot("blue-ghost", 1, 1, ((-180, -90), (-420, 40)), None, 30.0),
            ),
        ),
        Step(
            10,
            (
                Shot(
                    "green-destroyer",
                    0,
                    3,
                    ((185, 60), (200, -95)),
                    Hit("red-ghost", "bottom", False),
                    0.4,
                    0.3,
                    0.09,
                    "red-ghost",
                    None,
                ),
            ),
            damage=(Damage("red-ghost", "green", 3),),
            destroyed=(Destroyed("red-ghost", "green", 3, 0),),
        ),
    )
    scores = {"red": Score(0, 2, 0), "green": Score(3, 0, 0), "blue": Score()}
    return table, Resolution(steps, scores, ("green",), (), {"red-moth": 2}, {"asteroid-1": 10})


def plain_photo(size_wh: tuple[int, int]) -> np.ndarray:
    return np.full((size_wh[1], size_wh[0], 3), (70, 90, 80), np.uint8)


def shown_cards(camera: Camera, table: TableState) -> list[np.ndarray]:
    corners = card_corners(DECK.width_mm, DECK.height_mm)
    return [
        photo_from_table(camera, table_from_card(corners, c.x_mm, c.y_mm, c.theta_rad))
        for c in table.cards
    ]


# --- beams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("end_mm", [(150.0, -130.0), (-210.0, 60.0), (5.0, 170.0)])
def test_a_beam_ends_where_it_hits(power, end_mm):
    size = (1600, 1200)
    camera = make_camera(size)
    trace = trace_path(camera, np.array([(-20.0, 10.0), end_mm]), size)
    assert trace is not None
    assert trace.starts
    assert trace.ends
    canvas = Canvas(plain_photo(size))
    draw_beam(canvas, camera, trace, BEAMS[power], 14.0)
    change = np.abs(canvas.image.astype(int) - plain_photo(size)).max(axis=2)
    changed = np.argwhere(change > 60)[:, ::-1]  # more than half of the faintest beam's contrast
    start, end = photo_from_table(camera, np.array([(-20.0, 10.0), end_mm]))
    way = (end - start) / np.hypot(*(end - start))
    along = (changed - start) @ way
    # The band's end is square on the table, so its corners may lie ahead of its middle.
    across = np.abs((changed - end) @ np.array([-way[1], way[0]]))
    middle = across < 2.0
    assert along[middle].max() == pytest.approx(np.hypot(*(end - start)), abs=END_TOL_PX)
    assert along[middle].min() == pytest.approx(0.0, abs=END_TOL_PX)


def test_a_beam_bends_with_the_lens():
    size = (2000, 1500)
    camera = make_camera(size, tilt=0.2, k1=-0.25)
    path = ((-330.0, -230.0), (330.0, -225.0))  # along the upper rim, where the lens bends most
    trace = trace_path(camera, np.array(path), size)
    assert trace is not None
    canvas = Canvas(plain_photo(size))
    draw_beam(canvas, camera, trace, BEAMS[2], 12.0)
    t = np.linspace(0.05, 0.95, 60)[:, None]
    wanted = photo_from_table(camera, np.array(path[0]) + t * np.subtract(path[1], path[0]))
    ends = photo_from_table(camera, np.array(path))
    chord = ends[1] - ends[0]
    sag = np.abs((wanted - ends[0]) @ [-chord[1], chord[0]]) / np.hypot(*chord)
    assert sag.max() > 8  # or the test proves nothing
    changed = (canvas.image != plain_photo(size)).any(axis=2)
    for x, y in wanted:
        column = np.flatnonzero(changed[:, round(x)])
        column = column[np.abs(column - y) < 15]  # not an arrow head further off
        assert abs(column.mean() - y) < BEND_TOL_PX


def test_a_beam_gets_narrower_with_distance():
    size = (1600, 1200)
    camera = make_camera(size, tilt=-0.9, k1=0.0)
    near, far = np.array([0.0, -200.0]), np.array([0.0, 260.0])
    scales = px_per_mm(camera, near), px_per_mm(camera, far)
    assert max(scales) > 1.5 * min(scales)
    trace = trace_path(camera, np.array([(0.0, -200.0), (1.0, 260.0)]), size)
    assert trace is not None
    canvas = Canvas(plain_photo(size))
    draw_beam(canvas, camera, trace, BEAMS[3], 14.0)
    changed = (canvas.image != plain_photo(size)).any(axis=2)
    widths = []
    for point in (near, far):
        y = round(float(photo_from_table(camera, point[None] * 0.98)[0, 1]))
        widths.append(int(changed[y].sum()))
    order = np.argsort(scales)
    assert widths[order[1]] > 1.3 * widths[order[0]]


def test_a_path_stops_short_of_the_horizon_and_of_the_lens_fold():
    size = (1600, 1200)
    camera = make_camera(size, tilt=1.1, k1=-0.3)
    for heading in np.linspace(0, 2 * math.pi, 16, endpoint=False):
        end = 1e5 * np.array([math.cos(heading), math.sin(heading)])
        trace = trace_path(camera, np.array([(0.0, 0.0), (float(end[0]), float(end[1]))]), size)
        if trace is None:
            continue
        assert (np.abs(trace.points_px - np.array(size) / 2) < np.array(size)).all()
        steps = np.diff(trace.points_px, axis=0)
        assert (
            steps @ (trace.points_px[-1] - trace.points_px[0]) >= -1e-9
        ).all()  # no folding back


def test_a_trace_is_the_same_line_in_both_frames():
    size = (1600, 1200)
    camera = make_camera(size)
    trace = trace_path(camera, np.array([(-300.0, -200.0), (250.0, 180.0)]), size)
    assert trace is not None
    assert np.allclose(trace.points_px, photo_from_table(camera, trace.points_mm), atol=1e-6)
    part = trace.between(0.25, 0.75)
    assert part.length_mm == pytest.approx(0.5 * trace.length_mm)
    assert not part.starts
    assert not part.ends


def test_a_path_outside_the_picture_is_not_drawn():
    camera = make_camera((800, 600))
    assert trace_path(camera, np.array([(5000.0, 0.0), (6000.0, 0.0)]), (800, 600)) is None


def test_a_path_of_no_length_is_harmless():
    camera = make_camera((800, 600))
    trace = trace_path(camera, np.array([(5.0, 5.0), (5.0, 5.0)]), (800, 600))
    assert trace is not None
    canvas = Canvas(plain_photo((800, 600)))
    draw_beam(canvas, camera, trace, BEAMS[2], 8.0)


def test_a_bent_path_passes_its_bends_and_keeps_its_length():
    size = (1600, 1200)
    camera = make_camera(size)
    path = np.array([(-200.0, -100.0), (150.0, -100.0), (150.0, 120.0), (20.0, -140.0)])
    trace = trace_path(camera, path, size)
    assert trace is not None
    assert trace.starts
    assert trace.ends
    assert not is_straight(trace.points_mm)
    assert is_straight(path[:2])
    true_mm = np.hypot(*np.diff(path, axis=0).T).sum()
    assert trace.length_mm == pytest.approx(true_mm, rel=0.01)
    assert np.allclose(foot_on(trace.points_mm, path[1]), path[1], atol=5.0)  # a chord's length
    half = part_of(path, 0.0, 0.5)
    assert np.hypot(*np.diff(half, axis=0).T).sum() == pytest.approx(true_mm / 2)
    canvas = Canvas(plain_photo(size))
    draw_beam(canvas, camera, trace, replace(BEAMS[3], fades=True, contested=True), 12.0)
    changed = (canvas.image != plain_photo(size)).any(axis=2)
    for x, y in photo_from_table(camera, (path[:-1] + path[1:]) / 2):
        assert changed[round(y), round(x)]


def test_powers_differ_without_colour():
    """In shades of grey, a section through each beam is of another kind."""
    size = (1200, 900)
    camera = make_camera(size, tilt=0.0, k1=0.0)
    seen = []
    for power in (1, 2, 3):
        trace = trace_path(camera, np.array([(-200.0, 0.0), (200.0, 0.0)]), size)
        assert trace is not None
        canvas = Canvas(plain_photo(size))
        draw_beam(canvas, camera, trace, BEAMS[power], 20.0)
        grey = cv2.cvtColor(canvas.image, cv2.COLOR_BGR2GRAY).astype(int)
        y = round(float(photo_from_table(camera, np.zeros((1, 2)))[0, 1]))
        x = slice(300, 500)
        seen.append(
            (int((grey[:, 400] != grey[0, 0]).sum()), int(grey[y, x].max() - grey[y, x].min()))
        )
    widths, ripples = zip(*seen, strict=True)
    assert widths[0] * 1.2 < widths[1] < widths[2] / 1.2
    assert ripples[1] > 60 > 20 > max(ripples[0], ripples[2])  # only a 2 is beaded


# --- the whole picture -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "size", [(816, 612), (612, 816), (1600, 1200), (4000, 3000), (5200, 3900)], ids=str
)
def test_photos_of_every_size(size):
    camera = make_camera(size)
    table, resolution = make_round()
    photo = plain_photo(size)
    before = photo.copy()
    photo.flags.writeable = False
    out = annotate(photo, camera, tell(table, DECK, resolution))
    assert np.array_equal(photo, before)
    assert out.shape[1] == size[0]
    assert out.shape[0] >= size[1]
    assert out.dtype == np.uint8
    changed = (out[: size[1]] != photo).any(axis=2).mean()
    assert 0.02 < changed < 0.6


def test_the_same_input_gives_the_same_picture():
    size = (1000, 750)
    table, resolution = make_round()
    args = (plain_photo(size), make_camera(size), tell(table, DECK, resolution))
    assert np.array_equal(annotate(*args), annotate(*args))


def test_each_outline_has_its_teams_colour():
    size = (2000, 1500)
    camera = make_camera(size)
    table, resolution = make_round()
    out = annotate(plain_photo(size), camera, tell(table, DECK, resolution))
    for card in table.cards:
        team = card.card_id.split("-")[0]
        if team not in DECK.teams:
            continue
        corners = table_from_card(card_corners(63.5, 88.9), card.x_mm, card.y_mm, card.theta_rad)
        t = np.linspace(0.05, 0.95, 80)[:, None]
        edges = [corners[k] + t * (corners[(k + 1) % 4] - corners[k]) for k in range(4)]
        pixels = np.round(photo_from_table(camera, np.vstack(edges))).astype(int)
        colours = out[pixels[:, 1], pixels[:, 0]].astype(int)
        alike = np.abs(colours - side_style(side_of(team, DECK)).colour).max(axis=1) < 12
        assert alike.mean() > 0.55  # the rest lies under beams, marks and the tag


def test_given_corners_are_followed():
    size = (1600, 1200)
    camera = make_camera(size)
    table = TableState((PlacedCard("red-moth", 0, 0, 0),))
    empty = Resolution((), {}, ())
    quad = shown_cards(camera, table)[0] + [60.0, -40.0]
    out = annotate(
        plain_photo(size), camera, tell(table, DECK, empty), outlines_px={"red-moth": quad}
    )
    for k in range(4):
        x, y = np.round((quad[k] + quad[(k + 1) % 4]) / 2).astype(int)
        assert np.abs(out[y, x].astype(int) - side_style(side_of("red", DECK)).colour).max() < 12


def test_no_shots_and_no_cards():
    size = (800, 600)
    photo = plain_photo(size)
    nothing = Resolution((), {}, ())
    assert np.array_equal(
        annotate(photo, make_camera(size), tell(TableState(()), DECK, nothing)), photo
    )
    table, _ = make_round()
    scored = Resolution((), {"red": Score()}, ("red",))
    out = annotate(photo, make_camera(size), tell(table, DECK, scored))
    assert (out[:600] != photo).any()


def test_doubts_show():
    size = (1600, 1200)
    camera = make_camera(size)
    table, resolution = make_round()
    amber = np.array([0, 179, 255])

    def amber_share(image: np.ndarray) -> float:
        return float((np.abs(image.astype(int) - amber).max(axis=2) < 10).mean())

    sure = replace(
        resolution,
        steps=tuple(
            replace(step, shots=tuple(replace(shot, flip_probability=0.0) for shot in step.shots))
            for step in resolution.steps
        ),
    )
    photo = plain_photo(size)
    none = amber_share(annotate(photo, camera, tell(table, DECK, sure)))
    contested = amber_share(annotate(photo, camera, tell(table, DECK, resolution)))
    issue = Issue("doubtful_card", "may be another", ("red-moth",))
    doubted = amber_share(annotate(photo, camera, tell(table, DECK, sure), issues=[issue]))
    note = replace(issue, severity="note")
    noted = amber_share(annotate(photo, camera, tell(table, DECK, sure), issues=[note]))
    assert none < 1e-5
    assert noted == none
    assert contested > 1e-3
    assert doubted > 1e-3


def test_strange_things_on_the_table():
    size = (1600, 1200)
    camera = make_camera(size)
    table = TableState(
        (
            PlacedCard("ship-back", -150, 0, 0.2),
            PlacedCard("unknown-1", 0, 0, 1.2),
            PlacedCard("asteroid-1-back", 150, -60, 0),
            PlacedCard("asteroid-2-back", 214, -60, 0),
        ),
        (TableObject("coaster", "asteroid", np.array([[100.0, 60], [190, 60], [190, 150]])),),
    )
    resolution = Resolution(
        (Step(3, (), gone=("coaster",)),),
        {"red": Score()},
        ("red",),
        (),
        {},
        {"asteroid-1-back": 12},
    )
    issues = [Issue("unreadable_card", "cannot be read", ("unknown-1",))]
    assert annotate(plain_photo(size), camera, tell(table, DECK, resolution), issues=issues).any()


def test_a_card_partly_outside_the_picture():
    size = (800, 600)
    camera = make_camera(size, span_mm=400)
    table, resolution = make_round()
    assert annotate(plain_photo(size), camera, tell(table, DECK, resolution)).any()


def test_a_team_of_another_deck_has_a_mark_of_its_own():
    other = replace(DECK, teams=("orange", "teal"))
    styles = [side_style(side_of(team, other)) for team in other.teams]
    assert len({style.shape for style in styles}) == len({style.letter for style in styles}) == 2


def test_the_four_teams_differ_in_colour_letter_and_shape():
    styles = [side_style(side_of(team, DECK)) for team in DECK.teams]
    for field in ("colour", "letter", "shape"):
        assert len({getattr(style, field) for style in styles}) == 4


def without_scores(ledger: Ledger) -> Ledger:
    """Leave the scores out, and so the panel."""
    steps = tuple(replace(step, tally=replace(step.tally, scores={})) for step in ledger.steps)
    return replace(ledger, steps=steps)


# --- the panel -------------------------------------------------------------------------------


@pytest.mark.parametrize("span_mm", [500.0, 800.0, 1400.0])
@pytest.mark.parametrize("size", [(1600, 1200), (1200, 1600)], ids=str)
def test_the_panel_covers_no_card_and_no_beam(span_mm, size):
    """Pixels of the panel's ground are found on the picture, and none of them on a card."""
    camera = make_camera(size, span_mm=span_mm)
    table, resolution = make_round()
    photo = plain_photo(size)
    with_panel = annotate(photo, camera, tell(table, DECK, resolution))
    without = annotate(photo, camera, without_scores(tell(table, DECK, resolution)))
    panel = (with_panel[: size[1]] != without).any(axis=2)
    assert panel.any() or with_panel.shape[0] > size[1]
    cards = np.zeros(panel.shape, np.uint8)
    for quad in shown_cards(camera, table):
        cv2.fillPoly(cards, [np.round(quad).astype(np.int32)], 1)
    for step in resolution.steps:
        for shot in step.shots:
            trace = trace_path(camera, np.array(shot.path_mm), size)
            if trace is not None:
                cv2.polylines(cards, [np.round(trace.points_px).astype(np.int32)], False, 1, 3)
    assert not (panel & (cards > 0)).any()


def test_panel_and_tags_cover_nothing_that_was_seen():
    """A die in the corner where the panel would stand, a strip where a tag would."""
    size = (1600, 1200)
    camera = make_camera(size, span_mm=800.0)
    table, resolution = make_round()
    ledger = tell(table, DECK, resolution)
    bare = build_scene(camera, ledger, size, SETTINGS)
    content = panel_content(ledger, judge(ledger, ()), SETTINGS.texts)
    usual = box(*panel_box(content, lay_panel(content, size, overlay._taken(bare, []), SETTINGS)))
    tag = next(one for one in lay_tags(bare, []) if not _holds(one))
    seen = [_square(usual.centroid, 20.0), _square(box(*tag.box).centroid, 4.0)]
    scene = build_scene(
        camera, ledger, size, SETTINGS, outlines_px=dict(zip(("die", "strip"), seen, strict=True))
    )
    placed = lay_panel(content, size, overlay._taken(scene, []), SETTINGS)
    assert not box(*panel_box(content, placed)).intersects(Polygon(seen[0]))
    for one in lay_tags(scene, []):
        assert _holds(one) or not any(box(*one.box).intersects(Polygon(edge)) for edge in seen)


def _holds(tag) -> bool:
    """Tell whether a tag stands on its card."""
    return Polygon(tag.view.outline_px).contains(box(*tag.box).centroid)


def _square(at: Point, half: float) -> np.ndarray:
    return np.array([at.x, at.y]) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])


def test_a_full_table_gets_the_panel_below():
    size = (1200, 900)
    camera = make_camera(size, tilt=0.0, k1=0.0, span_mm=700)
    names = [f"{team}-{ship.name}" for team in DECK.teams for ship in DECK.ships]
    places = [(x, y) for y in (-200, -100, 0, 100, 200) for x in (-300, -180, -60, 60, 180, 300)]
    names += [f"unknown-{k}" for k in range(len(places) - len(names))]
    table = TableState(
        tuple(PlacedCard(n, x, y, 0.0) for n, (x, y) in zip(names, places, strict=True))
    )
    scores = {team: Score(k, 0, 0) for k, team in enumerate(DECK.teams)}
    out = annotate(plain_photo(size), camera, tell(table, DECK, Resolution((), scores, ("blue",))))
    assert out.shape[0] > size[1]
    assert out.shape[1] == size[0]


def over(is_open: bool, *details: Message) -> Verdict:
    said = message("headline.nobody", chance=0.5)
    return Verdict(is_open, () if is_open else ("green",), 0.5, 2, said, details)


def test_rows_stand_by_total_and_nobody_wins_while_the_round_is_open():
    table, resolution = make_round()
    ledger = tell(table, DECK, resolution)
    for is_open in (False, True):
        content = panel_content(ledger, over(is_open), words())
        assert content is not None
        assert [row.side.id for row in content.rows] == ["green", "red", "blue"]
        assert content.note == ("nobody 50%" if is_open else "")
        assert any(row.wins for row in content.rows) is not is_open
    content = panel_content(ledger, over(False, message("headline.score")), words())
    assert content is not None
    assert content.note == "nobody 50% · the score"
    assert any(row.wins for row in content.rows)
    assert panel_content(without_scores(ledger), over(is_open=False), words()) is None


@pytest.mark.parametrize("seed", range(20))
def test_a_place_found_is_free(seed):
    rng = np.random.default_rng(seed)
    size = (1000, 700)
    taken = [rng.uniform(0, [1000, 700]) + rng.uniform(-90, 90, (4, 2)) for _ in range(12)]
    panel = (260.0, 140.0)
    corner = find_place(panel, size, taken, gap_px=8.0)
    if corner is None:
        return
    x, y = corner
    assert 0 <= x <= size[0] - panel[0]
    assert 0 <= y <= size[1] - panel[1]
    used = np.zeros((size[1], size[0]), np.uint8)
    for polygon in taken:
        cv2.fillPoly(used, [np.round(polygon).astype(np.int32)], 1)
    assert not used[round(y) : round(y + panel[1]), round(x) : round(x + panel[0])].any()


def test_an_empty_table_has_room_and_a_covered_one_has_not():
    assert find_place((200.0, 100.0), (800, 600), [], gap_px=5.0) is not None
    everything = np.array([[-1.0, -1], [800, -1], [800, 600], [-1, 600]])
    assert find_place((200.0, 100.0), (800, 600), [everything], gap_px=5.0) is None


def test_the_panel_is_inside_the_picture_or_below_it():
    table, resolution = make_round()
    content = panel_content(tell(table, DECK, resolution), over(is_open=True), words())
    assert content is not None
    place = lay_panel(content, (900, 700), [], SETTINGS)
    box = panel_box(content, place)
    assert place.on_picture
    assert 0 <= box[0] < box[2] <= 900
    assert 0 <= box[1] < box[3] <= 700


# --- marks and tags --------------------------------------------------------------------------


def test_a_lone_hit_is_marked_exactly_and_numbers_stand_at_the_muzzles():
    size = (1600, 1200)
    camera = make_camera(size)
    table, resolution = make_round()
    scene = build_scene(camera, tell(table, DECK, resolution), size, SETTINGS)
    marks = lay_signs(scene)
    assert len(marks) == 4 + 3  # four muzzles, three of the shots hit
    for mark in marks:
        path = photo_from_table(camera, np.array(mark.view.path.points_mm))
        place = path[0] if mark.is_start else path[1]
        away = math.hypot(place[0] - mark.at[0], place[1] - mark.at[1])
        assert away <= (0.6 * scene.unit if mark.is_start else 1e-6)


def test_crowded_hits_are_told_apart():
    size = (1600, 1200)
    camera = make_camera(size)
    table, _ = make_round()
    hit = Hit("asteroid-1", "left", False)
    shots = tuple(
        Shot("red-moth", k, 1, ((-200.0, 90.0 - 60 * k), (0.0, 0.0)), hit, 9.0) for k in range(2)
    )
    resolution = Resolution((Step(1, shots),), {}, ())
    scene = build_scene(camera, tell(table, DECK, resolution), size, SETTINGS)
    one, two = (mark for mark in lay_signs(scene) if not mark.is_start)
    assert math.hypot(one.at[0] - two.at[0], one.at[1] - two.at[1]) > scene.unit


def test_tags_stand_beside_their_cards_where_there_is_room_else_on_them():
    size = (1600, 1200)
    camera = make_camera(size)
    table, resolution = make_round()
    scene = build_scene(camera, tell(table, DECK, resolution), size, SETTINGS)
    circles = [(*mark.at, mark.radius) for mark in lay_signs(scene)]
    cards = [Polygon(view.outline_px) for view in scene.cards]
    beams = [LineString(path.trace.points_px) for path in scene.paths]
    tags = lay_tags(scene, circles)
    beside = []
    for tag, card in zip(tags, cards, strict=True):
        plate = box(*tag.box)
        if card.contains(plate.centroid):
            continue  # no room
        beside.append(plate)
        assert not any(plate.intersects(other) for other in [*cards, *beams])
        assert all(plate.distance(Point(x, y)) >= radius for x, y, radius in circles)
        assert plate.distance(card) < 2 * scene.unit
        assert box(0, 0, *size).contains(plate)
    assert len(beside) > len(cards) / 2
    assert not any(a.intersects(b) for a, b in combinations(beside, 2))


def test_a_game_whose_beams_differ_in_strength_has_a_legend():
    table, resolution = make_round()
    ledger = tell(table, DECK, resolution)
    own = panel_content(ledger, over(is_open=False), words())
    assert own is not None
    assert (texts("en").say("picture.strength"), own.legend) == ("", "power")
    ground = np.zeros((700, 900, 3), np.uint8)
    place = lay_panel(own, (900, 700), [], SETTINGS)
    drawn = paint_panel(ground, own, place)
    for style in BEAMS.values():
        assert (np.abs(drawn.astype(int) - style.colour).max(axis=2) < 8).sum() > 20  # px of it


def test_rocks_of_two_lasers_on_one_pool_add_up():
    table, _ = make_round()
    hit = Hit("asteroid-1", "left", False)
    shots = (
        Shot("red-moth", 0, 2, ((-100.0, 0.0), (0.0, 0.0)), hit, 9.0),
        Shot("red-moth", 1, 3, ((-100.0, 10.0), (0.0, 5.0)), hit, 9.0),
    )
    for rocks in range(6):
        mined = (Mined("red-moth", "asteroid-1", rocks),) if rocks else ()
        resolution = Resolution((Step(1, shots, mined=mined),), {}, ())
        ledger = tell(table, DECK, resolution)
        scene = build_scene(make_camera((800, 600)), ledger, (800, 600), SETTINGS)
        assert sum(int(words().tell(mark.text)) for v in scene.paths for mark in v.did) == rocks


def test_free_place_takes_the_first_option_that_is_free():
    taken = [(0.0, 0.0, 50.0, 50.0)]
    options = [(25.0, 25.0), (995.0, 25.0), (80.0, 25.0), (200.0, 25.0)]
    assert free_place(options, (10.0, 10.0), taken, (1000, 100)) == (80.0, 25.0)
    assert free_place(options[:2], (10.0, 10.0), taken, (1000, 100)) is None
    assert touches((0, 0, 2, 2), (1, 1, 3, 3))
    assert not touches((0, 0, 2, 2), (2, 0, 3, 3))


def test_dashes_cover_their_share():
    square = np.array([[0.0, 0.0], [100, 0], [100, 100], [0, 100]])
    lengths = [
        np.hypot(*np.diff(dash, axis=0).T).sum() for dash in dashes(square, 6, 4, closed=True)
    ]
    assert sum(lengths) == pytest.approx(0.6 * 400)
    assert list(dashes(np.zeros((3, 2)), 6, 4)) == []


# --- from above ------------------------------------------------------------------------------


def test_draw_table_shows_everything():
    table, resolution = make_round()
    out = table_drawn(tell(table, DECK, resolution), width_px=900)
    assert out.shape[1] == 900
    camera, (width, height) = table_camera(tell(table, DECK, resolution), 900)
    for quad in shown_cards(camera, table):
        assert (quad > 0).all()
        assert (quad < [width, height]).all()
    assert np.allclose(distort(camera, np.array([[3.0, 4.0]])), [[3.0, 4.0]])


def test_draw_table_lays_the_faces_it_is_given():
    table = TableState((PlacedCard("red-moth", 10, -20, 2.4),))
    nothing = Resolution((), {}, ())
    teal = np.full((300, 214, 3), (180, 170, 20), np.uint8)
    out = table_drawn(tell(table, DECK, nothing), faces={"red-moth": teal}, width_px=800)
    camera, _ = table_camera(tell(table, DECK, nothing), 800)
    inside = np.array([[-22.0, -35.0], [22.0, -35.0], [22.0, 35.0], [-22.0, 35.0]])
    for x, y in photo_from_table(camera, table_from_card(inside, 10, -20, 2.4)):
        assert np.abs(out[round(y), round(x)].astype(int) - (180, 170, 20)).max() < 10


@pytest.mark.parametrize(
    "card_id", ["red-moth", "blue-ghost", "asteroid-1", "ship-back", "unknown-1"]
)
def test_plain_faces(card_id):
    table = TableState((PlacedCard(card_id, 30, 20, 0.7),))
    ledger = tell(table, DECK, Resolution((), {}, ()))
    face = draw_face_plain(ledger.pieces[0], ledger, SETTINGS)
    assert face.shape[0] / face.shape[1] == pytest.approx(88.9 / 63.5, abs=0.01)
    assert (face[0] == 250).all()  # the white border


def test_an_empty_table_can_be_drawn():
    out = table_drawn(tell(TableState(()), DECK, Resolution((), {}, ())), width_px=400)
    assert out.shape[1] == 400
    with pytest.raises(ValueError, match="at least 64"):
        table_drawn(tell(TableState(()), DECK, Resolution((), {}, ())), width_px=10)


def test_accents_are_letters_and_no_boxes() -> None:
    from vision.showing.canvas import _text_mask, text_width

    masks = [_text_mask(letter, 40, 0)[0].tobytes() for letter in "éèàçœ«±–"]
    assert len(set(masks)) == len(masks)
    assert text_width("bloqué", 40) < 1.2 * text_width("bloque", 40)
    assert text_width("0,1\u202fmm", 40) == text_width("0,1 mm", 40)


@pytest.mark.parametrize(("cards", "is_drawn"), [((), True), (("red-die",), True), (None, False)])
def test_a_doubt_about_what_is_not_drawn_has_a_sign_at_its_place(cards, is_drawn):
    """A die, say; a piece that is drawn has its own sign."""
    size = (1600, 1200)
    camera = make_camera(size)
    table, resolution = make_round()
    ledger = tell(table, DECK, resolution)
    cards = (ledger.pieces[0].id,) if cards is None else cards
    issue = Issue("die_unsure", "", cards, at_px=(123.0, 77.0))
    scene = build_scene(camera, ledger, size, SETTINGS, issues=[issue])
    places = [(x, y) for x, y, _ in lay_doubts(scene, ())]
    assert ((123.0, 77.0) in places) == is_drawn


def test_a_note_under_close_ups_is_said_once_in_a_strip_of_its_own():
    picture, tile = np.zeros((50, 600, 3), np.uint8), np.zeros((80, 200, 3), np.uint8)
    plain = lay_strip(picture, [tile, tile])
    noted = lay_strip(picture, [tile, tile], "a note")
    assert np.array_equal(noted[: len(plain)], plain)
    assert np.ptp(noted[len(plain) :]) > 100  # it is written there
    assert lay_strip(picture, [], "a note") is picture

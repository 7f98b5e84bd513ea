"""Decks as things: one file and back, refused files, names, copies, what rounds remember."""

import json
import os
import shutil
import stat
import zipfile
from hashlib import sha256
from io import BytesIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibration.learned import shelf
from calibration.learned.archive import ArchiveLimits, digest_of, pack_deck, unpack_deck
from calibration.learned.decks import (
    CUT_SD,
    LearnedDeck,
    copies_of,
    is_learned,
    learned_names,
    load_learned,
    save_fit,
    save_learned,
)
from calibration.learned.fit import Fit
from calibration.learned.preview import contact_sheet, face_of
from calibration.learned.shelf import (
    bring_back,
    copy_deck,
    current_digest,
    import_deck,
    import_kept,
    keep_deck,
    kept_folder,
    put_away,
    rename_deck,
    tidy_shelf,
)
from vision.apps.decks import find_deck, find_known, lasting_name
from vision.errors import DeckError
from vision.games.light_speed.values import Deck
from vision.values.pieces import Faces

WIDTH_MM, HEIGHT_MM = 20.0, 30.0


def learned_of(name="zoo", count=3, seed=0, copies=2):
    rng = np.random.default_rng(seed)
    names = tuple((f"card-{k}",) for k in range(count))
    bank = Faces(
        names=names,
        images=rng.integers(0, 255, (count, 90, 60, 3), np.uint8),
        px_per_mm=3.0,
        width_mm=WIDTH_MM,
        height_mm=HEIGHT_MM,
        margins_mm=rng.uniform(1.5, 3, (count, 4)),
        is_symmetric=rng.random(count) > 0.5,
        cut_sd=CUT_SD,
        copies=copies_of(names, copies),
    )
    return LearnedDeck(Deck(name, WIDTH_MM, HEIGHT_MM, (), (), ()), bank)


@pytest.fixture
def store(tmp_path):
    save_learned(learned_of(), tmp_path / "decks" / "zoo")
    return tmp_path / "decks"


def told(folder):
    """Return all that is known of a deck, as plain values."""
    deck = load_learned(folder)
    bank = deck.bank
    fit = None if deck.fit is None else (deck.fit.size_mm, deck.fit.cut.tolist())
    numbers = (bank.size_mm, bank.px_per_mm, bank.corner_radius_mm, deck.copies)
    images = sha256(np.ascontiguousarray(bank.images).tobytes()).hexdigest()
    margins, halves = bank.margins_mm.tolist(), bank.is_symmetric.tolist()
    return deck.deck.name, bank.names, numbers, margins, halves, images, fit


# --- laws ------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True).filter(lambda n: n != "light-speed"),
    st.integers(2, 6),
    st.integers(0, 99),
    st.booleans(),
)
def test_what_is_packed_unpacks_to_the_same_deck(tmp_path_factory, name, count, seed, is_fitted):
    place = tmp_path_factory.mktemp("law")
    save_learned(learned_of(name, count, seed), place / "here" / name)
    if is_fitted:
        cut = np.array([0.01, 0.0, 0.005, 0.2, -0.1])
        save_fit(place / "here" / name, Fit((20.4, 30.2), cut, np.full(5, 0.1)))
    packed = pack_deck(place / "here" / name)
    assert pack_deck(place / "here" / name) == packed
    assert import_deck(place / "there", BytesIO(packed)) == name
    assert told(place / "there" / name) == told(place / "here" / name)
    assert digest_of(place / "there" / name) == digest_of(place / "here" / name)
    assert pack_deck(place / "there" / name) == packed


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_file_with_any_byte_changed_gives_the_same_deck_or_none(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("bytes")
    save_learned(learned_of(), place / "decks" / "zoo")
    packed = bytearray(pack_deck(place / "decks" / "zoo"))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= data.draw(st.integers(1, 255))
    try:
        import_deck(place / "there", BytesIO(bytes(packed)))
    except DeckError:
        assert learned_names(place / "there") == ()
    else:  # of what the file says twice, or to nobody
        assert told(place / "there" / "zoo") == told(place / "decks" / "zoo")
    assert [p.name for p in (place / "there").iterdir() if p.name != "zoo"] == []


# --- hostile files ---------------------------------------------------------------------------


def contents(store):
    with zipfile.ZipFile(BytesIO(pack_deck(store / "zoo"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files, **more):
    """Zip (name or entry, content) pairs as they are."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for entry, content in files:
            archive.writestr(entry, content)
    return out


def with_manifest(files):
    """Return files with a manifest that fits them."""
    own = {name: content for name, content in files.items() if name != "manifest.json"}
    hashes = {name: sha256(content).hexdigest() for name, content in own.items()}
    lines = "".join(f"{name} {hashes[name]}\n" for name in sorted(own))
    head = {
        "schema": "sightline/deck-archive@1",
        "name": "zoo",
        "digest": sha256(lines.encode()).hexdigest()[:32],
        "files": {n: {"bytes": len(c), "sha256": hashes[n]} for n, c in own.items()},
    }
    return {"manifest.json": json.dumps(head).encode(), **own}


def refused(store, packed, words):
    before = sorted(p.name for p in store.rglob("*"))
    with pytest.raises(DeckError, match=words):
        import_deck(store, packed, "other")
    assert sorted(p.name for p in store.rglob("*")) == before


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.toml",
        "/etc/passwd",
        "a/../deck.toml",
        "..\\deck.toml",
        "faces.npy/",
        "deck.TOML",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(store, name):
    files = {**contents(store), name: b"x"}
    refused(store, zipped(with_manifest(files).items()), "no file of a deck")


def test_an_entry_twice_is_refused(store):
    files = list(contents(store).items())
    with pytest.warns(UserWarning, match="Duplicate name"):
        packed = zipped([*files, files[1]])
    refused(store, packed, "twice")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR, stat.S_IFCHR])
def test_an_entry_that_is_no_plain_file_is_refused(store, kind):
    files = contents(store)
    link = zipfile.ZipInfo("faces.npy")
    link.external_attr = (kind | 0o777) << 16
    entries = [(name, c) for name, c in files.items() if name != "faces.npy"]
    refused(store, zipped([*entries, (link, b"/etc/passwd")]), "no plain file")


def test_too_many_entries_are_refused(store):
    files = contents(store)
    more = [(f"fitted-{k:016x}.npy", b"x") for k in range(20)]
    refused(store, zipped([*files.items(), *more]), "entries")


def test_what_declares_too_much_is_refused_before_it_is_unpacked(store, tmp_path):
    bomb = bytes(3_000_000)
    files = with_manifest({**contents(store), "fitted-0000000000000000.npy": bomb})
    packed = zipped(files.items())
    assert len(packed.getvalue()) < 100_000
    (tmp_path / "empty").mkdir()
    limits = ArchiveLimits(unpacked_bytes=2_000_000)
    with pytest.raises(DeckError, match="unpacks to more"):
        unpack_deck(packed, tmp_path / "empty", limits)
    assert list((tmp_path / "empty").iterdir()) == []


def test_what_lies_about_its_size_is_unpacked_no_further_than_it_says(store, tmp_path):
    """A bomb that declares 10 bytes, in its manifest and in the zip's own tables."""
    bomb = bytes(5_000_000)
    own = {**contents(store), "fitted-0000000000000000.npy": bomb}
    files = with_manifest(own)
    head = json.loads(files["manifest.json"])
    head["files"]["fitted-0000000000000000.npy"]["bytes"] = 10
    files["manifest.json"] = json.dumps(head).encode()
    packed = zipped(files.items()).getvalue()
    for declared in (packed, packed.replace(len(bomb).to_bytes(4, "little"), b"\n\0\0\0")):
        (tmp_path / "new").mkdir()
        with pytest.raises(DeckError):
            unpack_deck(BytesIO(declared), tmp_path / "new", ArchiveLimits())
        written = sum(p.stat().st_size for p in (tmp_path / "new").iterdir())
        assert written < sum(map(len, contents(store).values())) + 10
        shutil.rmtree(tmp_path / "new")


def test_a_wrong_digest_and_a_wrong_hash_are_refused(store):
    files = contents(store)
    head = json.loads(files["manifest.json"])
    wrong = {**head, "digest": "0" * 32}
    entries = {**files, "manifest.json": json.dumps(wrong).encode()}
    refused(store, zipped(entries.items()), "digest is not")
    changed = {**files, "deck.toml": files["deck.toml"] + b"\n"}
    refused(store, zipped(changed.items()), "not as the manifest says")
    strange = {**files, "manifest.json": b'{"schema": "other"}'}
    refused(store, zipped(strange.items()), "manifest.json")
    without = [(name, c) for name, c in files.items() if name != "manifest.json"]
    refused(store, zipped(without), "no manifest.json")
    refused(store, BytesIO(b"hello"), "damaged, or no zip")


def test_a_whole_file_of_a_deck_that_is_none_is_refused(store):
    files = contents(store)
    for text in (b"x = 1\n", files["deck.toml"].replace(b"card-0", b"<b>card</b>"), b"\xff"):
        broken = with_manifest({**files, "deck.toml": text})
        refused(store, zipped(broken.items()), "deck|card id")
    pickled = BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    broken = with_manifest({**files, "faces.npy": pickled.getvalue()})
    refused(store, zipped(broken.items()), "allow_pickle|damaged")
    of_others = with_manifest({**files, "lasers.toml": b"x = 1"})
    refused(store, zipped(of_others.items()), "this deck file cannot be imported")


# --- things ----------------------------------------------------------------------------------


def test_a_deck_is_renamed_copied_deleted_and_brought_back(store):
    before = told(store / "zoo")
    copy_deck(store, "zoo", "ark")
    rename_deck(store, "zoo", "park")
    assert learned_names(store) == ("ark", "park")
    assert told(store / "park")[1:] == told(store / "ark")[1:] == before[1:]
    assert told(store / "park")[0] == "park"
    put_away(store, "park")
    assert learned_names(store) == ("ark",)
    rename_deck(store, "ark", "park")
    with pytest.raises(DeckError, match="already there"):
        bring_back(store, "park")
    rename_deck(store, "park", "zoo")
    bring_back(store, "park")
    assert learned_names(store) == ("park", "zoo")
    for bad in ("../x", "", "light-speed", "Zoo", "zoo"):
        with pytest.raises(DeckError):
            copy_deck(store, "park", bad)
    for gone in ("ark", "../decks/zoo", "light-speed", ".trash"):
        with pytest.raises(DeckError):
            put_away(store, gone)


def test_a_renamed_deck_keeps_the_faces_of_its_fit(store):
    save_fit(store / "zoo", Fit((20.4, 30.2), np.zeros(5), np.full(5, 0.1)))
    (fitted,) = (store / "zoo").glob("fitted-*.npy")
    for left in ("0" * 16, "f" * 16):  # as a save_fit that was cut off leaves one behind
        np.save(store / "zoo" / f"fitted-{left}.npy", np.zeros_like(np.load(fitted)))
    before = told(store / "zoo")
    rename_deck(store, "zoo", "park")
    assert told(store / "park")[1:] == before[1:]


def test_the_same_file_again_is_no_mistake_another_deck_of_its_name_is(store):
    packed = pack_deck(store / "zoo")
    assert import_deck(store, BytesIO(packed)) == "zoo"
    assert import_deck(store, BytesIO(packed), "ark") == "ark"
    assert import_deck(store, BytesIO(packed), "ark") == "ark"
    assert told(store / "ark")[1:] == told(store / "zoo")[1:]
    put_away(store, "zoo")
    save_learned(learned_of(seed=5), store / "zoo")
    with pytest.raises(DeckError, match="already there"):
        import_deck(store, BytesIO(packed))


def test_a_round_finds_its_deck_as_it_was(store, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_DECKS", str(store))
    before = told(store / "zoo")
    reference = lasting_name(find_known("zoo"))
    assert reference == keep_deck(store, "zoo") == f"zoo@{current_digest(store / 'zoo')}"
    save_learned(learned_of(count=5, seed=9), store / "zoo")
    assert current_digest(store / "zoo") not in reference
    put_away(store, "zoo")
    kept = find_known(reference)
    assert kept.name == "zoo"
    assert told(kept_folder(store, reference.partition("@")[2])) == before
    assert lasting_name(kept) == reference
    for bad in (reference[:-1], "ark@" + reference[4:], "zoo@../zoo", "zoo@" + "0" * 32):
        with pytest.raises(DeckError):
            find_known(bad)


def test_a_deck_that_is_replaced_while_it_is_kept_is_kept_as_what_it_is(store, monkeypatch):
    copy, others = shelf._copy_files, iter([learned_of(count=5, seed=9)])

    def replaced_first(folder, target):
        for other in others:
            save_learned(other, folder)
        copy(folder, target)

    monkeypatch.setattr(shelf, "_copy_files", replaced_first)
    name, digest = shelf.split_reference(keep_deck(store, "zoo"))
    assert digest == current_digest(store / name) == digest_of(kept_folder(store, digest))


def test_what_nothing_remembers_goes_in_time(store):
    reference, digest = keep_deck(store, "zoo"), current_digest(store / "zoo")
    put_away(store, "zoo")
    tidy_shelf(store, {reference}, 100.0)
    assert is_learned(store / ".trash" / "zoo")
    for folder in (store / ".trash" / "zoo", store / ".kept" / digest):
        os.utime(folder, (0, 0))
    tidy_shelf(store, {reference}, 100.0)
    assert not (store / ".trash" / "zoo").exists()
    assert is_learned(kept_folder(store, digest))
    os.utime(kept_folder(store, digest), (0, 0))
    tidy_shelf(store, (), 100.0)
    with pytest.raises(DeckError):
        kept_folder(store, digest)


def test_a_file_of_a_deck_is_used_as_it_is(store, monkeypatch, tmp_path):
    file = tmp_path / "my zoo.sightline-deck"
    file.write_bytes(pack_deck(store / "zoo"))
    before = told(store / "zoo")
    monkeypatch.setenv("SIGHTLINE_DECKS", str(tmp_path / "elsewhere"))
    known = find_deck(str(file))
    assert known.name == "zoo"
    assert told(kept_folder(tmp_path / "elsewhere", known.digest)) == before
    assert import_kept(tmp_path / "elsewhere", file) == f"zoo@{known.digest}"
    assert learned_names(tmp_path / "elsewhere") == ()
    with pytest.raises(DeckError, match="no such file"):
        find_deck(str(tmp_path / "none.sightline-deck"))


def test_faces_are_looked_at_one_by_one_and_in_rows():
    bank = learned_of(count=7).bank
    assert (face_of(bank, "card-3") == bank.images[3]).all()
    with pytest.raises(DeckError):
        face_of(bank, "card-9")
    sheet = contact_sheet(bank, 640)
    assert sheet.shape[1] <= 640
    assert sheet.shape[0] > 200

"""The files of the page as they are sent: joined, compressed, asked for anew if they change."""

import gzip
import json
import re

import numpy as np
import pytest

from tests.home_picture import PICTURES, SAMPLE, small
from vision.apps.server.page_files import STATIC, join_page
from vision.imaging.photo import decode_photo
from vision.texts import LANGUAGES

NAMES = re.compile(r"^const (\$\w+) = \(\(\) => \{$", re.MULTILINE)
THERE = re.compile(r"^globalThis\.\$there = \{ (.*) \};$", re.MULTILINE)
THERE_USED = re.compile(r"^const \{ (.*) \} = globalThis\.\$there;$", re.MULTILINE)
USES = re.compile(r"^const \{[^}]*\} = (\$\w+);$", re.MULTILINE)


def texts_of(entry) -> list[str]:
    """Return the scripts of a page: those of the first page, then what comes later."""
    return [packed.plain.decode() for packed in join_page(entry.resolve()).values()]


def test_joined_scripts_have_each_module_once_before_who_uses_it():
    first, later = texts_of(STATIC / "js" / "main.js")
    assert not re.findall(r"^(import|export)\b", first, re.MULTILINE)
    assert re.findall(r"^(import|export)\b.*", later, re.MULTILINE) == ["export"]
    there = set(NAMES.findall(first))
    assert THERE.search(first)[1].split(", ") == NAMES.findall(first)
    known = THERE_USED.search(later)[1].split(", ")
    assert set(known) <= there
    names = [*NAMES.findall(first), *NAMES.findall(later)]
    assert len(names) == len(set(names)) > 50
    for text, given in ((first, ()), (later, known)):
        made = {match[1]: match.start() for match in NAMES.finditer(text)}
        made |= dict.fromkeys(given, 0)
        uses = list(USES.finditer(text))
        assert uses
        assert all(made[match[1]] < match.start() for match in uses)


def test_what_is_imported_later_comes_from_where_it_is_named_by_its_content(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.js").write_text("export const one = 1;\n")
    (tmp_path / "a" / "two.js").write_text(
        'import { one } from "./one.js";\nexport const two = one + 1;\n'
    )
    main = 'import { one } from "./one.js";\nimport("./two.js").then(({ two }) => use(one, two));\n'
    (tmp_path / "a" / "main.js").write_text(main)
    joined = join_page((tmp_path / "a" / "main.js").resolve())
    (first, there), (later, added) = joined.items()
    assert f'import("{later}").then(' in there.plain.decode()
    assert "one = 1" not in added.plain.decode()
    assert added.plain.decode().endswith("\nexport const { two } = $a_two;\n")
    assert [path.rpartition("/")[2].split(".")[0] for path in (first, later)] == ["main", "two"]
    (tmp_path / "a" / "two.js").write_text("export const two = 22;\n")
    assert next(iter(join_page((tmp_path / "a" / "main.js").resolve()))) != first


def test_texts_over_several_lines_are_joined_as_they_are(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.js").write_text(
        "// said\nexport const text = `\n    // kept\n  as it is`;\n"
    )
    (tmp_path / "a" / "main.js").write_text(
        'import { text } from "./one.js";\n  // left out\n  console.log(text);\n'
    )
    (joined,) = texts_of(tmp_path / "a" / "main.js")
    assert "`\n    // kept\n  as it is`;" in joined
    assert "said" not in joined
    assert "left out" not in joined
    assert "\nconst { text } = $a_one;\nconsole.log(text);\n" in joined


def test_scripts_that_go_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match=r"a\.js imports itself"):
        join_page((tmp_path / "a.js").resolve())


def test_scripts_that_come_later_last_and_older_ones_are_gone(client):
    """Of two versions no page is made: who has an older first page loads it anew."""
    first, later = join_page((STATIC / "js" / "main.js").resolve())
    assert "immutable" in client.get(later).headers["cache-control"]
    assert client.get(re.sub(r"[0-9a-f]{12}", "0" * 12, later)).status_code == 404
    assert client.get(re.sub(r"[0-9a-f]{12}", "0" * 12, first)).status_code == 200


def test_what_is_named_by_its_content_lasts_and_the_rest_is_asked_for_again(client):
    page = client.get("/")
    assert page.headers["cache-control"] == "no-cache"
    named = re.findall(r'"(/static/(?:joined|css)/[^"]+)"', page.text)
    assert len(named) == 2
    for path in named:
        reply = client.get(path)
        assert "immutable" in reply.headers["cache-control"], path
        other = client.get(path.replace(reply.headers["etag"][1:13], "0" * 12))
        assert other.headers["cache-control"] == "no-cache", "an older page gets what there is now"
    for path in ("/", "/static/locales/fr.json", "/api/v1/games"):
        tag = client.get(path).headers["etag"]
        again = client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b""), path
        assert client.get(path, headers={"If-None-Match": '"x"'}).status_code == 200


def test_texts_are_compressed_where_that_is_taken_and_say_the_same(client):
    for path in ("/", "/static/css/app.css", "/static/locales/en.json", "/api/v1/games"):
        with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as reply:
            small = b"".join(reply.iter_raw())
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
        assert reply.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert reply.headers["etag"] != plain.headers["etag"]
        assert reply.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert gzip.decompress(small) == plain.content
        assert "script-src 'self'" in reply.headers["content-security-policy"]
    assert json.loads(plain.content)["games"]


def test_a_script_that_was_changed_is_joined_anew(client, monkeypatch, tmp_path):
    import shutil

    from vision.apps.server import page_files

    shutil.copytree(STATIC, tmp_path / "page")
    monkeypatch.setattr(page_files, "STATIC", tmp_path / "page")
    before = page_files.index_page().mark
    assert page_files.index_page().mark == before
    script = tmp_path / "page" / "js" / "lib" / "geometry.js"
    script.write_text(script.read_text() + "export const more = 1;\n")
    assert page_files.index_page().mark != before


#: Smoothed and compressed: what a place of the picture differs by, in the mean.
TONE_TOL = 8.0  # 6.0 was seen; the next like sample has 25


def test_the_first_page_shows_a_sample_and_its_round_in_each_language():
    """Made by ``tests.home_picture``; the round is drawn over most of the photo."""
    photo = decode_photo(SAMPLE.read_bytes()).image
    shown = {path.stem: decode_photo(path.read_bytes()).image for path in PICTURES.iterdir()}
    assert set(shown) == {"before", *(f"after.{language}" for language in LANGUAGES)}
    assert {picture.shape for picture in shown.values()} == {small(photo).shape}
    off = {
        name: np.abs(picture.astype(float) - small(photo)).mean(axis=2)
        for name, picture in shown.items()
    }
    assert off.pop("before").mean() < TONE_TOL
    for picture in off.values():
        assert np.median(picture) < TONE_TOL  # the same cloth
        assert (picture > 4 * TONE_TOL).mean() > 0.1  # and much drawn on it

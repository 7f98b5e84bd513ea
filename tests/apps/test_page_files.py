"""The files of the page as they are sent: joined, compressed, asked for anew if they change."""

import gzip
import json
import re

import pytest

from tests.apps.web_help import client_of
from vision.apps.server.page_files import STATIC
from vision.apps.server.page_scripts import join_page

NAMES = re.compile(r"^const (\$\w+) = \(\(\) => \{$", re.MULTILINE)
USES = re.compile(r"^const \{[^}]*\} = (\$\w+);$", re.MULTILINE)


def join_scripts(entry):
    """Return the script of the first screen."""
    return join_page(entry, lambda name, text: f"/late/{name}.js")[0]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with client_of(tmp_path_factory.mktemp("files")) as client:
        yield client


def test_joined_scripts_have_each_module_once_before_who_uses_it():
    joined = join_scripts((STATIC / "js" / "main.js").resolve())
    assert not re.findall(r"^(import \{|export\b)", joined, re.MULTILINE)
    made = {match[1]: match.start() for match in NAMES.finditer(joined)}
    names = NAMES.findall(joined)
    assert len(names) == len(set(names)) > 50
    uses = list(USES.finditer(joined))
    assert uses
    assert all(made[match[1]] < match.start() for match in uses)


def test_texts_over_several_lines_are_joined_as_they_are(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.js").write_text(
        "// said\nexport const text = `\n    // kept\n  as it is`;\n"
    )
    (tmp_path / "a" / "main.js").write_text(
        'import { text } from "./one.js";\n  // left out\n  console.log(text);\n'
    )
    joined = join_scripts((tmp_path / "a" / "main.js").resolve())
    assert "`\n    // kept\n  as it is`;" in joined
    assert "said" not in joined
    assert "left out" not in joined
    assert "\nconst { text } = $a_one;\nconsole.log(text);\n" in joined


def test_scripts_that_go_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match=r"a\.js imports itself"):
        join_scripts((tmp_path / "a.js").resolve())


def test_what_is_opened_later_has_a_script_of_its_own(tmp_path):
    write = {
        "lib/words.js": "export const say = (x) => x;\n",
        "lib/own.js": "export const two = 2;\n",
        "pages/late.js": 'import { say } from "../lib/words.js";\n'
        'import { two } from "../lib/own.js";\nexport const show = () => say(two);\n',
        "main.js": 'import { say } from "./lib/words.js";\n'
        'const { show } = await import("./pages/late.js");\nconsole.log(say(show()));\n',
    }
    for name, text in write.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    main, late = join_page((tmp_path / "main.js").resolve(), lambda name, _: f"/late/{name}.js")
    assert 'await import("/late/pages_late.js")' in main
    assert "globalThis.$page = { $lib_words };" in main
    assert "$lib_own" not in main
    text = late["pages_late"]
    assert text.startswith("const { $lib_words } = globalThis.$page;\n")
    assert "const $lib_own = (() => {" in text
    assert "const $lib_words = (() => {" not in text, "one module, one state"
    assert text.endswith("export const { show } = $pages_late;\n")


def test_a_script_is_imported_at_once_or_later_not_both(tmp_path):
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    (tmp_path / "main.js").write_text(
        'import { a } from "./a.js";\nconsole.log(a, import("./a.js"));\n'
    )
    with pytest.raises(ValueError, match=r"a\.js is imported at once"):
        join_page((tmp_path / "main.js").resolve(), lambda name, _: name)


def test_later_scripts_are_sent_by_the_mark_of_their_content(client):
    page = client.get("/").text
    main = client.get(re.search(r"/static/joined/main\.[0-9a-f]+\.js", page)[0]).text
    places = set(re.findall(r'import\("([^"]+)"\)', main))
    assert places
    for place in places:
        reply = client.get(place)
        assert reply.status_code == 200
        assert "immutable" in reply.headers["cache-control"], place
        names = re.findall(r"^const \{ ([^}]*) \} = globalThis", reply.text)[0].split(", ")
        lent = re.search(r"globalThis\.\$page = \{ ([^}]*) \}", main)[1].split(", ")
        assert set(names) <= set(lent)
    assert client.get("/static/joined/nothing.000000000000.js").status_code == 404


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

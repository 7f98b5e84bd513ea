"""The scripts of the page: what may import what, and that every name they import is there."""

import json
import re
from pathlib import Path

import pytest

import vision.apps.server

SCRIPTS = Path(vision.apps.server.__file__).parent / "page" / "js"
MAY_IMPORT = {
    "lib": {"lib"},
    "scene": {"lib", "scene"},
    "panels": {"lib", "scene", "panels"},
    "pages": {"lib", "scene", "panels"},  # a page imports no page
    "js": {"lib", "panels", "pages"},  # the shell alone opens pages
}
IMPORT = re.compile(r'import \{([^}]*)\} from "([^"]+)";')
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.stem)
def test_a_script_imports_what_it_may_and_what_there_is(path):
    text = path.read_text(encoding="utf-8")
    found = IMPORT.findall(text)
    assert len(found) == len(re.findall(r"^import\b", text, re.MULTILINE))
    for names, place in found:
        other = (path.parent / place).resolve()
        assert other.parent.name in MAY_IMPORT[path.parent.name], place
        offered = set(EXPORT.findall(other.read_text(encoding="utf-8")))
        wanted = {name.strip() for name in names.split(",") if name.strip()}
        assert wanted <= offered, f"{place}: {wanted - offered}"
        for name in wanted:
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} is imported for nothing"


# Words of Light Speed that would name or say something of it; it lies in its own folder.
GAME_WORDS = re.compile(
    r"ship|laser|asteroid|moth|\brocks?\b|\bkill(s|ed)?\b|\bshots?\b|pirac|purple|\bgreen\b|\bred\b"
)


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.stem)
def test_a_script_knows_no_game(path):
    code = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not GAME_WORDS.findall(code)


SAYING = re.compile(r'\bt\(\s*([^,(){}]*"[^,(){}]*),\s*\{([^}]*)\}')


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.stem)
def test_what_is_said_has_its_gaps_filled(path):
    words = json.loads((SCRIPTS.parent / "locales" / "en.json").read_text(encoding="utf-8"))
    for keys, given in SAYING.findall(path.read_text(encoding="utf-8")):
        filled = {part.partition(":")[0].strip() for part in given.split(",")}
        for key in re.findall(r'"([^"]+)"', keys):
            forms = words.get(key, "")
            for form in [forms] if isinstance(forms, str) else forms.values():
                assert set(re.findall(r"\{(\w+)\}", form)) <= filled, key

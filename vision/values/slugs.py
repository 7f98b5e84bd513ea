"""What decks and cards are called in files, addresses and on screen: words of any script, dashes.

Letters, marks and digits of any script, lower case where the script has cases, composed (NFC): so a
name is the same from every keyboard and file system. No dot, slash, space or control is in one.
"""

import re
import unicodedata

__all__ = ["composed", "is_slug", "slug_of"]

_LONGEST_BYTES = 200  # of a name in UTF-8: a file's has 255, with what it ends and is staged by


def slug_of(text: str) -> str:
    """Turn what a thing is called into a name; empty where no letter or digit is left.

    Examples
    --------
    >>> slug_of("Пиковая_Дама 2")
    'пиковая-дама-2'
    """
    kept = "".join(c if _is_part(c) else "-" for c in composed(text.lower()))
    words = (_without_loose_marks(word) for word in re.split("-+", kept))
    return composed("-".join(word for word in words if word))


def is_slug(name: str) -> bool:
    """Tell whether a name is one as it stands."""
    is_short = len(name.encode(errors="replace")) <= _LONGEST_BYTES
    return bool(name) and is_short and slug_of(name) == name


def composed(text: str) -> str:
    """Return text with each letter and its marks as one character, where there is one."""
    return unicodedata.normalize("NFC", text)


def _is_part(character: str) -> bool:
    """Tell whether a character is a letter, a mark on one, or a decimal digit."""
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd"


def _without_loose_marks(word: str) -> str:
    """Drop marks with no letter before them: they would be drawn onto the dash."""
    while word and unicodedata.category(word[0])[0] == "M":
        word = word[1:]
    return word

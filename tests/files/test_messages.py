"""What is kept of a message says the same in every language."""

import json

import numpy as np

from vision.files.messages import message_from_json, message_to_json
from vision.texts import LANGUAGES, texts
from vision.values.messages import message


def test_a_message_is_read_back_as_it_was_with_all_within_it():
    within = message("issue.sheet_unnamed", x="12", y="7")
    said = message("error.of_photo", n=np.int64(2), why=(within, "plain"))
    kept = json.loads(json.dumps(message_to_json(said)))
    assert message_from_json(kept) == message("error.of_photo", n=2, why=(within, "plain"))
    for language in LANGUAGES:
        words = texts(language)
        assert words.tell(message_from_json(kept)) == words.tell(said)

"""Messages as plain JSON and back: what is kept can be said in any language later."""

from typing import Any

from vision.values.messages import Message

__all__ = ["message_from_json", "message_to_json"]

Json = dict[str, Any]


def message_to_json(said: Message) -> Json:
    """Return a message as its key and what fills its gaps."""
    return {"key": said.key, "values": {name: _plain(value) for name, value in said.values}}


def message_from_json(told: Json) -> Message:
    """Return a message as :func:`message_to_json` wrote it."""
    return Message(told["key"], tuple((name, _read(v)) for name, v in told["values"].items()))


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return message_to_json(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value  # a number of numpy's


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return message_from_json(value)
    return tuple(_read(one) for one in value) if isinstance(value, list) else value

"""The error tree.

::

    ScanError                      no result; the message says what was seen, needed, and to try
    ├── InputError                 what came in cannot be used
    │   ├── ImageDecodeError       not a picture, cut off, or of a format that is not read
    │   ├── ImageSizeError         too small to hold cards, or too large to be safe
    │   ├── TableFormatError       a table file with a mistake; says where
    │   │   └── IllegalOrderError  an order that the rules played do not allow to be given
    │   ├── ReportFormatError      a report of a round that is damaged, or none at all
    │   ├── DeckError              a deck file with a mistake, or no deck of that name
    │   └── SourceError            a camera, film or folder that gives no pictures
    ├── CalibrationError           pictures of which no camera profile can be made; no such profile
    ├── TableNotFoundError         a good picture without a readable table in it
    │   └── OtherTableError        photos that were not taken of one table
    └── DegenerateGeometryError    a construction without a solution (points at infinity, ...)

A doubt about a result is no exception: it goes into ``issues``. A caller's mistake is a
``ValueError``.
"""

__all__ = [
    "CalibrationError",
    "DeckError",
    "DegenerateGeometryError",
    "IllegalOrderError",
    "ImageDecodeError",
    "ImageSizeError",
    "InputError",
    "MissingFilesError",
    "OtherTableError",
    "ReportFormatError",
    "ScanError",
    "SourceError",
    "TableFormatError",
    "TableNotFoundError",
]


class ScanError(Exception):
    """No result. ``code`` is stable and machine-readable; the message is for a person."""

    code = "scan_error"


class InputError(ScanError):
    """What came in cannot be used."""

    code = "input_error"


class ImageDecodeError(InputError):
    """The bytes are not a picture that can be read."""

    code = "image_decode"


class ImageSizeError(InputError):
    """The picture has too few or too many pixels."""

    code = "image_size"


class TableFormatError(InputError):
    """A table file or a rule option with a mistake."""

    code = "table_format"


class IllegalOrderError(TableFormatError):
    """An order that may not be given, where the rules that are played make that an error."""

    code = "illegal_order"


class ReportFormatError(InputError):
    """A report of a round that is damaged, too large, or no report at all."""

    code = "report_format"


class DeckError(InputError):
    """A deck file with a mistake, or no deck of that name."""

    code = "deck"


class SourceError(InputError):
    """A camera, film, folder or stream that gives no pictures."""

    code = "source"


class MissingFilesError(ScanError):
    """A store that lacks files which its database names: a photo, or what was read of it."""

    code = "files_missing"


class CalibrationError(ScanError):
    """Pictures of which no camera profile can be made, or no profile of that name."""

    code = "calibration"


class TableNotFoundError(ScanError):
    """The picture holds no table that can be read.

    ``is_near`` tells that there is one of the game that was asked for, though not as it must be:
    of several games, its message is the one that helps. ``of_photo`` tells that the photo is at
    fault, whatever lies on the table. ``said`` is the message in a form that
    other languages can be made of (:class:`vision.values.messages.Message`), where there is one.
    """

    code = "table_not_found"

    def __init__(
        self,
        message: str = "",
        *,
        is_near: bool = False,
        of_photo: bool = False,
        said: object | None = None,
    ) -> None:
        super().__init__(message)
        self.is_near = is_near
        self.of_photo = of_photo
        self.said = said


class OtherTableError(TableNotFoundError):
    """One of several photos shows another table, or too little of what the others show."""

    code = "other_table"


class DegenerateGeometryError(ScanError):
    """A geometric construction without a solution."""

    code = "degenerate_geometry"

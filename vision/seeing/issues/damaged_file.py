"""A damaged file -> one doubt of all that its picture shows, or why it shows nothing.

Which pixels are wrong is not known: a card may be gone without a trace, or show another face. So
the doubt names no card, no other photo clears it, and no odds weigh it: the round stays open.
"""

from vision.errors import TableNotFoundError
from vision.imaging.photo import Photo
from vision.texts import make_issue
from vision.values.messages import Issue, message

__all__ = ["damaged_file_error", "report_damaged_file"]


def report_damaged_file(photo: Photo) -> tuple[Issue, ...]:
    """Doubt all of a photo whose file is damaged; nothing else."""
    if not photo.is_damaged:
        return ()
    return (make_issue("file_damaged", "issue.file_damaged", kind=photo.kind),)


def damaged_file_error(photo: Photo) -> TableNotFoundError:
    """Return why a damaged file shows nothing: another photo of the table is of no use here."""
    return TableNotFoundError(
        f"the {photo.kind} file is damaged, and what is left of the picture cannot be read; "
        "needed the original file: copy or send it again",
        said=message("error.file_damaged", kind=photo.kind),
    )

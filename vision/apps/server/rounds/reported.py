"""A round that came out wrong -> one file for whoever mends it."""

import json

from vision import __version__
from vision.apps.server.problems import NO_ROUND, Problem, or_404
from vision.apps.server.rounds.log import fold
from vision.apps.server.rounds.played import PlayedRounds
from vision.apps.server.storage import Scan, needed_by
from vision.files.headlines import headline_to_json
from vision.files.reports import PhotoChoice, Report, pack_report
from vision.imaging.photo import decode_photo, encode_image
from vision.imaging.strip import strip_jpeg
from vision.showing.outside import hide_outside

__all__ = ["report_of"]

_QUALITY = 95  # of a photo that is written again: as good as phones write theirs


def report_of(played: PlayedRounds, scan: Scan, photo: PhotoChoice, note: str = "") -> bytes:
    """Pack a round into one file: photos, scan, corrections, version.

    Parameters
    ----------
    played : PlayedRounds
        The rounds, with what is stored of them.
    scan : Scan
        Which one; read, or failed.
    photo : PhotoChoice
        What goes of the photos. ``table``: the first alone, grey where nothing lies.
    note : str
        What the sender says.

    Raises
    ------
    Problem
        409 if it is not read yet, or nothing tells where the table is.
    """
    with needed_by(scan.id):
        return _packed(played, scan, photo, note)


def _packed(played: PlayedRounds, scan: Scan, photo: PhotoChoice, note: str) -> bytes:
    if scan.state == "failed":
        return pack_report(_failed(played, scan, photo, note))
    round_ = played.get(scan)
    done, _ = fold(played.log(scan.id))
    kept = or_404(played.records.scans.read(scan.id), NO_ROUND)
    document = json.loads(kept.document)
    return pack_report(
        Report(
            version=__version__,
            game=round_.game.name,
            deck=scan.deck,
            photo=photo,
            photos=_photos(played, scan, photo),
            scan=document,
            joint=played.objects.read(kept.joint),
            changes=done,
            rules=document["table"].get("rules", {}),
            points=dict(played.careers.points(scan)),
            told={"headline": headline_to_json(round_.ledger, round_.issues, round_.game.texts)},
            note=note,
        )
    )


def _failed(played: PlayedRounds, scan: Scan, photo: PhotoChoice, note: str) -> Report:
    if photo == "table":
        detail = "nothing was read of this photo: send it as it is, or none"
        raise Problem(409, "not_ready", detail)
    return Report(
        version=__version__,
        game=scan.game or "",
        deck=scan.deck,
        photo=photo,
        photos=() if photo == "none" else _originals(played, scan),
        told={"error": {"code": scan.error_code, "detail": scan.error}},
        note=note,
    )


def _photos(played: PlayedRounds, scan: Scan, choice: PhotoChoice) -> tuple[bytes, ...]:
    if choice == "none":
        return ()
    if choice == "as_is":
        return _originals(played, scan)
    image = decode_photo(played.objects.read(scan.photo)).image
    document = played.get(scan).document
    outlines = [one["corners_px"] for one in document.get("cards", ())]
    outlines += [one["outline_px"] for one in document.get("pieces", ())]
    return (encode_image(hide_outside(image, outlines), ".jpg", _QUALITY),)


def _originals(played: PlayedRounds, scan: Scan) -> tuple[bytes, ...]:
    """Return the photos pixel for pixel, without what tells where and with what they were taken."""
    more = [one.photo for one in played.records.photos.list(scan.id)]
    return tuple(_clean(played.objects.read(key)) for key in (scan.photo, *more))


def _clean(photo: bytes) -> bytes:
    """Return a photo without metadata; what is no JPEG is written again, as a PNG."""
    stripped = strip_jpeg(photo)
    return encode_image(decode_photo(photo).image, ".png") if stripped is None else stripped

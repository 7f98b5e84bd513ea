"""Posteriors by amplitude, of likely faces. Separate from ``face_comparers``, which compare all."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from vision.seeing.cards.posterior import (
    FaceComparison,
    PosteriorSettings,
    amplitude_leads,
    face_posterior,
)
from vision.seeing.recognition.fine_matching import (
    MARGIN,
    FineMatchFace,
    compare_amplitudes,
    fine_match_face,
    fine_match_grid,
)
from vision.seeing.recognition.picture_faces import CellGrid, PictureIndex
from vision.seeing.values import FaceMatch
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray

__all__ = ["REMEMBERED", "SLACK", "FineComparer"]


# Which pictures a card is compared with by amplitude; correlations unless said.
SLACK = 0.25  # below the best: a card in poor light scores lower on its own face
_MOST = 5  # pictures so near the best
_PICTURES = 2  # of one face among them
_BESIDE = 2  # faces that the deck has most like each of the best two, compared too
_STEP = 0.4  # score that a lead of 1 by amplitude is told as
#: Of the brightness: what a face differs by from itself turned by half. Pictures of faces that
#: a half turn leaves alone reach 0.09, a 9 of spades has 0.115, other art 0.15 and more.
_SYMMETRIC = 0.09
#: The same from its mirror image, either way up: 0.022 at most of 54 faces of symmetric signs,
#: 0.045 and more of 227 others.
_MIRRORED = 0.03
REMEMBERED = 256  # pictures made ready for the next card and photo: 100 kB each


@dataclass(eq=False)
class FineComparer:
    """Compares cards with the few likeliest pictures of a deck and computes posteriors."""

    index: PictureIndex
    posterior: PosteriorSettings = field(default_factory=PosteriorSettings)

    def __post_init__(self) -> None:
        self.grid: CellGrid = fine_match_grid(self.index.bank)
        self.face: IntArray = self.index.bank.first_picture
        remember = lru_cache(maxsize=REMEMBERED)
        # of a picture: on the grid; whether a half turn, or a mirror, leaves it as it is
        self.fine_face = remember(self._fine_face)
        self.is_symmetric = remember(self._is_symmetric)
        self.is_own_mirror_image = remember(self._is_own_mirror_image)

    def weigh(
        self,
        colours: ImageBGR,
        coarse: FloatArray,
        fine: FloatArray,
        visible: BoolArray,
    ) -> list[FaceMatch]:
        """Return the match of each card: its scores, ordered by amplitude, and its posterior.

        Of several pictures of a face only the best counts.

        Parameters
        ----------
        colours : (N, G, 3) uint8
            Their tones on the grid.
        coarse, fine : (N, K, 2) float64
            How they compare with each picture, upright and turned by half, at two looks; of the
            second -1 where that was not worth it.
        visible : (N, G) bool
            Which cells no card hides that lies on it: the others tell nothing.
        """
        matches = []
        for seen, rough, scores, shows in zip(colours, coarse, fine, visible, strict=True):
            best = scores.max(axis=1)
            if best.max() <= -1:
                matches.append(FaceMatch(scores, posterior=np.zeros(len(scores))))
                continue
            which = self.choose(best)
            turn = np.where(best[:, None] > -1, scores, rough).argmax(axis=1)
            pictures = [self.fine_face(k) for k in which.tolist()]
            turned = np.asarray(turn[which] == 1, np.bool_)
            match = compare_amplitudes(seen, pictures, turned, self.grid.where(shows))
            unsure = self.index.bank.unsure[which]
            compared = FaceComparison(best, self.face, which, match, unsure)
            matches.append(self._match(scores, turn, compared))
        return matches

    def _fine_face(self, picture: int) -> FineMatchFace:
        """Sample a picture on the comparison grid."""
        return fine_match_face(np.asarray(self.index.bank.images[picture]), self.grid)

    def _is_symmetric(self, picture: int) -> bool:
        """Return whether half a turn leaves a picture unchanged, by amplitude."""
        face = self.fine_face(picture)
        return self._apart(face, face, is_turned=True) < _SYMMETRIC

    def _is_own_mirror_image(self, picture: int) -> bool:
        """Return whether a picture equals its mirror image, either way up, by amplitude."""
        face = self.fine_face(picture)
        image = np.ascontiguousarray(np.asarray(self.index.bank.images[picture])[:, ::-1])
        mirrored = fine_match_face(image, self.grid)
        apart = (self._apart(face, mirrored, is_turned=turned) for turned in (False, True))
        return min(apart) < _MIRRORED

    def _apart(self, face: FineMatchFace, other: FineMatchFace, *, is_turned: bool) -> float:
        """Return the amplitude difference of two pictures where they differ, of the brightness."""
        m = MARGIN
        tones = 255.0 * face.tones[m:-m, m:-m].reshape(-1, 3).astype(np.float64)
        turned = np.array([False, is_turned])
        match = compare_amplitudes(tones, [face, other], turned, self.grid)
        return float(np.sqrt(match.misfit[1, 0]))

    def choose(self, scores: FloatArray) -> IntArray:
        """Return the pictures (F,) to compare with a card of these scores (K,).

        These are the best ones and those most similar to the best two.
        """
        chosen = list[int]()
        order = np.argsort(-scores, kind="stable")
        within = scores[order] > max(float(scores.max()) - SLACK, -1.0)
        for k in order[within].tolist():
            held = sum(self.face[other] == self.face[k] for other in chosen)
            if len(chosen) < _MOST and held < _PICTURES:
                chosen.append(k)
        whole = self.index.whole.vectors
        for k in chosen[:2]:
            similarity = (whole @ whole[k]).reshape(2, -1).max(axis=0)
            similarity[self.face == self.face[k]] = -np.inf
            likest = np.argsort(-similarity, kind="stable")[:_BESIDE]
            beside = likest[np.isfinite(similarity[likest])].tolist()
            chosen += [other for other in beside if other not in chosen]
        return np.array(chosen, np.int64)

    def _match(self, scores: FloatArray, turn: IntArray, compared: FaceComparison) -> FaceMatch:
        """Return the match of a card with scores (K, 2), half turned for some pictures (K,)."""
        faces, leads = amplitude_leads(compared, self.posterior)
        posterior = face_posterior(compared, self.posterior, (faces, leads))
        first = int(posterior[faces].argmax())
        ranked, top = scores.copy(), float(scores.max())
        for k, lead in zip(faces.tolist(), leads[first].tolist(), strict=True):
            own = compared.near[self.face[compared.near] == k]
            best = int(own[scores[own].max(axis=1).argmax()])
            other = float(scores[best, 1 - turn[best]])
            ranked[self.face == k] = -1.0
            ranked[best, turn[best]] = top - _STEP * max(lead, 0.0)
            ranked[best, 1 - turn[best]] = min(other, ranked[best, turn[best]])
        likeliest = compared.face[compared.near] == faces[first]
        similarity = float(compared.amplitude.similarity[likeliest].max())
        return FaceMatch(ranked, posterior=posterior, registered_score=similarity)

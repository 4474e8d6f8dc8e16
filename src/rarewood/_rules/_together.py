"""What a list of rules is worth as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from rarewood._terminal import shown
from rarewood._wording import share_in_words


@dataclass(frozen=True)
class Together:
    """Joint precision and recall of a list of rules.

    Parameters
    ----------
    n_rare, n_rows : int
        Number of rare rows and of all rows in the training table.
    training_rare, training_rows : int
        Rare rows and all rows of the training table for which at least one rule holds. Optimistic, because the rules
        were chosen on these rows.
    unseen_rare, unseen_rows : int
        The same for lists found in the same way on parts of the rows, counted on the rows left out.
    held_out_rare, held_out_rows, held_out_all_rare : int or None
        The same for these rules on held-out rows, and the number of all rare rows there; None without held-out rows.
    """

    n_rare: int
    n_rows: int
    training_rare: int
    training_rows: int
    unseen_rare: int
    unseen_rows: int
    held_out_rare: int | None = None
    held_out_rows: int | None = None
    held_out_all_rare: int | None = None

    @property
    def precision(self) -> float:
        """Share of rare rows among those for which a rule holds, on rows left out; NaN if no rule holds for any row."""
        return self.unseen_rare / self.unseen_rows if self.unseen_rows else float("nan")

    @property
    def recall(self) -> float:
        """Share of the rare rows for which a rule holds, on rows left out."""
        return self.unseen_rare / self.n_rare if self.n_rare else float("nan")

    @shown
    def __str__(self) -> str:
        text = (
            f"Together: {share_in_words(self.recall)} of the rare rows found with a precision of "
            f"{share_in_words(self.precision)}, {share_in_words(1 - self.recall)} not found (lists found in the same way, on rows "
            "they had not seen)"
        )
        if self.held_out_rare is None:
            return text
        return (
            f"{text}\nHeld out: {self.held_out_rare} of {self.held_out_all_rare} rare rows found; "
            f"{self.held_out_rare} of the {self.held_out_rows} rows found are rare"
        )

"""Messages that `make fuzz-core` found: refused with words, whatever they claim to hold."""

import pytest

from rarewood import _core

CLAIMS = {
    "more candidates than memory, and no counts of them": "0105f0f0f0f0f0f0f00102010001010000",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_answers(claim):
    with pytest.raises(ValueError, match="counts do not fit"):
        _core.sum_of_answers([bytes.fromhex(CLAIMS[claim])])

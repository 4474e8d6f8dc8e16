"""A year that changes when it says."""

import numpy as np
import pytest

from rarewood.datasets import make_payment_year


def test_the_share_moves_and_a_new_kind_comes():
    year = make_payment_year(60_000, random_state=1)
    assert len(year.X) == len(year.y) == 60_000
    assert (np.diff(year.times) >= np.timedelta64(0)).all()
    shares = [year.in_months(month, month).y.mean() for month in range(1, 13)]
    assert np.mean(shares[:4]) == pytest.approx(0.02, abs=0.003)
    assert np.mean(shares[4:]) == pytest.approx(0.05, abs=0.004)
    late = year.in_months(9, 12)
    assert np.mean(late.kinds[late.y == 1] == "account") == pytest.approx(0.5, abs=0.05)
    again = make_payment_year(60_000, random_state=1)
    assert again.X.equals(year.X)
    with pytest.raises(ValueError, match="share"):
        make_payment_year(100, share=2.0)

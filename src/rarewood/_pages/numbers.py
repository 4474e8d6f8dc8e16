"""Numbers as pages write them; the script of a report writes them in the same way."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from rarewood._wording import share_decimals

_NONE = "–"


def decimal_in_words(value: float | None, decimals: int = 3) -> str:
    """A number with so many digits after the point, halves rounded up as JavaScript's toFixed does."""
    if value is None:
        return _NONE
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{rounded or abs(rounded):,}".replace("-", "\u2212")  # no minus before zero


def signed_in_words(value: float, decimals: int = 3) -> str:
    """A difference: with its sign, unless it is 0 to so many digits."""
    rounded = decimal_in_words(abs(value), decimals)
    sign = "" if not float(rounded.replace(",", "")) else "+" if value > 0 else "−"
    return f"{sign}{rounded}"


def percent_in_words(value: float | None, decimals: int = 1) -> str:
    """A share in percent, which no end of a line tears apart."""
    return _NONE if value is None else f"{decimal_in_words(100 * value, decimals)}\u00a0%"


def share_on_page(value: float | None) -> str:
    """The share of a rule, with as many decimals as in texts."""
    return percent_in_words(value, 0 if value is None else share_decimals(value))


def count_in_words(value: float | None) -> str:
    """A count, or a weighted one with a decimal."""
    if value is None:
        return _NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def money_in_words(value: float) -> str:
    """A cost: whole, or with two decimals."""
    return decimal_in_words(value, 0 if float(value).is_integer() else 2)


def plain_in_words(value: float) -> str:
    """A number as an input field takes it, but for the noise of adding up."""
    return str(int(value)) if float(value).is_integer() else f"{value:.12g}"


def number_in_words(value: float) -> str:
    """A count that may be an expected one: whole, or with a decimal."""
    return decimal_in_words(value, 0 if abs(value - round(value)) < 0.05 else 1)


def bytes_in_words(size: int) -> str:
    """The size of a file."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def sentence_of(clause: str) -> str:
    """A clause with a capital letter in front and a full stop at its end."""
    return clause[:1].upper() + clause[1:].rstrip(".") + "."


def threshold_in_words(value: float) -> str:
    """A threshold with four decimals, or with two digits where these would be too few."""
    if value == 0 or abs(value) >= 0.001:
        return decimal_in_words(value, 4)
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"

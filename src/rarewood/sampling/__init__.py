"""Rows in, rows out: samplers with imbalanced-learn's interface."""

__all__: list[str] = []

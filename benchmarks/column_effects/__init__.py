"""Step functions of columns and pairs that are added to the log-odds of a forest; a trial, see docs/decisions/0005-column-effects.md."""

"""Short lists of rules that hold: found on shallow trees, judged on rows that took no part in finding them."""

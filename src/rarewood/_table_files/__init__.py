"""Files of tables: what they are (`formats`), how they are opened (`sources`), and what they hold (`reading`)."""

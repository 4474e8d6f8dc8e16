"""Tables: `Columns`, the one noun for what is known of their columns, and reading them from what a caller passed.

Files of tables are read by `rarewood._table_files`.
"""

from rarewood._tables._column_parts import ColumnPart, describe_part, merge_parts
from rarewood._tables._columns import Columns
from rarewood._tables._factors import in_order
from rarewood._tables._nominal import nominal_columns
from rarewood._tables._reading import check_names, read_table
from rarewood._tables._sources import Column, Table
from rarewood._tables.rows import LabelledRows, Rows, renumbered, take_rows

__all__ = [
    "Column",
    "ColumnPart",
    "Columns",
    "LabelledRows",
    "Rows",
    "Table",
    "check_names",
    "describe_part",
    "in_order",
    "merge_parts",
    "nominal_columns",
    "read_table",
    "renumbered",
    "take_rows",
]

"""What earlier versions of other libraries hold or make of a table, where tests would expect another thing."""

import pandas as pd
from packaging.version import Version

EARLY_PANDAS = Version(pd.__version__) < Version("3")
"""Whether categories that are no plain text or numbers become other values, or cannot be read."""

"""A table made to break pages and terminals: names that are code, and one that no line can hold."""

import numpy as np
import pandas as pd

HOSTILE = '</script><script>document.title="taken over"</script><img src=x onerror=alert(1)>'


def hostile_table(seed):
    rng = np.random.default_rng(seed)
    fraud = rng.random(600) < 0.1
    frame = pd.DataFrame(
        {
            HOSTILE: fraud + 0.1 * rng.random(600),
            "a & b": rng.normal(size=600) + fraud,
            "kind": pd.Categorical(rng.choice([HOSTILE, "<b>", "it's"], 600)),
            "same": 1.0,
            "sehr_langer_spaltenname_ohne_luecken_" * 4: rng.random(600),
        }
    )
    return frame, np.where(fraud, "<rare> & 'quoted'", "ok")

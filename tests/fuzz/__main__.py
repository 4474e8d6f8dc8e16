"""python -m fuzz [CAMPAIGN ...] [--seconds 60] [--cases N] [--seed S]: campaigns, their counts, and failing cases as tests."""

import argparse
import collections
import secrets
import sys
import time
import traceback
from pathlib import Path

from fuzz import CAMPAIGNS, load, summary_of

TELL_EVERY = 60.0  # seconds
TEST = '''"""Found by `make fuzz`."""

from fuzz import load


def test_{campaign}_{seed}():
    load("{campaign}")({seed})
'''


def run(campaign, first, seconds, cases, folder):
    """Run cases until time or number is up, or Ctrl-C; the number of failures."""
    case, outcomes, failures, stopped = load(campaign), collections.Counter(), 0, False
    start = time.monotonic()
    print(f"{campaign}: seeds from {first}", flush=True)
    done, told = 0, start
    while done < cases and time.monotonic() - start < seconds and not stopped:
        seed = first + done
        if time.monotonic() - told > TELL_EVERY:
            told = time.monotonic()
            print(f"{campaign}: {done} cases, {failures} failures so far", flush=True)
        done += 1
        try:
            outcomes[case(seed)] += 1
        except KeyboardInterrupt:
            done, stopped = done - 1, True
        except Exception:
            failures += 1
            path = folder / f"test_{campaign}_{seed}.py"
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(TEST.format(campaign=campaign, seed=seed))
            print(f"{campaign}: seed {seed} fails, see {path}\n{traceback.format_exc(limit=-3)}", flush=True)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    print(f"{campaign}: {done} cases in {time.monotonic() - start:.0f} s, {failures} failures; {counts}", flush=True)
    summary, more_failures = summary_of(campaign)
    if summary:
        print(f"{campaign}: {summary}", flush=True)
    if stopped:
        raise SystemExit(130)
    return failures + more_failures


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("campaigns", nargs="*", help=", ".join(CAMPAIGNS))
    parser.add_argument("--seconds", type=float, default=60.0, help="per campaign")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="per campaign")
    parser.add_argument("--seed", type=int, default=None, help="of the first case; otherwise drawn and printed")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for failing cases")
    given = parser.parse_args()
    first = secrets.randbelow(2**32) if given.seed is None else given.seed
    names = given.campaigns or list(CAMPAIGNS)
    failures = sum(run(name, first, given.seconds, given.cases, given.folder) for name in names)
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""``make fuzz``: many damaged files a reader, each held to its time and memory.

    python -m tests.fuzz.run 10000 events packages

Each case runs in a child of its own, and may take 10 s of processor time and, above what the child
has before, the memory that the budget of its file allows. What exceeds either ends the child alone.
Prints a table of Markdown; ends with 1 if anything but our own errors came out.
"""

import os
import resource
import signal
import sys
from collections import Counter

from fpanon_core.model.budgets import Budget

BUDGET = Budget(1 << 16).memory_bytes
LIMIT_S = 10
"""Of processor time, a case."""
_STUCK_S = 300
_SLACK = 1 << 30
"""Address space that allocators and threads reserve and do not use."""
_OUTCOMES = ("read", "refused", "other")


def main(arguments):
    from tests.fuzz.readers import READERS

    cases = int(arguments[0]) if arguments else 10_000
    print("| reader | cases | read | refused | other exceptions | slowest, s | most memory, MB |")
    print("|---|---|---|---|---|---|---|")
    failed = sum(_tried(name.replace("_", " "), cases) for name in arguments[1:] or READERS)
    return 1 if failed else 0


def _tried(name, cases):
    """Run a reader's cases, and print its line; how many came to what they should not."""
    from tests.fuzz.readers import case

    outcomes, slowest, most = Counter(), (0.0, -1), (0, -1)
    _outcome(case(name, 0))  # imports and caches are not the case's
    _, _, base = _in_a_child(lambda: None)
    for number in range(cases):
        outcome, seconds, peak = _in_a_child(case(name, number))
        outcome = "other" if peak - base > BUDGET else outcome
        outcomes[outcome] += 1
        slowest, most = max(slowest, (seconds, number)), max(most, (peak - base, number))
        if outcome == "other":
            print(f"- {name} {number}", file=sys.stderr)
    counts = " | ".join(f"{outcomes[each]:,}" for each in _OUTCOMES)
    print(
        f"| {name} | {cases:,} | {counts} | {slowest[0]:.2f} (#{slowest[1]}) | "
        f"{most[0] / 2**20:.0f} (#{most[1]}) |",
        flush=True,
    )
    return outcomes["other"]


def _in_a_child(attempt):
    """What an attempt comes to, the processor time it takes, and all the memory of its process."""
    child = os.fork()
    if child == 0:
        with open("/proc/self/statm") as pages:
            held = int(pages.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + BUDGET + _SLACK, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        signal.alarm(_STUCK_S)
        os._exit(_OUTCOMES.index(_outcome(attempt)))
    _, status, used = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status)  # below 0: by a signal
    outcome = _OUTCOMES[ended] if 0 <= ended < len(_OUTCOMES) else "other"
    return outcome, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def _outcome(attempt):
    from fpanon_core.model.errors import FpanonError, OutOfMemory, Unforeseen

    try:
        attempt()
    except (Unforeseen, OutOfMemory) as fault:
        print(fault, file=sys.stderr)
    except FpanonError:
        return "refused"
    except Exception as fault:
        print(repr(fault)[:300], file=sys.stderr)
    else:
        return "read"
    return "other"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

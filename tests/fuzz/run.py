"""``make fuzz``: many damaged files a reader, each held to its time and memory.

    python -m tests.fuzz.run 10000 events packages

Each reader runs in a child of its own, whose every case may take 10 s of processor time and, above
what the child has before, the memory that the budget of its file allows. What exceeds either ends
the child; the case is noted, and another child goes on behind it. Prints a table of Markdown; ends
with 1 if anything but our own errors came out.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter

LIMIT_S = 10.0
"""Of processor time, a case."""
_STUCK_S = 300
_SLACK = 1 << 30
"""Address space that allocators and threads reserve and do not use."""


def main(arguments):
    from tests.fuzz.readers import READERS

    cases = int(arguments[0]) if arguments else 10_000
    print("| reader | cases | read | refused | other exceptions | slowest, s | most memory, MB |")
    print("|---|---|---|---|---|---|---|")
    failed = []
    for name in arguments[1:] or READERS:
        told = _tried(name.replace("_", " "), cases)
        failed += told
    for line in failed:
        print(f"- {line}")
    return 1 if failed else 0


def _tried(name, cases):
    """Run a reader's cases, and print its line; what came out that should not."""
    outcomes, faults, slowest, most = Counter(), [], (0.0, -1), (0, -1)
    first = 0
    while first < cases:
        command = [sys.executable, "-m", "tests.fuzz.run", "--child", name, str(first), str(cases)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                told = json.loads(line)
                first = told["number"] + 1
                outcomes[told["outcome"]] += 1
                slowest = max(slowest, (told["seconds"], told["number"]))
                most = max(most, (told["peak"], told["number"]))
                if told["outcome"] == "other":
                    faults.append(f"{name} {told['number']}: {told['fault']}")
        if child.returncode:  # in the middle of a case
            how = f"signal {-child.returncode}" if child.returncode < 0 else "its own exit"
            faults.append(f"{name} {first}: the child ended by {how}")
            outcomes["other"] += 1
            first += 1
    print(
        f"| {name} | {cases:,} | {outcomes['read']:,} | {outcomes['refused']:,} | "
        f"{outcomes['other']:,} | {slowest[0]:.2f} (#{slowest[1]}) | "
        f"{most[0] / 2**20:.0f} (#{most[1]}) |",
        flush=True,
    )
    return faults


# --- in the child --------------------------------------------------------------------------------


def _child(name, first, last):
    from fpanon_core.model.budgets import Budget
    from tests.fuzz.readers import case

    _one(case(name, first))  # imports and caches are not the case's
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for number in range(first, last):
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        attempt = case(name, number)
        base = _memory("VmRSS")
        with open("/proc/self/clear_refs", "w") as marks:
            marks.write("5")  # the peak is from here on
        room = _memory("VmSize") + Budget(1 << 16).memory_bytes + _SLACK
        resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        signal.alarm(_STUCK_S)
        began = time.process_time()
        outcome, fault = _one(attempt)
        seconds = time.process_time() - began
        signal.setitimer(signal.ITIMER_PROF, 0)
        peak = max(_memory("VmHWM") - base, 0)
        if peak > Budget(1 << 16).memory_bytes:
            outcome, fault = "other", "more memory than its budget"
        told = {"number": number, "outcome": outcome, "fault": fault}
        print(json.dumps(told | {"seconds": seconds, "peak": peak}), flush=True)
    os._exit(0)


def _one(attempt):
    from fpanon_core.model.errors import FpanonError, OutOfMemory, Unforeseen

    try:
        attempt()
    except (Unforeseen, OutOfMemory) as fault:
        return "other", str(fault)
    except FpanonError:
        return "refused", ""
    except Exception as fault:
        return "other", repr(fault)[:300]
    return "read", ""


def _memory(what):
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith(what + ":"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    sys.exit(main(sys.argv[1:]))

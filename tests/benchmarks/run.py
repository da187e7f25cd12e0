"""``make bench``: speed as ratios measured side by side in one run, and peak memory.

Each case runs in a process of its own, so that its peak memory is its own. Prints Markdown;
figures worth keeping go to RESULTS.md with the machine and date. ``python -m
tests.benchmarks.run kgap_5000 reading`` runs some cases, ``--list`` names them.
"""

import json
import os
import platform
import subprocess
import sys
from datetime import date
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent
CASES = {
    name: case
    for path in sorted(FOLDER.glob("*.py"))
    if path.stem != "run" and "\nCASES = " in path.read_text(encoding="utf-8")
    for name, case in import_module(f"tests.benchmarks.{path.stem}").CASES.items()
}
# Long cases run only when named.
BY_DEFAULT = (
    "kgap_5000_k10",
    "kgap_20000_k2",
    "kgap_dense",
    "reading_5m",
    "glove_20000_k2",
    "unicity_100000",
    "disclosure_100000",
    "disclosure_coarse",
    "options_trade",
    "recovery_1300",
    "link_20000_noise",
)


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(CASES))
        return
    if len(arguments) == 2 and arguments[0] == "--one":
        print(json.dumps(CASES[arguments[1]]()))
        return
    unknown = [a for a in arguments if a not in CASES]
    if unknown:
        sys.exit(f"No case named {', '.join(unknown)}; --list names them.")
    print(f"\n{date.today()}, {_machine()}\n")
    for name in arguments or BY_DEFAULT:
        command = [sys.executable, "-m", "tests.benchmarks.run", "--one", name]
        out = subprocess.run(command, capture_output=True, text=True, check=False)
        if out.returncode:
            print(f"- **{name}**: failed\n{out.stderr}")
            continue
        figures = json.loads(out.stdout.strip().splitlines()[-1])
        print(f"- **{name}**: " + "; ".join(f"{k} {v}" for k, v in figures.items()), flush=True)


def _machine():
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            model = next((x.split(":")[1].strip() for x in lines if "model name" in x), model)
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}"


if __name__ == "__main__":
    main(sys.argv[1:])

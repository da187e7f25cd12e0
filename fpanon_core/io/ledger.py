"""Ledger of the ε spent on one data set: an append-only file next to the data.

The values of ε add up over everything that is published about the same people. A ledger counts the
releases of one file alone; :func:`spent_at` also says what other ledgers hold, since they may be
about the same people.

Each private release is a line of JSON. Lines are chained by digests under the user's own key
(HMAC-SHA256), so that an edited, removed or inserted line is detected. The last digest is also
stored among the user's own files, if these can be written. So an older copy of the ledger, put back
to start over, is detected as well.

A line is written to the disk before anything is published. An incomplete line from a killed process
does not count as a release. The next charge removes it.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import math
import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ..model.checks import positive
from ..model.errors import ConfigError, FpanonError, InfeasibleError, SchemaError
from ..model.files import sealed, state_folder
from ..tables.writing import write_bytes

_USE = b"fpanon ledger"
_ROUNDING = 1e-9
_FIELDS = ("time", "what", "epsilon", "budget", "reason")
SUFFIX = ".ledger"


class Spent(NamedTuple):
    """The ε of the private releases of a file, and what other ledgers hold; NaN if not known.

    Attributes
    ----------
    here : float
        Sum of the ε in the ledger of the file.
    ledgers : int
        Number of other ledgers with releases; they may be about the same people.
    elsewhere : float
        Sum of the ε in the other ledgers.
    shared : float
        Sum of the ε in those other ledgers that are known to be about some of the file's people.
    """

    here: float = 0.0
    ledgers: int = 0
    elsewhere: float = 0.0
    shared: float = 0.0


NOTHING_SPENT = Spent()


def spent_at(path: Path, shared: Collection[Path] = (), *, own: bool = True) -> Spent:
    """Return the ε in a ledger, and in others in its folder or among the user's own files.

    Only files whose names end in :data:`SUFFIX` are found. No link is followed. What cannot be
    read is NaN; nothing is raised.

    Parameters
    ----------
    path : Path
        Ledger of the file; it need not exist.
    shared : collection of Path
        Other ledgers, wherever they are, that are known to be about some of the same people.
    own : bool
        Whether to count the ledgers among the user's own files, which several officers may share.
    """
    try:
        folders = {path.parent.resolve(), ledgers_folder().resolve()}
        folders -= set() if own else {ledgers_folder().resolve()}
        near = {each for one in folders for each in one.glob(f"*{SUFFIX}") if not each.is_symlink()}
        known = {_unlinked(each) for each in shared} - {_unlinked(path)}
        others = near - {_unlinked(path)} | known
    except (OSError, RuntimeError):
        return Spent(_held(path), 0, math.nan, math.nan)
    held = {each: spent for each in others if (spent := _held(each))}
    of_known = sum(spent for each, spent in held.items() if each in known)
    return Spent(_held(path), len(held), sum(held.values()), of_known)


def _unlinked(path: Path) -> Path:
    """Return a path without links in its folders; a link in the file's place is not followed."""
    return path.parent.resolve() / path.name


def _held(path: Path) -> float:
    try:
        return Ledger(path).spent if path.is_file() else 0.0
    except (FpanonError, OSError, RuntimeError):
        return math.nan


class Ledger:
    """Ledger of the ε spent on one data set.

    Parameters
    ----------
    path : path
        Path of the file, made at the first release and readable by its owner alone. The totals
        of other files include this ledger only if its name ends in ``.ledger``.
    budget : float, optional
        Largest ε that may be spent; stored in the file with each release. If None, the budget
        stored last applies.

    Raises
    ------
    ConfigError
        The budget is neither None nor a positive number, or the file cannot be opened.
    SchemaError
        The file was altered, is an older copy, or was written by another user.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder, "records.csv.ledger"), budget=2)
    ...     ledger.charge(1.5, "presence")
    ...     ledger.spent, ledger.left
    (1.5, 0.5)
    """

    def __init__(self, path: str | os.PathLike[str], *, budget: float | None = None) -> None:
        self.path = Path(path)
        if budget is not None:
            positive("budget", budget)
        self._stated = budget
        self._lines()

    @property
    def spent(self) -> float:
        """Sum of the ε of all releases in the ledger."""
        return float(sum(line["epsilon"] for line in self._lines()))

    @property
    def budget(self) -> float | None:
        """Largest ε that may be spent; None if no budget was stated."""
        return self._budget(self._lines())

    @property
    def left(self) -> float | None:
        """Remaining ε of the budget, never below 0; None without a budget."""
        return None if self.budget is None else max(0.0, self.budget - self.spent)

    def spend(self, release: Any, *, reason: str | None = None) -> None:
        """Record the ε of a private release as spent, before the release is published.

        Parameters
        ----------
        release : CountTables, SyntheticPeople, ReleaseOption or anything with ``epsilon``
        reason : str, optional
            Reason for exceeding the budget; the ledger records it.

        Raises
        ------
        ConfigError
            The release has no ε, or the ledger cannot be written.
        InfeasibleError
            The release would exceed the budget, and no reason is given. Nothing is recorded.
        """
        option = getattr(release, "option", release)
        option = getattr(option, "recordless", None) or option
        epsilon = getattr(option, "epsilon", None)
        if epsilon is None:
            raise ConfigError("Only a release with an ε is charged; this one has none.")
        self.charge(float(epsilon), str(option), reason=reason)

    def charge(self, epsilon: float, what: str, *, reason: str | None = None) -> None:
        """Record ``epsilon`` as spent on the release that ``what`` names; see :meth:`spend`.

        Raises
        ------
        ConfigError
            ``epsilon`` is not a positive number, or the ledger cannot be written.
        InfeasibleError
            The budget would be exceeded, and no reason is given. Nothing is recorded.
        """
        positive("epsilon", epsilon)
        why = (reason or "").strip() or None
        with self._locked() as file:
            lines, end = self._read(file)
            spent = sum(line["epsilon"] for line in lines)
            budget = self._budget(lines)
            if budget is not None and spent + epsilon > budget * (1 + _ROUNDING) and why is None:
                raise InfeasibleError(
                    f"ε = {epsilon:g} would bring the total to {spent + epsilon:g}, past the "
                    f"budget of {budget:g}. Choose a smaller ε, or give a reason to override the "
                    "budget."
                )
            now = dt.datetime.now(dt.UTC).isoformat("T", "seconds")
            told = now, what, epsilon, budget, why
            line: dict[str, Any] = dict(zip(_FIELDS, told, strict=True))
            line["ledger"] = lines[0]["ledger"] if lines else secrets.token_hex(16)
            line["chain"] = _chained(lines[-1]["chain"] if lines else "", line)
            os.ftruncate(file, end)  # what a killed process left of a line
            written = json.dumps(line, ensure_ascii=True).encode() + b"\n"
            if os.write(file, written) != len(written):
                os.ftruncate(file, end)
                raise ConfigError("The ledger cannot be written: no space is left.")
            os.fsync(file)
            _keep_head(line["ledger"], len(lines) + 1, line["chain"])

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each release.

        Columns: ``time``, ``what``, ``epsilon``, ``spent`` (cumulative ε), ``budget``, ``reason``.
        """
        frame = pd.DataFrame(self._lines(), columns=list(_FIELDS))
        frame.insert(3, "spent", frame["epsilon"].astype(float).cumsum())
        return frame

    def _budget(self, lines: list[dict[str, Any]]) -> float | None:
        if self._stated is not None:
            return self._stated
        stated = [line["budget"] for line in lines if line["budget"] is not None]
        return float(stated[-1]) if stated else None

    def _lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        with self._locked() as file:
            return self._read(file)[0]

    @contextmanager
    def _locked(self) -> Iterator[int]:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            file = os.open(self.path, flags, 0o600)
        except OSError as fault:
            raise ConfigError(f"The ledger cannot be opened ({fault.strerror}).") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _read(self, file: int) -> tuple[list[dict[str, Any]], int]:
        """Return the ledger's complete lines, and the position in bytes at which they end."""
        content = b"".join(iter(lambda: os.read(file, 1 << 20), b""))
        whole = content[: content.rfind(b"\n") + 1]
        lines: list[dict[str, Any]] = []
        for text in whole.splitlines():
            try:
                line = json.loads(text)
                due = _chained(lines[-1]["chain"] if lines else "", line)
                intact = line["chain"] == due and line["epsilon"] > 0
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                intact = False
            if not intact:
                raise SchemaError(
                    f"Line {len(lines) + 1} of the ledger was altered, or written by another user. "
                    "How much ε was spent cannot be determined; publish no private release until "
                    "the ledger is restored."
                )
            lines.append(line)
        if lines:
            _check_head(lines)
        return lines, len(whole)


def _chained(before: str, line: dict[str, Any]) -> str:
    plain = {name: value for name, value in line.items() if name != "chain"}
    content = json.dumps([before, plain], sort_keys=True, ensure_ascii=True)
    return sealed(_USE, content.encode()).hex()


def ledgers_folder() -> Path:
    """Return the folder among the user's own files for ledgers without a place beside the data."""
    return state_folder() / "ledgers"


def _keep_head(ledger: str, count: int, chain: str) -> None:
    """Store the length and the last digest of the ledger, to detect an older copy."""
    place = ledgers_folder() / f"{ledger}.json"
    with suppress(OSError, ConfigError):  # no place for the user's files: the chain alone protects
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        write_bytes(json.dumps([count, chain]).encode(), place)


def _check_head(lines: list[dict[str, Any]]) -> None:
    place = ledgers_folder() / f"{lines[0]['ledger']}.json"
    try:
        count, chain = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if len(lines) < count or lines[count - 1]["chain"] != chain:
        raise SchemaError(
            "This is an older copy of the ledger: releases that were charged are missing. Put the "
            "newest copy back; publish no private release until then."
        )

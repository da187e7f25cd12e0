"""Audit log of exports, opened data sets and overridden thresholds, for the server's operator.

The log has one line of JSON for each file exported, data set opened, and option chosen although its
risk is above a threshold. No line holds anything about a person in the data, or a file's name.
Exported content and data sets are identified by keyed digests (HMAC-SHA256, RFC 2104). With the key
and a file, the operator can say whether that file was exported. Without the key, nobody can test
guesses.
"""

from __future__ import annotations

import datetime as dt
import errno
import fcntl
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..model.errors import ConfigError

VARIABLE = "FPANON_AUDIT_LOG"
"""Environment variable that names the log file; there is no log without it."""
KEY_ENDING = ".key"

_KEY_BYTES = 32
_NOTHING_LEAVES = "Until this is put right, nothing can be opened or downloaded."
Setting = str | int | float | bool | None


@dataclass(frozen=True)
class AuditLog:
    """Audit log: a log file with its key file.

    Attributes
    ----------
    path : Path
        Path of the log. The key has the same name with ``.key`` appended. Both files are readable
        by their owner alone (0600), and are made if missing.
    """

    path: Path

    @property
    def key_path(self) -> Path:
        """Path of the key file."""
        return self.path.with_name(self.path.name + KEY_ENDING)

    def check(self) -> None:
        """Check that a line could be written now.

        Raises
        ------
        ConfigError
            No line could be written; the message says why.
        """
        self._key()  # this opens both files

    def note(
        self,
        event: Literal["opened", "exported", "overridden"],
        *,
        who: str,
        what: str,
        data: str = "",
        content: bytes | None = None,
        settings: Mapping[str, Setting] | None = None,
        now: dt.datetime | None = None,
    ) -> None:
        """Write a line and flush it to the disk.

        Parameters
        ----------
        event : {"opened", "exported", "overridden"}
        who : str
            The officer's name, or ``local``.
        what : str
            What was opened, exported or overridden, in the program's own words.
        data : str
            Digest of the data set concerned.
        content : bytes, optional
            Exported content.
        settings : mapping, optional
            Settings of the event, such as k and the release option.
        now : datetime, optional
            Time with a zone; the current time if not given.

        Raises
        ------
        ConfigError
            The line could not be written; the event must then not take place.
        """
        key = self._key()
        line: dict[str, object] = {
            "time": (now or dt.datetime.now(dt.UTC)).astimezone(dt.UTC).isoformat("T", "seconds"),
            "who": who,
            "event": event,
            "what": what,
            "data": keyed(key, data.encode()) if data else None,
        }
        if content is not None:
            line |= {"bytes": len(content), "content": keyed(key, content)}
        if settings:
            line["settings"] = dict(settings)
        self._append(json.dumps(line, ensure_ascii=True, allow_nan=False).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        with self._opened() as file:
            before = os.fstat(file).st_size
            try:
                if os.write(file, line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file)
            except OSError as fault:
                os.ftruncate(file, before)  # no partial line, to which the next would be added
                raise _unwritable(fault) from None

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Yield the open log file, locked against other writers."""
        file = _own(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _key(self) -> bytes:
        """Return the key; draw one if there is none."""
        with self._opened():  # two processes without a key must not both draw one
            file = _own(self.key_path, os.O_RDWR | os.O_APPEND)
            try:
                known = os.read(file, 3 * _KEY_BYTES).strip()
                if not known:
                    known = secrets.token_hex(_KEY_BYTES).encode()
                    os.write(file, known + b"\n")
                    os.fsync(file)
            except OSError as fault:
                raise _unwritable(fault) from None
            finally:
                os.close(file)
        if not re.fullmatch(rb"([0-9a-fA-F]{2}\s*){%d}" % _KEY_BYTES, known):
            raise ConfigError(
                f"The key of the audit log is not {2 * _KEY_BYTES} hexadecimal digits; put the "
                f"right key into its file, or remove the file to get a new key. {_NOTHING_LEAVES}"
            )
        return bytes.fromhex(known.decode())


def keyed(key: bytes, content: bytes) -> str:
    """Return the HMAC-SHA256 of the content under the key, in hexadecimal."""
    return hmac.digest(key, content, "sha256").hex()


def asked_for(environment: Mapping[str, str] = os.environ) -> AuditLog | None:
    """Return the log that the environment variable names; None if it is not set."""
    named = environment.get(VARIABLE)
    return None if named is None else AuditLog(Path(named))


def _own(path: Path, how: int) -> int:
    """Open a file that only this user may access, and make it if missing; never follow a link."""
    flags = how | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        file = os.open(path, flags, 0o600)
    except OSError as fault:
        raise _unwritable(fault) from None
    state = os.fstat(file)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
        os.close(file)
        raise ConfigError(
            "The audit log or its key does not belong to the user that runs the dashboard, or "
            "others can access the file. Set the owner and permissions (chmod 600). "
            f"{_NOTHING_LEAVES}"
        )
    return file


def _unwritable(fault: OSError) -> ConfigError:
    why = os.strerror(fault.errno) if fault.errno else type(fault).__name__
    return ConfigError(f"The audit log cannot be written ({why}). {_NOTHING_LEAVES}")

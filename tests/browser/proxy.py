"""The reverse proxy of docs/nginx.conf, in front of a dashboard on this machine."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

CONFIGURATION = Path(__file__).resolve().parents[2] / "docs" / "nginx.conf"
NAME = "localhost"
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
_MAIN = """daemon off;
worker_processes 1;
{user}
pid {folder}/pid;
error_log {folder}/errors;
events {{ }}
http {{
{temporary}
include {folder}/fpanon.conf;
}}
"""


@dataclass(frozen=True)
class Proxy:
    """Where it is reached, and where it keeps what it has to put down."""

    address: str
    folder: Path

    def put_down(self) -> list[str]:
        """Files it has written of what was handed through, also such as are gone again."""
        folders = [self.folder / name for name in _TEMPORARY]
        return [str(f) for each in folders if each.is_dir() for f in [*each.rglob("*")]]


@contextmanager
def running(folder: Path, port: int, dashboard: int) -> Iterator[Proxy]:
    """Nginx at a port, in front of the dashboard at the other; ended afterwards."""
    nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if nginx is None:
        pytest.fail("nginx is missing; install it: apt-get install nginx-light", pytrace=False)
    _certify(folder)
    (folder / "fpanon.conf").write_text(_adapted(folder, port, dashboard))
    temporary = "\n".join(f"{name}_temp_path {folder}/{name} 1;" for name in _TEMPORARY)
    user = "user root;" if os.geteuid() == 0 else ""
    main = folder / "nginx.conf"
    main.write_text(_MAIN.format(folder=folder, user=user, temporary=temporary))
    with (folder / "printed").open("wb") as printed:
        process = subprocess.Popen(
            [nginx, "-p", str(folder), "-c", str(main), "-e", str(folder / "errors")],
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
    try:
        for _ in range(300):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
                break
            told = (folder / "printed").read_text()
            assert process.poll() is None, told
            time.sleep(0.1)
        yield Proxy(f"https://{NAME}:{port}", folder)
    finally:
        process.terminate()
        process.wait(30)


def _adapted(folder: Path, port: int, dashboard: int) -> str:
    """The configuration that is shipped, with this machine's names, files and ports."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    for stands, here, times in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl", 2),
        ("server_name fpanon.example;", f"server_name {NAME};", 1),
        ("/etc/ssl/fpanon/fullchain.pem", f"{folder}/certificate.pem", 1),
        ("/etc/ssl/fpanon/key.pem", f"{folder}/key.pem", 1),
        ("http://127.0.0.1:8501;", f"http://127.0.0.1:{dashboard};", 1),
    ):
        assert text.count(stands) == times, stands
        text = text.replace(stands, here)
    return text


def _certify(folder: Path) -> None:
    """A certificate of this machine for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )

"""The image and the compose file: steps as in the Makefile, nobody is root, nothing is open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
STEPS = [
    re.sub(r"\s*\\\n\s*", " ", step)
    for step in re.findall(r"^RUN ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
]


@pytest.fixture(scope="module")
def services():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def test_steps_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (install,) = re.findall(r"^INSTALL = \$\(BIN\)/(.*)$", makefile, re.MULTILINE)
    (compiles,) = re.findall(
        r"^\t@\$\(BIN\)/(python -c .*compile_all\(\)\")$", makefile, re.MULTILINE
    )
    assert f"{install} -r requirements-cluster.txt" in STEPS
    assert compiles in STEPS
    (plain,) = [step for step in STEPS if step.endswith("--no-deps .")]
    assert "--require-hashes" in install
    assert plain.replace(" --no-deps .", "") == install.replace(" --require-hashes", "")


def test_the_image_is_not_run_as_root_and_holds_no_secret() -> None:
    users = re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE)
    assert users == ["fpanon"]
    assert DOCKERFILE.index("USER fpanon") < DOCKERFILE.index("compile_all")
    left_out = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".git", ".streamlit/secrets.toml"} <= set(left_out)


def test_services_cannot_write_and_only_the_proxy_is_reached(services) -> None:
    assert set(services) == {"dashboard", "proxy", "scheduler", "worker"}
    assert all(service["read_only"] for service in services.values())
    assert all(service["cap_drop"] == ["ALL"] for service in services.values())
    assert all(
        service["security_opt"] == ["no-new-privileges:true"] for service in services.values()
    )
    added = {name: service["cap_add"] for name, service in services.items() if "cap_add" in service}
    assert added == {"proxy": ["CHOWN", "NET_BIND_SERVICE", "SETGID", "SETUID"]}
    ours = [service for name, service in services.items() if name != "proxy"]
    assert all(service["image"] == "fpanon" for service in ours)
    open_ = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert open_ == {"dashboard": ["443:443"]}
    assert services["proxy"]["network_mode"] == "service:dashboard"
    for name in ("scheduler", "worker"):
        assert services[name]["networks"] == ["cluster"]


def test_images_are_of_one_version_each(services) -> None:
    (base,) = re.findall(r"^FROM (\S+)$", DOCKERFILE, re.MULTILINE)
    for image in (base, services["proxy"]["image"]):
        assert re.fullmatch(r"[a-z]+:\d+\.\d+\.\d+(-[a-z-]+)?(@sha256:[0-9a-f]{64})?", image)


def test_the_cluster_is_shut_off(services) -> None:
    yaml = pytest.importorskip("yaml")
    networks = yaml.safe_load((ROOT / "compose.yaml").read_text())["networks"]
    assert networks["cluster"] == {"internal": True}
    address = services["dashboard"]["environment"]["FPANON_SCHEDULER"]
    assert address in services["worker"]["command"]
    assert (
        services["worker"]["command"][services["worker"]["command"].index("--nthreads") + 1] == "1"
    )

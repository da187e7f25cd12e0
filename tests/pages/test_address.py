"""Settings by the address: asked for together they are taken together; nonsense is left."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fpanon_core.model.errors import ConfigError
from pages.shell import address


@dataclass(frozen=True)
class Night:
    """Settings of which two are checked against each other, as those of a study may be."""

    begins: int = 22
    ends: int = 6
    users: int = 100

    def __post_init__(self) -> None:
        if self.begins == self.ends:
            raise ConfigError("The night has no hours; let it end at another than it begins.")
        if self.users < 2:
            raise ConfigError("people must be 2 or more.")


NAMES = {"begins": "from", "ends": "to", "users": "people"}


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({}, Night()),
        ({"people": "9", "elsewhere": "3"}, Night(users=9)),
        ({"from": "6", "to": "10"}, Night(6, 10)),  # not one by one: from 6 to 6 is refused
        ({"from": "20", "to": "22"}, Night(20, 22)),
        ({"from": "6", "to": "22"}, Night(6, 22)),  # refused one by one in either order
        ({"from": "6", "to": "6"}, Night()),
        ({"from": "6", "to": "10", "people": "many"}, Night(6, 10)),
        ({"from": "20", "to": "late", "people": "9"}, Night(20, users=9)),
        ({"from": "20", "to": "5", "people": "1"}, Night(20, 5)),
    ],
)
def test_settings_that_are_checked_against_each_other(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], taken: Night
) -> None:
    monkeypatch.setattr(address, "remembered", lambda: asked)
    assert address.settings_asked(NAMES, Night()) == taken


def test_what_is_named_in_the_address_is_read_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for settings in (Night(), Night(6, 22), Night(6, 10, 2)):
        named = address.named(settings, NAMES, Night())
        monkeypatch.setattr(address, "remembered", lambda named=named: named)
        assert address.settings_asked(NAMES, Night()) == settings

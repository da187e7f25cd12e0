"""Every reader of what people bring, with valid files to begin from.

A case is a number: the same number is the same file, for ever, on every machine.
"""

import contextlib
import functools
import gzip
import hashlib
import io
import itertools
import json
import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from fpanon_core.anonymize.glove import glove
from fpanon_core.io.antennas import antennas_of, locate, read_antennas
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.geojson import read_background, read_regions
from fpanon_core.io.positions import centre_of
from fpanon_core.io.publishing import read_published
from fpanon_core.io.questionnaire import read_questionnaire
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import Glove, SampleUsers, as_option
from fpanon_core.model.profiles import GeneralizationProfile, Grid, parse_profile
from fpanon_core.studies import disclosure, hiding, options
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.reading import Source, peek
from fpanon_core.studies.study import Kept, Study, Weighing
from fpanon_core.studies.study_file import open_study, save
from fpanon_core.tables.writing import read_json
from fpanon_core.verification.release import verify_release
from tests.fuzz.mutations import mutated
from tests.support.releases import Release

_N = 30
_STUDY_MEMBERS = ("study.json", "arrays/00000.parquet", "manifest.json")
_EVENTS = pd.DataFrame(
    {
        "user": [f"0{i % 4}" for i in range(_N)],
        "time": [f"2024-03-0{1 + i % 5} 1{i % 10}:{i:02d}:00" for i in range(_N)],
        "lat": [14.7 + i / 1000 for i in range(_N)],
        "lon": [-17.4 - i / 1000 for i in range(_N)],
        "cell": [f"62-{i % 5}" for i in range(_N)],
    }
)
_SITES = pd.DataFrame(
    {
        "antenna": [f"62-{i}" for i in range(12)],
        "lat": [14.7 + i / 100 for i in range(12)],
        "lon": [-17.4 - i / 100 for i in range(12)],
        "district": ["Plateau", "Almadies", "Grand Dakar"] * 4,
        "since": pd.to_datetime(["2020-01-01"] * 12),
    }
)
_CELLS = _SITES[["lon", "lat"]].assign(
    radio="GSM", mcc=608, net=1, area=7, cell=range(12), unit=0, range=1000
)
_ANSWERS = pd.DataFrame(
    itertools.product("AB", ("transport", "epidemics"), ("1 km", "5 km", "as it is")),
    columns=["expert", "domain", "option"],
).assign(score=[7, 2.5, 10] * 4)


def _events(content):
    fs, report = read_cdr(io.BytesIO(content))
    assert report.rows_read == report.rows_used + sum(report.set_aside.values())
    assert fs.n_samples > 0


def _columns(content):
    peek(Source("file", file=("file", content)), progress=lambda _: None)


def _events_by_antenna(content):
    read_cdr(
        _EVENTS[["user", "time", "cell"]],
        columns={"user": "user", "time": "time", "antenna": "cell"},
        antennas=io.BytesIO(content),
    )


def _antennas(content):
    sites = read_antennas(io.BytesIO(content))
    centre = centre_of(sites["lat"].to_numpy(float), sites["lon"].to_numpy(float))
    antennas_of(sites, centre, 100.0, None, [])
    locate(["62-1", "608-1-7-3"], sites)


def _questionnaire(content):
    read_questionnaire(io.BytesIO(content), options=["1 km", "5 km"], domains=["transport"])


def _published(content):
    kind = ".parquet" if content[:4] == b"PAR1" else ".csv"
    with _file(content, kind) as path:
        read_published(path)


def _package(content):
    verify_release(content, _released()[0], 2)


def _beside(name, content):
    """A list of what was left out, or a key."""
    fs, release = _released()
    with _file(content, ".csv") as path:
        verify_release(release.zipped(), fs, 2, **{name: path})


def _options(content):
    with _file(content, ".json") as path:
        plain = read_json(path)
    try:
        [as_option(each) for each in plain] if isinstance(plain, list) else as_option(plain)
    except FpanonError:
        OptionsTable.from_dict(plain)


def _study(content):
    """As it is, and as each member of a study whose digests are made anew, as a forger would."""
    faults = []
    for made in (content, *(_with_member(name, content) for name in _STUDY_MEMBERS)):
        try:
            open_study(made)
            return
        except FpanonError as fault:
            faults.append(fault)
    raise faults[-1]


def _with_member(name, content):
    parts = dict(_study_members())
    about = json.loads(parts.pop("manifest.json"))
    parts[name] = content
    if name != "manifest.json":
        about["members"] |= {name: hashlib.sha256(content).hexdigest()}
        parts["manifest.json"] = json.dumps(about).encode()
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for each, part in parts.items():
            archive.writestr(zipfile.ZipInfo(each, (1980, 1, 1, 0, 0, 0)), part)
    return into.getvalue()


@functools.cache
def _study_members():
    with zipfile.ZipFile(io.BytesIO(_saved())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@functools.cache
def _saved():
    """A study with a release, what is learnt, and options weighed."""
    fs, _ = _released()
    profile = parse_profile("1 km · 30 min")
    asked = (
        ("glove", hiding, hiding.Config(k=2)),
        ("disclosure", disclosure, disclosure.Config(profiles=(profile,))),
        ("options", options, options.Config((as_option(profile),))),
    )
    answers = tuple(Kept(kind, fs.digest, c, of.study(fs, c)) for kind, of, c in asked)
    weighing = Weighing(answers[2].result, Limits(), None, "why")
    more = {"answers": answers, "weighing": weighing, "settings": {"options_p": 4}}
    return save(Study(fs.digest, fs.n_users, fs.n_samples, "own", **more))


@contextlib.contextmanager
def _file(content, ending):
    """A file of this content, while it is asked about."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{ending}"
        path.write_bytes(content)
        yield path


@functools.cache
def _released():
    """An original of twelve people, and a release of it that is in order."""
    rng = np.random.default_rng(5)
    fs = FingerprintSet.from_samples(
        [f"person-{i // 5}" for i in range(60)],
        rng.integers(0, 30, 60) * 500.0,
        rng.integers(0, 30, 60) * 500.0,
        rng.integers(0, 2_000, 60).astype(float),
    )
    random.seed(1)
    return fs, Release(fs, glove(fs, 2))


def _tables(*frames):
    """Each frame in every format."""
    seeds = []
    for frame in frames:
        text = frame.to_csv(index=False)
        parquet, sheet = io.BytesIO(), io.BytesIO()
        frame.to_parquet(parquet)
        frame.to_excel(sheet, index=False)
        plain = frame.assign(**{c: frame[c].astype(str) for c in frame if c in ("since", "time")})
        records = plain.to_json(orient="records")
        seeds += [
            text.encode(),
            frame.to_csv(index=False, sep=";", decimal=",").encode(),
            frame.to_csv(index=False, header=False).encode(),
            parquet.getvalue(),
            sheet.getvalue(),
            records.encode(),
            plain.to_json(orient="records", lines=True).encode(),
            gzip.compress(text.encode()),
        ]
    return seeds


@functools.cache
def _seeds(name):
    match name:
        case "events" | "columns":
            typed = _EVENTS.assign(time=pd.to_datetime(_EVENTS["time"], utc=True))
            return _tables(_EVENTS, typed.assign(time=typed["time"].dt.tz_localize(None)))
        case "antennas" | "events by antenna":
            return _tables(_SITES, _CELLS)
        case "questionnaire":
            return _tables(_ANSWERS)
        case "backgrounds" | "regions":
            road = [[2.1, 41.3], [2.2, 41.4], [2.3, 41.3]]
            line = {"type": "LineString", "coordinates": road}
            area = {"type": "MultiPolygon", "coordinates": [[[*road, road[0]]]]}
            features = [
                {"type": "Feature", "properties": {"name": shape["type"]}, "geometry": shape}
                for shape in (line, area)
            ]
            whole = {"type": "FeatureCollection", "features": features}
            several = {"type": "GeometryCollection", "geometries": [line, area]}
            return [json.dumps(each).encode() for each in (whole, several, *features)]
        case "options":
            some = [
                as_option(GeneralizationProfile(Grid(1000.0), 60)),
                as_option([SampleUsers(0.5), Glove(2)]),
            ]
            results = tuple(OptionResult(o, {"unicity": (0.5, 0.4, 0.6)}) for o in some)
            table = OptionsTable(
                results, "unicity", utility_choice("transport"), KnowledgeConfig(), "0"
            )
            plain = [[o.to_dict() for o in some], some[0].to_dict(), table.to_dict()]
            return [json.dumps(each).encode() for each in plain]
        case "study":
            return [_saved(), *(_study_members()[name] for name in _STUDY_MEMBERS)]
    fs, release = _released()
    table = Release(fs, glove(fs, 2), form="parquet")
    match name:
        case "releases":
            return [release.data(), table.data(), gzip.compress(release.data())]
        case "packages":
            return [release.zipped(), table.zipped()]
        case "lists":
            some = pd.DataFrame({"user_id": ["person-1"], "sample": [5], "reason": ["space"]})
            return [some.to_csv(index=False).encode()]
        case "keys":
            return [release.key.to_csv(index=False).encode()]
    raise KeyError(name)


READERS = {
    "events": _events,
    "columns": _columns,
    "antennas": _antennas,
    "events by antenna": _events_by_antenna,
    "questionnaire": _questionnaire,
    "releases": _published,
    "packages": _package,
    "lists": functools.partial(_beside, "left_out"),
    "keys": functools.partial(_beside, "key"),
    "options": _options,
    "backgrounds": read_background,
    "regions": read_regions,
    "study": _study,
}


def content_of(name: str, number: int) -> bytes:
    """The file of a case."""
    rng = random.Random(f"{name}:{number}")
    return mutated(rng, rng.choice(_seeds(name)))


def case(name: str, number: int) -> Callable[[], None]:
    """What reads the file of a case; the file is made already, for making it takes memory, too."""
    return functools.partial(READERS[name], content_of(name, number))


def run(name: str, number: int) -> None:
    """Read the file of a case."""
    case(name, number)()

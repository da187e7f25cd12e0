"""A kernel compiled from other sources is never taken from the cache."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
from numba.core import caching

from fpanon_core import kernels


def test_folder_is_named_by_the_contents_of_all_kernels(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "_HERE", tmp_path)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "b.py").write_text("y = 1")
    first = kernels._cache_folder()
    assert first == kernels._cache_folder()
    (tmp_path / "b.py").write_text("y = 2")
    assert kernels._cache_folder() != first
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert kernels._cache_folder().parent == tmp_path / "elsewhere"


def test_folder_of_somebody_else_is_left_alone(tmp_path, monkeypatch):
    """Where nothing can be written beside the kernels, they are kept among the user's files."""
    monkeypatch.setattr(kernels, "_HERE", tmp_path)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    (tmp_path / "a.py").write_text("x = 1")
    assert kernels._cache_folder().parent == tmp_path / "__pycache__"
    (tmp_path / "__pycache__").rmdir()
    (tmp_path / "__pycache__").touch()  # no folder: root, too, can write nothing into it
    assert kernels._cache_folder().parent == tmp_path / "mine" / "fpanon"
    (tmp_path / "mine" / "fpanon").rmdir()
    (tmp_path / "mine" / "fpanon").touch()
    passing = kernels._cache_folder().parent
    assert passing.is_dir()
    assert passing.stat().st_mode & 0o077 == 0
    assert tmp_path not in passing.parents
    passing.rmdir()


def test_numba_uses_it():
    from fpanon_core.kernels.kgap_search import search_tile

    assert Path(numba.config.CACHE_DIR).name.startswith("kernels-")
    assert isinstance(search_tile._cache._cache_file, kernels._OneAtATime)


# Keeps ten entries, the number of the process in each, when all have begun.
_KEEPS = """
import sys, time
import fpanon_core.kernels
from numba.core import caching
folder, number, at = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
time.sleep(max(0.0, at - time.time()))
kept = caching.IndexDataCacheFile(folder, "kernel", "stamp")
for i in range(10):
    kept.save((number, i), (number, i))
"""


def test_processes_that_keep_kernels_at_once_do_not_mix_them_up(tmp_path):
    begin = str(time.time() + 4)
    keeping = [
        subprocess.Popen([sys.executable, "-c", _KEEPS, str(tmp_path), str(n), begin])
        for n in range(4)
    ]
    assert [process.wait() for process in keeping] == [0] * 4
    kept = caching.IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    entries = [(n, i) for n in range(4) for i in range(10)]
    assert [kept.load(entry) for entry in entries] == entries


_COMPILED = """
import fpanon_core.kernels
import numpy as np
from numba import njit

@njit(cache=True)
def {name}(a):
    {body}
    return a
"""
_USED = """
import sys
import numpy as np
for name in sys.argv[1:]:
    a = np.random.default_rng(0).permutation(5_000)
    made = getattr(__import__(name), name)(a.copy())
    right = a.argsort() if name == "order" else np.sort(a)
    assert np.array_equal(made, right), name
"""


def test_kernels_compiled_by_two_processes_do_not_share_names(tmp_path):
    """As numba names them, the second kernel would run the first one's inner functions."""
    bodies = {"order": "a = np.argsort(a)", "rise": "a.sort()"}
    for name, body in bodies.items():
        (tmp_path / f"{name}.py").write_text(_COMPILED.format(name=name, body=body))
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(kernels.__file__).parents[2])]),
    }
    for names in (["order"], ["rise"], ["order", "rise"], ["rise", "order"]):
        command = [sys.executable, "-c", _USED, *names]
        subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=300)

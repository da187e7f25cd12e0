"""A kernel compiled from other sources is never taken from the cache."""

from pathlib import Path

import numba

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


def test_numba_uses_it():
    assert Path(numba.config.CACHE_DIR).name.startswith("kernels-")

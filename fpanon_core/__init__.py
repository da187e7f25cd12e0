"""fpanon: which form of a mobility data set may be released, and what each form costs.

The names here are the public face; what is not here is free to change.
"""

from .anonymize.clusters import cluster_antennas
from .anonymize.comparison import compare_releases
from .anonymize.estimate import estimate_glove_s
from .anonymize.generalize import generalize
from .anonymize.glove import glove
from .anonymize.verification import verify_k_anonymity
from .anonymize.voronoi import merged_regions, voronoi_cells
from .engines.local import LocalEngine
from .io.antennas import read_antennas
from .io.cdr import read_cdr
from .io.generate import generate_cdr
from .io.published import (
    data_dictionary,
    read_published,
    read_suppressed,
    write_published,
    write_suppressed,
)
from .io.report import IngestReport
from .measures.components import (
    StretchComponents,
    gini,
    matched_samples,
    mean_components,
    stretch_components,
    tail_weight_index,
)
from .measures.kgap import fingerprint_stretch, k_gap
from .model.antennas import Antennas
from .model.clock import LocalClock
from .model.configs import Screening, StretchConfig
from .model.errors import Cancelled, ConfigError, FpanonError, InfeasibleError, SchemaError
from .model.fingerprints import FingerprintSet
from .model.glove import GloveResult, Verification
from .model.profiles import AntennaClusters, GeneralizationProfile, Grid, Regions
from .model.published import GeneralizedFingerprintSet
from .model.results import KGapResult
from .model.version import __version__

__all__ = [
    "AntennaClusters",
    "Antennas",
    "Cancelled",
    "ConfigError",
    "FingerprintSet",
    "FpanonError",
    "GeneralizationProfile",
    "GeneralizedFingerprintSet",
    "GloveResult",
    "Grid",
    "InfeasibleError",
    "IngestReport",
    "KGapResult",
    "LocalClock",
    "LocalEngine",
    "Regions",
    "SchemaError",
    "Screening",
    "StretchComponents",
    "StretchConfig",
    "Verification",
    "__version__",
    "cluster_antennas",
    "compare_releases",
    "data_dictionary",
    "estimate_glove_s",
    "fingerprint_stretch",
    "generalize",
    "generate_cdr",
    "gini",
    "glove",
    "k_gap",
    "matched_samples",
    "mean_components",
    "merged_regions",
    "read_antennas",
    "read_cdr",
    "read_published",
    "read_suppressed",
    "stretch_components",
    "tail_weight_index",
    "verify_k_anonymity",
    "voronoi_cells",
    "write_published",
    "write_suppressed",
]

"""fpanon: which form of a mobility data set may be released, and what each form costs.

The names here are the public face; what is not here is free to change.
"""

from .anonymize.clusters import cluster_antennas
from .anonymize.comparison import compare_releases
from .anonymize.estimate import estimate_glove_s
from .anonymize.generalize import generalize
from .anonymize.glove import glove
from .anonymize.unicity_grid import unicity_grid
from .anonymize.verification import verify_k_anonymity
from .anonymize.voronoi import merged_regions, voronoi_cells
from .attacks.aggregation import aggregate_counts
from .attacks.factors import recovery_factors
from .attacks.linking import entropy, information_gain
from .attacks.mitigated import mitigation_table
from .attacks.mitigations import coarsen, noise_at_frequent, suppress_small
from .attacks.private import PrivacyGuarantee, dp_counts, privacy_guarantee
from .attacks.recovery import recover_trajectories
from .attacks.scoring import score_recovery
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
from .measures.curves import CurveFit
from .measures.drawing import draw_knowledge
from .measures.kgap import fingerprint_stretch, k_gap
from .measures.matching import anonymity_sets
from .measures.points import points_needed
from .measures.scaling import LinearFit, ScalingFit, fit_exponents, fit_scaling_law
from .measures.sparsity import SparsityModel, sparsity_model
from .measures.unicity import UnicityResult, unicity
from .model.aggregates import AggregateCounts, Recovered, RecoveryConfig, RecoveryScore
from .model.antennas import Antennas
from .model.clock import LocalClock
from .model.configs import KnowledgeConfig, Screening, StretchConfig, UnicityConfig
from .model.errors import Cancelled, ConfigError, FpanonError, InfeasibleError, SchemaError
from .model.fingerprints import FingerprintSet
from .model.glove import GloveResult, Verification
from .model.knowledge import Knowledge
from .model.profiles import AntennaClusters, GeneralizationProfile, Grid, Regions
from .model.published import GeneralizedFingerprintSet
from .model.results import KGapResult
from .model.version import __version__

__all__ = [
    "AggregateCounts",
    "AntennaClusters",
    "Antennas",
    "Cancelled",
    "ConfigError",
    "CurveFit",
    "FingerprintSet",
    "FpanonError",
    "GeneralizationProfile",
    "GeneralizedFingerprintSet",
    "GloveResult",
    "Grid",
    "InfeasibleError",
    "IngestReport",
    "KGapResult",
    "Knowledge",
    "KnowledgeConfig",
    "LinearFit",
    "LocalClock",
    "LocalEngine",
    "PrivacyGuarantee",
    "Recovered",
    "RecoveryConfig",
    "RecoveryScore",
    "Regions",
    "ScalingFit",
    "SchemaError",
    "Screening",
    "SparsityModel",
    "StretchComponents",
    "StretchConfig",
    "UnicityConfig",
    "UnicityResult",
    "Verification",
    "__version__",
    "aggregate_counts",
    "anonymity_sets",
    "cluster_antennas",
    "coarsen",
    "compare_releases",
    "data_dictionary",
    "dp_counts",
    "draw_knowledge",
    "entropy",
    "estimate_glove_s",
    "fingerprint_stretch",
    "fit_exponents",
    "fit_scaling_law",
    "generalize",
    "generate_cdr",
    "gini",
    "glove",
    "information_gain",
    "k_gap",
    "matched_samples",
    "mean_components",
    "merged_regions",
    "mitigation_table",
    "noise_at_frequent",
    "points_needed",
    "privacy_guarantee",
    "read_antennas",
    "read_cdr",
    "read_published",
    "read_suppressed",
    "recover_trajectories",
    "recovery_factors",
    "score_recovery",
    "sparsity_model",
    "stretch_components",
    "suppress_small",
    "tail_weight_index",
    "unicity",
    "unicity_grid",
    "verify_k_anonymity",
    "voronoi_cells",
    "write_published",
    "write_suppressed",
]

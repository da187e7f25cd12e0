"""fpanon: which form of a mobility data set may be released, and what each form costs.

The names here are the public face; what is not here is free to change.
"""

from .anonymize.chain import release
from .anonymize.clusters import cluster_antennas
from .anonymize.comparison import compare_releases
from .anonymize.disclosure_grid import disclosure_grid
from .anonymize.estimate import estimate_glove_s
from .anonymize.generalize import generalize
from .anonymize.glove import glove
from .anonymize.noise import add_noise
from .anonymize.option_result import Asked, OptionResult
from .anonymize.options import explore_options, explored
from .anonymize.permutation import permute
from .anonymize.presets import PUBLISHED_TRADE, fine_grid, glove_ladder, trade_grid
from .anonymize.rare import suppress_rare
from .anonymize.sampling import sample_users
from .anonymize.table import OptionsTable
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
from .io.questionnaire import questionnaire_template, read_questionnaire, synthetic_questionnaire
from .io.report import IngestReport
from .measures.agreement import ordinal_agreement
from .measures.asked import asked_utility
from .measures.components import (
    StretchComponents,
    matched_samples,
    mean_components,
    stretch_components,
)
from .measures.curves import CurveFit
from .measures.disclosure import disclosure
from .measures.drawing import draw_knowledge
from .measures.kgap import fingerprint_stretch, k_gap
from .measures.matching import anonymity_sets
from .measures.pareto import dominating, pareto_front
from .measures.points import points_needed
from .measures.reference import Reference
from .measures.scaling import LinearFit, ScalingFit, fit_exponents, fit_scaling_law
from .measures.sparsity import SparsityModel, sparsity_model
from .measures.spread import gini, lorenz, tail_weight_index
from .measures.unicity import UnicityResult, unicity
from .measures.utility import EPIDEMICS, TRANSPORT, UtilityResult, utility
from .model.aggregates import AggregateCounts, Recovered, RecoveryConfig, RecoveryScore
from .model.antennas import Antennas
from .model.clock import LocalClock
from .model.configs import KnowledgeConfig, Screening, StretchConfig, UnicityConfig
from .model.disclosure import DisclosureResult
from .model.errors import Cancelled, ConfigError, FpanonError, InfeasibleError, SchemaError
from .model.fingerprints import FingerprintSet
from .model.glove import GloveResult, Verification
from .model.knowledge import Knowledge
from .model.options import ReleaseOption, as_option
from .model.profiles import AntennaClusters, GeneralizationProfile, Grid, Regions
from .model.published import GeneralizedFingerprintSet
from .model.results import KGapResult
from .model.techniques import AddNoise, Generalize, Glove, Permute, SampleUsers, SuppressRare
from .model.version import __version__

__all__ = [
    "EPIDEMICS",
    "PUBLISHED_TRADE",
    "TRANSPORT",
    "AddNoise",
    "AggregateCounts",
    "AntennaClusters",
    "Antennas",
    "Asked",
    "Cancelled",
    "ConfigError",
    "CurveFit",
    "DisclosureResult",
    "FingerprintSet",
    "FpanonError",
    "GeneralizationProfile",
    "Generalize",
    "GeneralizedFingerprintSet",
    "Glove",
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
    "OptionResult",
    "OptionsTable",
    "Permute",
    "PrivacyGuarantee",
    "Recovered",
    "RecoveryConfig",
    "RecoveryScore",
    "Reference",
    "Regions",
    "ReleaseOption",
    "SampleUsers",
    "ScalingFit",
    "SchemaError",
    "Screening",
    "SparsityModel",
    "StretchComponents",
    "StretchConfig",
    "SuppressRare",
    "UnicityConfig",
    "UnicityResult",
    "UtilityResult",
    "Verification",
    "__version__",
    "add_noise",
    "aggregate_counts",
    "anonymity_sets",
    "as_option",
    "asked_utility",
    "cluster_antennas",
    "coarsen",
    "compare_releases",
    "data_dictionary",
    "disclosure",
    "disclosure_grid",
    "dominating",
    "dp_counts",
    "draw_knowledge",
    "entropy",
    "estimate_glove_s",
    "explore_options",
    "explored",
    "fine_grid",
    "fingerprint_stretch",
    "fit_exponents",
    "fit_scaling_law",
    "generalize",
    "generate_cdr",
    "gini",
    "glove",
    "glove_ladder",
    "information_gain",
    "k_gap",
    "lorenz",
    "matched_samples",
    "mean_components",
    "merged_regions",
    "mitigation_table",
    "noise_at_frequent",
    "ordinal_agreement",
    "pareto_front",
    "permute",
    "points_needed",
    "privacy_guarantee",
    "questionnaire_template",
    "read_antennas",
    "read_cdr",
    "read_published",
    "read_questionnaire",
    "read_suppressed",
    "recover_trajectories",
    "recovery_factors",
    "release",
    "sample_users",
    "score_recovery",
    "sparsity_model",
    "stretch_components",
    "suppress_rare",
    "suppress_small",
    "synthetic_questionnaire",
    "tail_weight_index",
    "trade_grid",
    "unicity",
    "unicity_grid",
    "utility",
    "verify_k_anonymity",
    "voronoi_cells",
    "write_published",
    "write_suppressed",
]

"""Public names and their modules; ``__init__.py`` imports each name when it is first used."""

from .aggregates.areas import proposed, table_error
from .aggregates.recovery import table_recovery
from .aggregates.tables import flows, presence
from .anonymize.aligned import align, aligned
from .anonymize.applied import add_noise, permute, sample_users, suppress_rare
from .anonymize.clusters import cluster_antennas, merged_regions, voronoi_cells
from .anonymize.generalize import generalize, resolve
from .anonymize.glove import glove
from .anonymize.periods import into_periods
from .attacks.aggregation import aggregate_counts
from .attacks.mitigations import (
    coarsen,
    dp_counts,
    noise_at_frequent,
    privacy_guarantee,
    suppress_small,
)
from .attacks.recovery import recover_trajectories
from .attacks.scoring import score_recovery
from .engines.cluster import DaskEngine
from .engines.local import LocalEngine
from .io.antennas import read_antennas
from .io.cdr import read_cdr, read_parts
from .io.checkpoint import Checkpoint
from .io.ledger import Ledger
from .io.publishing import read_published
from .io.questionnaire import questionnaire_template, read_questionnaire, synthetic_questionnaire
from .io.report import IngestReport
from .measures.components import (
    gini,
    lorenz,
    matched_samples,
    mean_loss,
    stretch_components,
    tail_weight_index,
)
from .measures.disclosure import disclosure
from .measures.drawing import draw_knowledge
from .measures.kgap import fingerprint_stretch, k_gap
from .measures.matching import anonymity_sets
from .measures.pareto import asked_utility, dominating, ordinal_agreement, pareto_front
from .measures.unicity import fit_exponents, fit_scaling_law, points_needed, sparsity_model, unicity
from .measures.utility import Reference, utility
from .model.aggregates import AggregateCounts, Recovered, RecoveryConfig, RecoveryScore
from .model.antennas import Antennas
from .model.clock import LocalClock
from .model.composition import Crossing, ReleaseMatch, RelinkConfig, RelinkResult
from .model.configs import KnowledgeConfig, Screening, StretchConfig, UnicityConfig
from .model.count_tables import CountTables, FlowTable, PresenceTable, TableFrame
from .model.counts_frame import CountsFrame, FrameConfig, StatedArea, StatedPeriod
from .model.disclosure import DisclosureResult
from .model.errors import Cancelled, ConfigError, FpanonError, InfeasibleError, SchemaError
from .model.fingerprints import FingerprintSet
from .model.glove import GloveResult, Verification
from .model.kgap import KGapResult, StretchComponents
from .model.knowledge import Knowledge
from .model.linkage import (
    ExpectedError,
    LinkConfig,
    LinkReading,
    LinkResult,
    MembershipResult,
    RiskResult,
    TableRecovery,
)
from .model.options import (
    AddNoise,
    Aligned,
    Flows,
    Generalize,
    Glove,
    Periods,
    Permute,
    Presence,
    PrivacyGuarantee,
    ReleaseOption,
    SampleUsers,
    SuppressRare,
    Synthesize,
    Tables,
    as_option,
)
from .model.periods import PeriodSet
from .model.profiles import AntennaClusters, GeneralizationProfile, Grid, Hexagons, Regions
from .model.published import GeneralizedFingerprintSet
from .model.purpose import PURPOSES, Purpose, Recipient
from .model.released import ReleasedSet
from .model.synthetic_people import NoisyStatistics, SyntheticPeople
from .model.unicity import CurveFit, LinearFit, ScalingFit, SparsityModel, UnicityResult
from .model.utility import EPIDEMICS, TRANSPORT, UtilityResult
from .model.version import __version__
from .studies.advice import advise
from .studies.count_tables import membership, publish, release, verify_release
from .studies.crossing import cross_releases, match_releases
from .studies.learnt import expected_error, home_found
from .studies.linkage import link
from .studies.option_result import Asked, OptionResult
from .studies.options import explore_options
from .studies.options_table import OptionsTable
from .studies.presets import PUBLISHED_TRADE, fine_grid, glove_ladder, hexagon_grid, trade_grid
from .studies.reidentification import reidentification
from .studies.relinking import relink_periods
from .studies.search import find_release
from .studies.under_profiles import disclosure_grid, unicity_grid
from .synthesis.generation import synthesize
from .synthetic.generate import generate_cdr
from .verification.anonymity import verify_k_anonymity

__all__ = [
    "EPIDEMICS",
    "PUBLISHED_TRADE",
    "PURPOSES",
    "TRANSPORT",
    "AddNoise",
    "AggregateCounts",
    "Aligned",
    "AntennaClusters",
    "Antennas",
    "Asked",
    "Cancelled",
    "Checkpoint",
    "ConfigError",
    "CountTables",
    "CountsFrame",
    "Crossing",
    "CurveFit",
    "DaskEngine",
    "DisclosureResult",
    "ExpectedError",
    "FingerprintSet",
    "FlowTable",
    "Flows",
    "FpanonError",
    "FrameConfig",
    "GeneralizationProfile",
    "Generalize",
    "GeneralizedFingerprintSet",
    "Glove",
    "GloveResult",
    "Grid",
    "Hexagons",
    "InfeasibleError",
    "IngestReport",
    "KGapResult",
    "Knowledge",
    "KnowledgeConfig",
    "Ledger",
    "LinearFit",
    "LinkConfig",
    "LinkReading",
    "LinkResult",
    "LocalClock",
    "LocalEngine",
    "MembershipResult",
    "NoisyStatistics",
    "OptionResult",
    "OptionsTable",
    "PeriodSet",
    "Periods",
    "Permute",
    "Presence",
    "PresenceTable",
    "PrivacyGuarantee",
    "Purpose",
    "Recipient",
    "Recovered",
    "RecoveryConfig",
    "RecoveryScore",
    "Reference",
    "Regions",
    "ReleaseMatch",
    "ReleaseOption",
    "ReleasedSet",
    "RelinkConfig",
    "RelinkResult",
    "RiskResult",
    "SampleUsers",
    "ScalingFit",
    "SchemaError",
    "Screening",
    "SparsityModel",
    "StatedArea",
    "StatedPeriod",
    "StretchComponents",
    "StretchConfig",
    "SuppressRare",
    "Synthesize",
    "SyntheticPeople",
    "TableFrame",
    "TableRecovery",
    "Tables",
    "UnicityConfig",
    "UnicityResult",
    "UtilityResult",
    "Verification",
    "__version__",
    "add_noise",
    "advise",
    "aggregate_counts",
    "align",
    "aligned",
    "anonymity_sets",
    "as_option",
    "asked_utility",
    "cluster_antennas",
    "coarsen",
    "cross_releases",
    "disclosure",
    "disclosure_grid",
    "dominating",
    "dp_counts",
    "draw_knowledge",
    "expected_error",
    "explore_options",
    "find_release",
    "fine_grid",
    "fingerprint_stretch",
    "fit_exponents",
    "fit_scaling_law",
    "flows",
    "generalize",
    "generate_cdr",
    "gini",
    "glove",
    "glove_ladder",
    "hexagon_grid",
    "home_found",
    "into_periods",
    "k_gap",
    "link",
    "lorenz",
    "match_releases",
    "matched_samples",
    "mean_loss",
    "membership",
    "merged_regions",
    "noise_at_frequent",
    "ordinal_agreement",
    "pareto_front",
    "permute",
    "points_needed",
    "presence",
    "privacy_guarantee",
    "proposed",
    "publish",
    "questionnaire_template",
    "read_antennas",
    "read_cdr",
    "read_parts",
    "read_published",
    "read_questionnaire",
    "recover_trajectories",
    "reidentification",
    "release",
    "relink_periods",
    "resolve",
    "sample_users",
    "score_recovery",
    "sparsity_model",
    "stretch_components",
    "suppress_rare",
    "suppress_small",
    "synthesize",
    "synthetic_questionnaire",
    "table_error",
    "table_recovery",
    "tail_weight_index",
    "trade_grid",
    "unicity",
    "unicity_grid",
    "utility",
    "verify_k_anonymity",
    "verify_release",
    "voronoi_cells",
]

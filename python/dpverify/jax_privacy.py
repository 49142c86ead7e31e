"""Events and accountants for jax_privacy: its batch selection strategies, and calibration with certified bounds.

    import dpverify.jax_privacy as certified

    event = certified.event(CyclicPoissonSampling(sampling_prob=0.01, iterations=1000), noise_multiplier=1.1)
    accountant = analysis.DpsgdTrainingAccountant(dp_accountant_config=certified.CertifiedAccountantConfig())

The second needs jax_privacy and dp-accounting; event needs neither, and goes by the fields of a strategy.
"""

from typing import Any, Dict, Optional, Sequence

from ._events import JSON, Number, spell


def event(
    strategy: Any,
    *,
    noise_multiplier: Number,
    dataset_size: Optional[int] = None,
    column: Optional[Sequence[Number]] = None,
) -> Dict[str, JSON]:
    """Returns the event of DP-SGD, or of DP-BandMF, whose batches a strategy of jax_privacy.batch_selection selects.

    Args:
        strategy: CyclicPoissonSampling, BallsInBinsSampling, FixedBatchSampling or BMinSepSampling.
        noise_multiplier: the standard deviation of the noise over the bound of one record's gradient. The noise of steps
            is independent, or that of the matrix with the column.
        column: of DP-BandMF, the first column of the banded Toeplitz matrix C, as it is (not normalised).
        dataset_size: the number of records, the larger of two neighbours; where batches are truncated or of fixed size.

    Records in groups (cycle_length above 1) take part in every cycle_length-th step: the event is ceil(iterations /
    cycle_length) of these steps, as if the group of a record were known. Where it is drawn and hidden, upper ends hold of
    the training, and lower ends need not. It is asked about under ADD_OR_REMOVE_ONE if records choose their group independently,
    else under REPLACE_SPECIAL. Balls in bins are a random allocation of one of cycle_length steps, each with all rounds
    of a bin, or a matrix mechanism where bins have unlike numbers of rounds. Which relations an event has is checked when
    it is asked about. With a column, groups that records draw by themselves (PartitionType.INDEPENDENT) are hidden, too: a
    random shift.

    Raises NotImplementedError for a strategy that no event here describes, and ValueError where dataset_size is needed.
    """
    name = type(strategy).__name__
    noise: JSON = {"class_name": "GaussianDpEvent", "noise_multiplier": spell(noise_multiplier, "noise_multiplier")}

    def size() -> int:
        if dataset_size is None:
            raise ValueError("dataset_size = None, want the number of records: %s depends on it" % name)
        return dataset_size

    def times(count: int, of: JSON) -> JSON:
        if count == 0:
            return {"class_name": "NoOpDpEvent"}
        return {"class_name": "SelfComposedDpEvent", "count": count, "event": of}

    def poisson(groups: int) -> JSON:
        most = strategy.truncated_batch_size
        rounds = -(-int(strategy.iterations) // groups)
        rate = spell(strategy.sampling_prob, "sampling_prob")
        if most is None:
            return times(rounds, {"class_name": "PoissonSampledDpEvent", "sampling_probability": rate, "event": noise})
        if groups > 1 and strategy.partition_type.name != "EQUAL_SPLIT":
            raise NotImplementedError("%s with truncated_batch_size in groups of random size" % name)
        return times(rounds, {
            "class_name": "TruncatedSubsampledGaussianDpEvent", "dataset_size": size() // groups, "sampling_probability": rate,
            "truncated_batch_size": int(most), "noise_multiplier": noise["noise_multiplier"],
        })  # fmt: skip

    def bins(number: int) -> JSON:
        if strategy.iterations == 0:
            return {"class_name": "NoOpDpEvent"}
        rounds, rest = divmod(int(strategy.iterations), number)
        if rest:  # bins have unlike numbers of rounds, or none
            return matrix(balls_in_bins={"bins": number})
        return {
            "class_name": "RandomAllocationDpEvent",
            "num_selected": 1,
            "num_steps": number,
            "event": times(rounds, noise),
        }

    def matrix(**sampling: JSON) -> JSON:
        entries: JSON = [spell(x, "column") for x in ([1] if column is None else column)[: int(strategy.iterations)]]
        return {
            "class_name": "MatrixMechanismEvent", "strategy": {"toeplitz": entries, "steps": int(strategy.iterations)},
            "sampling": sampling, "noise_multiplier": noise["noise_multiplier"],
        }  # fmt: skip

    plain = getattr(strategy, "truncated_batch_size", None) is None
    apart = name == "BMinSepSampling" and strategy.warm_start and plain and strategy.iterations > 0
    if apart and (column is not None or strategy.min_sep > 1 and strategy.sampling_prob != 1):
        rate = spell(strategy.sampling_prob, "sampling_prob")
        found = matrix(min_separation={"separation": int(strategy.min_sep), "probability": rate})
    elif column is not None and name == "BallsInBinsSampling" and strategy.iterations > 0:
        found = matrix(balls_in_bins={"bins": int(strategy.cycle_length)})
    elif column is not None and name == "CyclicPoissonSampling" and plain and strategy.iterations > 0:
        kind = "random_shift" if strategy.partition_type.name == "INDEPENDENT" else "poisson_cyclic"
        rate = spell(strategy.sampling_prob, "sampling_prob")
        found = matrix(**{kind: {"bands": int(strategy.cycle_length), "probability": rate}})
    elif column is not None:
        raise NotImplementedError("%r with a column: no event describes this" % (strategy,))
    elif name == "CyclicPoissonSampling":
        found = poisson(int(strategy.cycle_length))
    elif name == "BallsInBinsSampling":
        found = bins(int(strategy.cycle_length))
    elif name == "BMinSepSampling" and strategy.min_sep == 1:
        found = poisson(1)
    elif (
        name == "BMinSepSampling"
        and strategy.sampling_prob == 1
        and strategy.warm_start
        and strategy.truncated_batch_size is None
    ):
        found = bins(int(strategy.min_sep))
    elif name == "FixedBatchSampling":
        kind = "SampledWithReplacementDpEvent" if strategy.replace else "SampledWithoutReplacementDpEvent"
        sample = {
            "class_name": kind,
            "source_dataset_size": size(),
            "sample_size": int(strategy.batch_size),
            "event": noise,
        }
        found = times(int(strategy.iterations), sample)
    else:
        raise NotImplementedError("%r: no event describes this strategy" % (strategy,))
    answer: Dict[str, JSON] = found
    return answer


def __getattr__(name: str) -> Any:
    if name != "CertifiedAccountantConfig":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    from jax_privacy.accounting import accountants  # type: ignore[import-untyped,import-not-found,unused-ignore]

    from .accountants import CertifiedAccountant

    class CertifiedAccountantConfig(accountants.DpAccountantConfig):  # type: ignore[misc,unused-ignore]
        """A DpAccountantConfig of jax_privacy; arguments are those of CertifiedAccountant."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            self._arguments, self._options = arguments, options

        def create_accountant(self) -> Any:
            return CertifiedAccountant(*self._arguments, **self._options)

    globals()[name] = CertifiedAccountantConfig
    return CertifiedAccountantConfig

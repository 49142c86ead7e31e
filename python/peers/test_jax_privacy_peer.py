# jax_privacy: strategies as events, and its calibration with certified bounds.
import subprocess
import sys
from pathlib import Path

import pytest
from jax_privacy import batch_selection as batches
from jax_privacy.accounting import accountants, analysis, calibrate

import dpverify
import dpverify.jax_privacy as certified

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize("strategy,size,short,relation", [
    (batches.CyclicPoissonSampling(0.01, 1000), None, "poisson(0.01, gaussian(2)) * 1000", "ADD_OR_REMOVE_ONE"),
    (batches.CyclicPoissonSampling(0.01, 1000, cycle_length=3), None, "poisson(0.01, gaussian(2)) * 334", "REPLACE_SPECIAL"),
    (batches.BMinSepSampling(0.01, 1000, 1), None, "poisson(0.01, gaussian(2)) * 1000", "ADD_OR_REMOVE_ONE"),
    (batches.FixedBatchSampling(10, 100), 1000,
     {"class_name": "SelfComposedDpEvent", "count": 100, "event": {"class_name": "SampledWithoutReplacementDpEvent",
      "source_dataset_size": 1000, "sample_size": 10, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2}}}, "REPLACE_ONE"),
])  # fmt: skip
def test_events(strategy, size, short, relation):
    event = certified.event(strategy, noise_multiplier=2, dataset_size=size)
    options = {"relation": relation, "digits": 5, "incomplete": "ignore"}
    assert dpverify.epsilon(event, "1e-5", **options)[:2] == dpverify.epsilon(short, "1e-5", **options)[:2]


def test_balls_in_bins():
    event = certified.event(batches.BallsInBinsSampling(iterations=200, cycle_length=50), noise_multiplier=2)
    e = dpverify.epsilon(event, "1e-5", digits=3)
    # Four rounds of noise 2 in one of 50 bins are one of noise 1; more private than without bins.
    one = {
        "class_name": "RandomAllocationDpEvent",
        "num_selected": 1,
        "num_steps": 50,
        "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1},
    }
    assert e.hi == dpverify.epsilon(one, "1e-5", digits=3).hi < dpverify.epsilon("gaussian(1)", "1e-5").lo
    assert event == certified.event(batches.BMinSepSampling(1.0, 200, 50), noise_multiplier=2)


def test_refusals():
    with pytest.raises(NotImplementedError, match="BMinSep"):
        certified.event(batches.BMinSepSampling(0.1, 100, 5, warm_start=False), noise_multiplier=1)
    with pytest.raises(ValueError, match="dataset_size"):
        certified.event(batches.FixedBatchSampling(10, 100), noise_multiplier=1)
    with pytest.raises(NotImplementedError, match="random size"):
        certified.event(
            batches.CyclicPoissonSampling(0.1, 9, 8, 3, batches.PartitionType.INDEPENDENT),
            noise_multiplier=1,
            dataset_size=99,
        )
    with pytest.raises(AttributeError):
        certified.nothing


def test_calibration():
    config = certified.CertifiedAccountantConfig(digits=5)
    assert isinstance(config, accountants.DpAccountantConfig)
    found = {}
    for name, c in (("ours", config), ("pld", accountants.PldAccountantConfig())):
        found[name] = calibrate.calibrate_noise_multiplier(
            target_epsilon=3.0,
            accountant=analysis.DpsgdTrainingAccountant(dp_accountant_config=c),
            batch_sizes=256,
            num_updates=1000,
            num_samples=60000,
            target_delta=1e-5,
            tol=1e-3,
        )
    assert abs(found["ours"] - found["pld"]) < 5e-3
    dpverify.assert_sound(dpverify.from_opacus([(found["ours"], 256 / 60000, 1000)]), delta=1e-5, epsilon=3)


def test_example():
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "jax_privacy_calibration.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.startswith("noise multiplier "), done.stderr

# prv_accountant's own accountants beside those with its signatures.
import prv_accountant as peer
import pytest
from prv_accountant.dpsgd import DPSGDAccountant as PeerDPSGD

from dpverify.prv_accountant import DPSGDAccountant, PRVAccountant


def test_dpsgd():
    arguments = {"noise_multiplier": 0.8, "sampling_probability": 0.005, "max_steps": 1000}
    lo, near, up = DPSGDAccountant(**arguments).compute_epsilon(delta=1e-5, num_steps=1000)
    low, _, high = PeerDPSGD(**arguments).compute_epsilon(delta=1e-5, num_steps=1000)
    assert low <= lo <= near <= up <= high and up - lo < 1e-4


@pytest.mark.parametrize("mechanism", [
    peer.GaussianMechanism(2.0), peer.LaplaceMechanism(0.5), peer.PureDPMechanism(0.1), peer.ApproximateDPMechanism(0.1, 1e-9),
    peer.PoissonSubsampledGaussianMechanism(sampling_probability=0.01, noise_multiplier=1.0)])  # fmt: skip
def test_mechanisms(mechanism):
    theirs = peer.PRVAccountant([mechanism], eps_error=0.05, delta_error=1e-9, max_self_compositions=[20])
    low, _, high = theirs.compute_epsilon(1e-5, [20])
    lo, near, up = PRVAccountant([mechanism], 0.05, 1e-9, [20]).compute_epsilon(1e-5, [20])
    assert low - 1e-9 <= lo <= near <= up <= high + 1e-9

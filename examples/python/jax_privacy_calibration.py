"""The noise of jax_privacy's DP-SGD by certified accounting: pip install jax_privacy dp-accounting, and the wheel of dpverify."""
import math

from jax_privacy.accounting import analysis, calibrate

from dpverify.jax_privacy import CertifiedAccountantConfig

noise = calibrate.calibrate_noise_multiplier(
    target_epsilon=3.0, target_delta=1e-5, batch_sizes=256, num_samples=60000, num_updates=3515, tol=1e-3,
    accountant=analysis.DpsgdTrainingAccountant(dp_accountant_config=CertifiedAccountantConfig()))
print("noise multiplier", math.ceil(noise * 1e4) / 1e4)  # rounded up: less noise need not be enough

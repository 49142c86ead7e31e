"""What the package answers, as a file that mypy --strict passes."""
from typing import Dict, List

import dpverify

training = "sgd(sigma=1.1, batch=256, n=60000, epochs=15)"
spent: dpverify.Enclosure = dpverify.epsilon(training, delta="1e-5", digits=6, relation="ADD_OR_REMOVE_ONE")
print("to quote: ε ≤", spent.quote, "and ε ≤ 2 holds" if spent <= 2 else "")

noise: dpverify.Calibration = dpverify.calibrate("gaussian(?)", epsilon=1, delta="1e-5")
print(noise.field, noise.value, "is enough;", noise.next, "is not" if noise.next_refuted else "may not be")

rows: List[dpverify.Row] = dpverify.curve(training, [1, 1.5, 2])
falls: Dict[str, float] = {str(row.at): float(row.hi) for row in rows}
print("δ:", falls)

decided = dpverify.certify([dpverify.Claim(training, epsilon="1.2", delta="1e-5"), dpverify.Claim("gaussian(1)", 4, "1e-5", id="low")])
print([(d.id, d.verdict) for d in decided])

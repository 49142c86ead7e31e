package certify

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A point is count mechanisms that are (ε, δ)-DP.
type point struct {
	eps, delta *big.Rat
	count      int64
}

// points returns the point guarantees of all factors.
func (d *deriver) points() ([]point, error) {
	var out []point
	for _, t := range d.prob.Dominating() {
		if r, ok := t.Pair.(pair.Response); ok {
			out = append(out, point{r.Eps, r.Delta, t.Count})
			continue
		}
		eps, ok := pureEpsilon(t.Pair)
		if !ok {
			return nil, notModelled("%s is not stated as (ε, δ)-DP", t.Pair)
		}
		out = append(out, point{eps, new(big.Rat), t.Count})
	}
	return out, nil
}

// remaining returns what Σδ_i leaves of the claimed δ, which may be negative.
func (d *deriver) remaining(ps []point) *big.Rat {
	left := new(big.Rat).Set(d.claim.Statement.Delta)
	for _, x := range ps {
		left.Sub(left, new(big.Rat).Mul(x.delta, new(big.Rat).SetInt64(x.count)))
	}
	return left
}

// basic is ε = Σε_i, for δ ≥ Σδ_i.
func (d *deriver) basic() (exact.Enclosure, error) {
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	if d.remaining(ps).Sign() < 0 {
		d.note = "the claimed δ is less than the sum of the δ"
		return infinite(), nil
	}
	sum := new(big.Rat)
	for _, x := range ps {
		sum.Add(sum, new(big.Rat).Mul(x.eps, new(big.Rat).SetInt64(x.count)))
	}
	return exact.Enclosure{Interval: (2 * derivationBits).Rat(sum), Value: sum}, nil
}

// advanced is ε = √(2·log(1/δ′)·Σε_i²) + Σε_i(e^ε_i − 1), δ′ = δ − Σδ_i [Dwork, Rothblum & Vadhan 2010].
func (d *deriver) advanced() (exact.Enclosure, error) {
	const w = 2 * derivationBits
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	left := d.remaining(ps)
	if left.Sign() <= 0 {
		d.note = "the claimed δ leaves nothing for the theorem beyond the sum of the δ"
		return infinite(), nil
	}
	drift, squares := interval.Int(0), interval.Int(0)
	for _, x := range ps {
		n, e := interval.Int(x.count), w.Rat(x.eps)
		drift = w.Add(drift, w.Mul(n, w.Mul(e, w.Expm1(e))))
		squares = w.Add(squares, w.Mul(n, w.Sqr(e)))
	}
	need := interval.Max(w.Log(w.Rat(left)).Neg(), interval.Int(0))
	return enclosed(w.Add(drift, w.Sqrt(w.Scale(w.Mul(need, squares), 1)))), nil
}

// kovEffort is the rung for the optimal composition, which settles its digits.
const kovEffort exact.Effort = 2

// kov is the optimal composition of the point guarantees [Kairouz, Oh & Viswanath 2015]:
// the least ε of as many randomized responses.
func (d *deriver) kov() (exact.Enclosure, error) {
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	var all mechanism.Composed
	for _, x := range ps {
		all.Events = append(all.Events, mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: x.eps, Delta: x.delta}, Count: x.count})
	}
	r, err := exact.Epsilon(d.ctx, exact.Question{Event: all}, d.claim.Statement.Delta, epsilonBits, kovEffort)
	return r.Enclosure, err
}

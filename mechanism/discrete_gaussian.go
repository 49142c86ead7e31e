package mechanism

import (
	"math/big"

	"dpverify/document"
)

// DiscreteGaussian releases an integer value that one record changes by at most
// Sensitivity, plus integer noise with P(z) ∝ e^(−z²/(2σ²)). With s the
// sensitivity,
//
//	P = s + N_Z(0, σ²), Q = N_Z(0, σ²)
//
// when one record is added or removed; replacing a record doubles the shift.
// The value is one-dimensional: several dimensions are not equivalent to one
// for this noise, and are refused.
type DiscreteGaussian struct {
	Sigma       *big.Rat // σ > 0
	Sensitivity int64    // in [0, MaxCount]; 0: equal distributions
}

// ClassName returns "DiscreteGaussianDpEvent".
func (DiscreteGaussian) ClassName() string { return "DiscreteGaussianDpEvent" }
func (DiscreteGaussian) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e DiscreteGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DiscreteGaussian) encodeFields(w *encoder) {
	w.number("sigma", e.Sigma)
	w.integer("sensitivity", e.Sensitivity)
	w.field("dimension")
	w.raw("null")
}

// The sum of two discrete Gaussians is not one, so no order in σ is claimed.
func decodeDiscreteGaussian(r *reader) Event {
	e := DiscreteGaussian{Sigma: r.number("sigma", positive, unproved), Sensitivity: 1}
	if r.node.Get("sensitivity") != nil {
		e.Sensitivity = r.integer("sensitivity", 0, MaxCount)
	}
	r.oneDimension("dimension")
	return e
}

// oneDimension accepts the dimension 1, and null or nothing for one that is not
// said.
func (r *reader) oneDimension(field string) {
	n := r.node.Get(field)
	if r.err != nil || n == nil || n.Kind == document.Null {
		return
	}
	want := "1 or null: the discrete Gaussian of more dimensions is not supported"
	d := r.literal(field, n, want)
	if r.err == nil && d.Cmp(one) != 0 {
		r.err = r.invalid(field, n, want)
	}
}

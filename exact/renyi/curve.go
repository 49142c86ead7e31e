package renyi

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A Curve is the Rényi divergence of what an event stands for under a relation, as a
// function of the order: the supremum over all mechanisms that it may be and over the
// orientations of a direction.
type Curve struct {
	stated   []statedPart // whose maximum bounds the curve from above
	attained []statedPart // each of which some mechanism attains
	// Guarantee says that the event is a guarantee, so that a gap remains between the
	// two.
	Guarantee bool
	// Notes are assumptions that the answer rests on.
	Notes []string
}

// A statedPart is the divergence of a product as it stands or, with either, of a product
// whose factors may be oriented either way.
type statedPart struct {
	prod   pair.Product
	either bool
	f      Divergence
}

// NewCurve returns the curve of a problem. The error is a *pair.DirectionError.
func NewCurve(prob pair.Problem, d mechanism.Direction) (*Curve, error) {
	c := &Curve{Guarantee: prob.Product.IsGuarantee(), Notes: prob.Notes}
	of := func(prod pair.Product) ([]statedPart, error) {
		if prob.BothOnly && d == mechanism.Both && !prod.IsGuarantee() {
			return []statedPart{{prod, true, either(prod)}}, nil
		}
		os, err := prob.Orientations(prod, d)
		if err != nil {
			return nil, err
		}
		var fs []statedPart
		for _, o := range os {
			fs = append(fs, statedPart{prod: o, f: Of(o)})
		}
		return fs, nil
	}
	prod := prob.Product
	if prob.BothOnly && prob.Witnesses != nil && !c.Guarantee {
		// The factors before they were made to dominate both of their orientations,
		// which Rényi divergence, being a sum, does not need.
		prod = prob.Witnesses[0]
	}
	var err error
	if c.stated, err = of(prod); err != nil {
		return nil, err
	}
	if !c.Guarantee {
		c.attained = c.stated
		return c, nil
	}
	for _, w := range prob.Witnesses {
		fs, err := of(w)
		if err != nil {
			return nil, err
		}
		c.attained = append(c.attained, fs...)
	}
	return c, nil
}

// either is the divergence where each factor may be oriented either way:
// Σ count·max(R_α(P_i‖Q_i), R_α(Q_i‖P_i)).
func either(prod pair.Product) Divergence {
	var fs, gs []Divergence
	for _, t := range prod {
		f := ofPair(t.Pair)
		g := f
		if !t.Pair.SelfDual() {
			g = ofPair(t.Pair.Reverse())
		}
		fs, gs = append(fs, f), append(gs, g)
	}
	return func(p interval.Prec, alpha Order) interval.Interval {
		w := p + 16
		sum := zero
		for i, t := range prod {
			y := fs[i](w, alpha)
			if !t.Pair.SelfDual() {
				y = interval.Max(y, gs[i](w, alpha))
			}
			sum = w.Add(sum, w.Mul(interval.Int(t.Count), y))
		}
		return p.Round(sum)
	}
}

// Stated encloses the curve, or for a guarantee the bound that it states.
func (c *Curve) Stated(p interval.Prec, alpha Order) interval.Interval {
	return greatest(c.stated, p, alpha)
}

// At encloses the curve. For a guarantee it lies between what a mechanism attains and
// what the guarantee states.
func (c *Curve) At(p interval.Prec, alpha Order) interval.Interval {
	y := c.Stated(p, alpha)
	if !c.Guarantee {
		return y
	}
	low := zero
	if len(c.attained) > 0 {
		low = greatest(c.attained, p, alpha)
	}
	return interval.Bounds(low.Lo(), interval.Max(low, y).Hi())
}

func greatest(fs []statedPart, p interval.Prec, alpha Order) interval.Interval {
	y := fs[0].f(p, alpha)
	for _, s := range fs[1:] {
		y = interval.Max(y, s.f(p, alpha))
	}
	return y
}

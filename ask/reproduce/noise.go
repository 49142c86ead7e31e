// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"

	additive "dpverify/ask/noise"
	"dpverify/ask/noise/learned"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
	"dpverify/float/learn"
	"dpverify/internal/efforts"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A found is additive noise: learned, or a rival of what was learned.
type found struct{ once[made] }

func noiseBy(build func(context.Context) (made, error)) *found { return &found{once[made]{f: build}} }

// A made noise, and δ of its composition if making it has enclosed that.
type made struct {
	noise mechanism.AdditiveNoise
	delta *interval.Interval
	lower *big.Rat // no falling noise goes below; nil if not known
}

// number is a number of noise.
func (f *found) number(of func(context.Context, made) (interval.Interval, error)) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		m, err := f.get(ctx)
		if err != nil {
			return interval.Interval{}, err
		}
		return of(ctx, m)
	})
}

// A setting is how noise is used: in count releases, of Poisson samples unless rate is "1".
type setting struct {
	count         int64
	rate, epsilon string
	radius, cell  string
	norm          additive.Norm
}

func (s setting) wish() learned.Wish {
	w := learned.Wish{Epsilon: rat(s.epsilon), Compositions: s.count, Radius: rat(s.radius), Sensitivity: rat("1"),
		Rate: rat(s.rate), Norm: s.norm}
	if s.cell != "" {
		w.Cell = rat(s.cell)
	}
	return w
}

// event is noise, used as the setting has it.
func (s setting) event(e mechanism.Event) mechanism.Event {
	if s.rate != "1" {
		e = sampled(s.rate, e)
	}
	return times(s.count, e)
}

// learnt is the noise that is learned for a setting, with a utility loss of at most most; change may ask for more.
func (s setting) learnt(most string, change func(*learned.Wish)) *found {
	return noiseBy(func(ctx context.Context) (made, error) {
		w := s.wish()
		w.Utility = rat(most)
		if change != nil {
			change(&w)
		}
		if err := w.Check(); err != nil {
			return made{}, err
		}
		f, err := learned.Learn(ctx, w)
		if err != nil {
			return made{}, err
		}
		m := made{noise: f.Noise, delta: &f.Delta.Interval}
		if f.Optimum != nil {
			m.lower = rat(f.Optimum.Lo)
		}
		return m, nil
	})
}

// bySigmoids asks for the paper's own model, with one of its losses.
func bySigmoids(loss learn.Loss, seed uint64) func(*learned.Wish) {
	return func(w *learned.Wish) { w.Method, w.Loss, w.Seed = learned.Sigmoid, loss, seed }
}

// rival is noise of a family on the cells of other noise, with a utility loss that is no less and hardly more.
func (s setting) rival(of *found, family int) *found {
	return noiseBy(func(ctx context.Context) (made, error) {
		m, err := of.get(ctx)
		if err != nil {
			return made{}, err
		}
		f := additive.Families[family]
		e, ok := f.Beside(m.noise, number.Float64(rat(s.epsilon)), s.norm)
		if !ok {
			return made{}, fmt.Errorf("reproduce: no %s on [−%s, %s] has the utility loss of what is learned", f.Name,
				s.radius, s.radius)
		}
		return made{noise: e}, nil
	})
}

// family is noise of a family, by its scale.
func (s setting) family(family int, scale string) *found {
	return noiseBy(func(context.Context) (made, error) {
		g, err := additive.NewGrid(rat(s.radius), rat("1"), rat(s.cell))
		if err != nil {
			return made{}, err
		}
		return made{noise: g.Event(additive.Round(additive.Families[family].Half(g, number.Float64(rat(s.epsilon)),
			number.Float64(rat(scale)))))}, nil
	})
}

// delta is δ of noise in a setting, at the ε of the setting.
func (s setting) delta(of *found) Quantity {
	return of.number(func(ctx context.Context, m made) (interval.Interval, error) {
		if m.delta != nil {
			return *m.delta, nil
		}
		const enough = 14 // bits
		y := profile.Unit()
		err := efforts.UpTo(last).Climb(ctx, func(e exact.Effort) (bool, error) {
			r, err := exact.Delta(ctx, exact.Question{Event: s.event(m.noise), Scale: rat("1e-20")}, rat(s.epsilon), e)
			if err == nil {
				y = r.Interval
			}
			return r.RelativeBits(enough) >= enough, err
		})
		return y, err
	})
}

// utility is E|X| or (E X²)^½ of noise.
func utility(norm additive.Norm, of *found) Quantity {
	return of.number(func(_ context.Context, m made) (interval.Interval, error) {
		const p = interval.Prec(96)
		first, second := additive.Moments(m.noise)
		if norm == additive.L2 {
			return p.Sqrt(p.Rat(second)), nil
		}
		return p.Rat(first), nil
	})
}

// bound is what no symmetric falling noise of the range of one release goes below.
func bound(of *found) Quantity {
	return of.number(func(_ context.Context, m made) (interval.Interval, error) {
		if m.lower == nil {
			return interval.Interval{}, fmt.Errorf("reproduce: no bound was proved")
		}
		return interval.Prec(96).Rat(m.lower), nil
	})
}

// densityAt is the density of noise at a point that is in no border.
func densityAt(of *found, at *big.Rat) Quantity {
	return of.number(func(_ context.Context, m made) (interval.Interval, error) {
		q := new(big.Rat).Quo(at, m.noise.Cell)
		i := new(big.Int).Div(q.Num(), q.Denom()).Int64() + int64(len(m.noise.Probabilities)/2)
		if i < 0 || i >= int64(len(m.noise.Probabilities)) {
			return interval.Int(0), nil
		}
		return interval.Prec(64).Rat(new(big.Rat).Quo(m.noise.Probabilities[i], m.noise.Cell)), nil
	})
}

// densities are the densities of noises at points that are in no border.
func densities(title string, at []*big.Rat, names []string, of ...*found) Figure {
	f := Figure{Title: title, X: "x", Y: "density", LogY: true, At: at}
	for i, o := range of {
		f.Curves = append(f.Curves, Curve{names[i], func(at *big.Rat) Quantity { return densityAt(o, at) }, figure.Unknown})
	}
	return f
}

// inside are a hundred points from 0 to an end, each moved a little.
func inside(end, moved string) []*big.Rat {
	at := spaced("0", end, 101)[:100]
	for _, x := range at {
		x.Add(x, rat(moved))
	}
	return at
}

// divergenceOf is the Kullback–Leibler divergence of noise from other noise on the same cells.
func divergenceOf(of, from *found) Quantity {
	return of.number(func(ctx context.Context, a made) (interval.Interval, error) {
		b, err := from.get(ctx)
		const p = interval.Prec(80)
		sum := interval.Int(0)
		for i, x := range a.noise.Probabilities {
			if err == nil && x.Sign() > 0 {
				y := p.Rat(x)
				sum = p.Add(sum, p.Mul(y, p.Log(p.Div(y, p.Rat(b.noise.Probabilities[i])))))
			}
		}
		return sum, err
	})
}

// A noisy is noise in a setting, as something with a profile.
type noisy struct {
	setting
	of        *found
	direction mechanism.Direction
}

func (n *noisy) prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (prepared, error) {
	m, err := n.of.get(ctx)
	if err != nil {
		return nil, err
	}
	return exact.Prepare(ctx, exact.Question{Event: n.event(m.noise), Direction: n.direction, Scale: scale}, e)
}

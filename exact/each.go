package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A Single is one method's own view of one orientation of a question: for those who
// compare methods with each other.
type Single struct {
	Method  string
	Product string // identifies the orientation: methods of equal products agree

	solver *Solver
	f      profile.Func
}

// Delta returns the method's enclosure of δ(eps) of its product.
func (s Single) Delta(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	return s.f(ctx, s.solver.effort.Bits(), interval.RealRat(eps))
}

// Each prepares, one by one, every method that applies to the dominating product of a
// question and costs at most a number of seconds by its own estimate, also those that
// Prepare leaves out because another one settles the question.
func Each(ctx context.Context, q Question, e Effort, cost float64) ([]Single, error) {
	prob, err := pair.Resolve(q.Event, q.Relation)
	if err != nil {
		return nil, err
	}
	products, err := prob.Orientations(prob.Product, q.Direction)
	if err != nil {
		return nil, err
	}
	var out []Single
	for _, prod := range products {
		if len(prod) == 0 {
			continue
		}
		for _, m := range methods {
			s := newSolver(e, q.Scale)
			plan := m.Plan(s, prod, s.effort)
			if plan == nil || plan.Cost > cost {
				continue
			}
			f, err := plan.Prepare(ctx)
			if s.refuses(m.Name(), err) || err == nil && f == nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, Single{m.Name(), prod.String(), s, f})
		}
	}
	return out, nil
}

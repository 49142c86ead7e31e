// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/allocation"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/exact/selection"
)

// A method bounds the profile of products of pairs, in one orientation.
//
// The front door asks every method whether it applies to a product and what it
// would cost, and intersects the enclosures of those that it runs. A method that
// only bounds from one side returns [0, u] or [l, 1].
type method interface {
	// Plan returns nil if the method does not apply to prod at the given effort.
	// s solves parts of prod on the method's behalf.
	Plan(s *solver, prod pair.Product, e Effort) *plan
}

// A named method is a route from a product of pairs to bounds of its profile. Its name identifies it in answers: "gaussian", "lattice", …
type named struct {
	route
	method
}

// A Memo keeps what the answers to several questions share whose events are composed of the same ones: see
// Question.Memo. The zero value is ready for use, also by several goroutines. A question alone is answered faster without.
type Memo struct{ transforms inversion.Memo }

// memory is what transforms share, or nil.
func (s *solver) memory() *inversion.Memo {
	if s == nil || s.memo == nil {
		return nil
	}
	return &s.memo.transforms
}

// A solver bounds profiles at one effort. It remembers what it has prepared.
type solver struct {
	methods []named
	effort  Effort
	// scale is −log2 of the δ of interest, −1 if none is known.
	scale  int
	solved map[string]*solution
	leaves pld.Leaves
	// laws are the laws of allocations, which serve both directions.
	laws allocation.Laws
	// selections are those that are prepared, for their two methods.
	selections map[string]*selection.Repeated
	depth      int
	// alone makes methods answer by themselves: without what Prepare has better methods
	// for, and without falling back on another one.
	alone bool
	// memo is what questions share, or nil.
	memo *Memo
	// draft restricts the methods to those that are fast, see Draft.
	draft Draft
	// refused are the methods that needed too much memory.
	refused []Refusal
	// lowest is a solver at effort 0 for searches to start with, made when needed.
	lowest *solver
}

// newSolver returns a solver for one rung of the ladder.
func newSolver(methods []named, e Effort, scale *big.Rat) *solver {
	s := &solver{methods: methods, effort: e.valid(), scale: -1, solved: make(map[string]*solution)}
	if scale != nil && scale.Sign() > 0 {
		// It adds bits to precisions: for a δ that is even less, as 10^−100000, enclosures are wide.
		s.scale = min(max(0, scale.Denom().BitLen()-scale.Num().BitLen()), 1<<14)
	}
	return s
}

// rough returns a solver at effort 0 with a δ of interest, the same for all calls.
func (s *solver) rough(delta *big.Rat) *solver {
	if s.lowest == nil {
		s.lowest = newSolver(s.methods, 0, delta)
		s.lowest.memo = s.memo
	}
	return s.lowest
}

// A solution is the intersection of all methods that were run for a product.
type solution struct {
	prod     pair.Product
	used     []used
	twoSided bool // whether any is tight
	cost     float64
	short    Shortcuts // of the first method that has them
}

// A used method has its profile of a product.
type used struct {
	name  string
	from  sides
	tight bool // the enclosure shrinks to a point
	f     profile.Func
}

// A bound is one orientation of one product, and the bounds of its profile on the
// answer.
type bound struct {
	prod         pair.Product
	sol          *solution
	lower, upper bool
}

// maxDepth bounds the recursion of methods that solve parts of a product.
const maxDepth = 24

// cheap is the cost in seconds up to which a method is run although another one
// settles the question: its enclosure serves as a check.
const cheap = 0.25

// moderate is the cost in seconds up to which a sharp method is preferred to cheaper
// ones that are not.
const moderate = 60

// solve plans and prepares the methods for a product.
func (s *solver) solve(ctx context.Context, prod pair.Product) (*solution, error) {
	key := prod.String()
	if sol, ok := s.solved[key]; ok {
		return sol, nil
	}
	sol := &solution{prod: prod}
	if s.depth >= maxDepth {
		return sol, nil
	}
	s.depth++
	defer func() { s.depth-- }()
	if len(prod) == 0 {
		sol.add(used{"equal", bothSides, true, profile.Trivial})
		s.solved[key] = sol
		return sol, nil
	}
	type candidate struct {
		named
		plan *plan
	}
	var cs []candidate
	for _, m := range s.methods {
		if p := m.Plan(s, prod, s.effort); p != nil && p.isTakenBy(s.draft) {
			cs = append(cs, candidate{m, p})
		}
	}
	// A sharp method of moderate cost settles the question, else the cheapest two-sided
	// one; every other one is a check if it is cheap. While nothing settles it,
	// everything is tried, what bounds from one side only last.
	rank := func(p *plan) int {
		switch {
		case p.Cost <= cheap:
			return 0
		case p.TwoSided && p.Sharp && p.Cost <= moderate:
			return 1
		case p.TwoSided:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(cs, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank(a.plan), rank(b.plan)), cmp.Compare(a.plan.Cost, b.plan.Cost))
	})
	for _, c := range cs {
		if sol.twoSided && c.plan.Cost > cheap {
			continue
		}
		f, err := c.plan.Prepare(ctx)
		if s.refuses(c.name, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			sol.add(used{c.name, c.bounds, c.plan.TwoSided, f})
			if sol.short.Near == nil {
				sol.short = c.plan.Shortcuts
			}
			sol.cost += c.plan.Cost
		}
	}
	s.solved[key] = sol
	return sol, nil
}

// A Refusal is a method that was left out, because it would have needed more memory
// than is allowed.
type Refusal struct {
	Method string
	Bytes  int64 // which the step needs at which it was left out
}

func (r Refusal) String() string {
	if r.Bytes < 1e6 {
		return fmt.Sprintf("%s needs %d kB of memory", r.Method, (r.Bytes-1)/1000+1)
	}
	tenths := (r.Bytes-1)/100_000 + 1 // of a megabyte, rounded up
	return fmt.Sprintf("%s needs %d.%d MB of memory", r.Method, tenths/10, tenths%10)
}

// refuses reports, and remembers, that a method failed for want of memory.
func (s *solver) refuses(name string, err error) bool {
	var m *convolve.MemoryError
	if !errors.As(err, &m) {
		return false
	}
	for i, r := range s.refused {
		if r.Method == name {
			s.refused[i].Bytes = max(r.Bytes, m.Need)
			return true
		}
	}
	s.refused = append(s.refused, Refusal{name, m.Need})
	return true
}

// add adds a method. Copies of the solution keep what they have.
func (s *solution) add(u used) {
	s.used = append(slices.Clip(s.used), u)
	s.twoSided = s.twoSided || u.tight
}

// names are those of the methods.
func (s *solution) names() (out []string) {
	for _, u := range s.used {
		out = append(out, u.name)
	}
	return out
}

// on returns the solution with the methods that bound from one side. It reports false if there are none.
func (s *solution) on(side sides) (*solution, bool) {
	out := *s
	out.used = slices.DeleteFunc(slices.Clone(s.used), func(u used) bool { return u.from != bothSides && u.from != side })
	return &out, len(out.used) > 0
}

// restsOn says that the enclosure shrinks to a point only where the enclosure of a part does.
func (p *plan) restsOn(part *solution) {
	p.TwoSided = p.TwoSided && part.twoSided
}

// delta returns the intersection of all enclosures of δ(ε); [0, 1] if there are
// none. Every profile is at least the profile of two equal distributions.
func (s *solver) delta(ctx context.Context, sol *solution, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, _ := profile.Trivial(ctx, p, eps)
	y = interval.Union(y, interval.Int(1))
	var each []interval.Interval
	for i, u := range sol.used {
		x, err := u.f(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		z, ok := interval.Intersect(x, y)
		if !ok {
			return y, s.inconsistent(sol, sol.names()[:i], each, u.name, x, eps)
		}
		each, y = append(each, x), z
	}
	return y, nil
}

// decide returns an enclosure of δ(ε) by the first tight method that settles how it compares with
// delta; the one of all methods, if it does not.
func (s *solver) decide(ctx context.Context, sol *solution, p interval.Prec, eps interval.Real, delta *big.Rat) (interval.Interval, error) {
	if i := slices.IndexFunc(sol.used, func(u used) bool { return u.tight }); i >= 0 && len(sol.used) > 1 {
		y, err := sol.used[i].f(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		if y.LessEqRat(delta) != interval.Unknown {
			return y, nil
		}
	}
	return s.delta(ctx, sol, p, eps)
}

// inconsistent names the method that x is disjoint from.
func (s *solver) inconsistent(sol *solution, names []string, each []interval.Interval, name string, x interval.Interval, eps interval.Real) error {
	first, said := "the bounds (1 − e^ε)₊ ≤ δ ≤ 1", profile.Unit()
	for i, y := range each {
		if _, ok := interval.Intersect(x, y); !ok {
			first, said = names[i], y
			break
		}
	}
	e := Contradiction(first, said, name, x)
	e.Product, e.Eps, e.Effort = sol.prod.String(), about(eps), s.effort
	return e
}

// profileOf solves prod and returns its profile as a function.
func (s *solver) profileOf(ctx context.Context, prod pair.Product) (profile.Func, *solution, error) {
	sol, err := s.solve(ctx, prod)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return s.delta(ctx, sol, p, eps)
	}, sol, nil
}

// exactDelta returns δ(ε) as a rational number where it is one: beyond the
// largest finite loss, and at ε = 0 for finite pairs. That loss may be known by an
// enclosure only; ε is then told from it with p bits.
func exactDelta(p interval.Prec, prod pair.Product, eps *big.Rat) (*big.Rat, bool) {
	if m, ok := pair.InfMass(prod); ok {
		l, bounded := pair.LossBound(prod)
		if m.Cmp(big.NewRat(1, 1)) == 0 || bounded && l.Cmp(eps) <= 0 || renyi.GreatestLoss(p, prod).LessEqRat(eps) == interval.True {
			return m, true
		}
	}
	if eps.Sign() == 0 {
		return pair.TotalVariation(prod)
	}
	return nil, false
}

// profilesOf returns the profiles of several products, and calls f with their solutions, if it is not nil.
func (s *solver) profilesOf(ctx context.Context, prods []pair.Product, f func(*solution)) ([]profile.Func, error) {
	var fs []profile.Func
	for _, prod := range prods {
		of, sol, err := s.profileOf(ctx, prod)
		if err != nil {
			return nil, err
		}
		if f != nil {
			f(sol)
		}
		fs = append(fs, of)
	}
	return fs, nil
}

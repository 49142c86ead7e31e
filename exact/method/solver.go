// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

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
	"dpverify/exact/lattice"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/exact/replicas"
	"dpverify/exact/selection"
)

// A Method bounds the profile of products of pairs, in one orientation.
//
// The front door asks every method whether it applies to a product and what it
// would cost, and intersects the enclosures of those that it runs. A method that
// only bounds from one side returns [0, u] or [l, 1].
//
// It returns nil if it does not apply to prod at the given effort. s solves parts of prod on its behalf.
type Method func(s *Solver, prod pair.Product, e Effort) *Plan

// A Named method is a route from a product of pairs to bounds of its profile. Its name identifies it in answers:
// "gaussian", "lattice", …
type Named struct {
	Route
	Plan Method
}

// A Memo keeps what the answers to several questions share whose events are composed of the same ones: see
// Question.Memo. The zero value is ready for use, also by several goroutines. A question alone is answered faster
// without.
type Memo struct {
	transforms inversion.Memo
	lattices   lattice.Memo
}

// memory is what transforms share, or nil.
func (s *Solver) memory() *inversion.Memo {
	if s == nil || s.Memo == nil {
		return nil
	}
	return &s.Memo.transforms
}

// A Solver bounds profiles at one effort. It remembers what it has prepared.
type Solver struct {
	methods []Named
	Effort  Effort
	// scale is −log2 of the δ of interest, −1 if none is known.
	scale  int
	Solved map[string]*Solution
	leaves pld.Leaves
	// lattices are the products that were tried to invert on lattices of losses.
	lattices lattice.Memo
	// laws are the laws of allocations, which serve both directions.
	laws allocation.Laws
	// moments are those of replicas.
	moments replicas.Tables
	// selections are those that are prepared, for their two methods.
	selections map[string]*selection.Repeated
	Depth      int
	// coarse makes grids of allocations coarser, where what they bound is far from the truth anyway.
	coarse bool
	// alone makes methods answer by themselves: without what Prepare has better methods
	// for, and without falling back on another one.
	Alone bool
	// memo is what questions share, or nil.
	Memo *Memo
	// draft restricts the methods to those that are fast, see Draft.
	Draft Draft
	// refused are the methods that needed too much memory.
	Refused []Refusal
	// lowest is a solver at effort 0, made when needed.
	lowest *Solver
}

// NewSolver returns a solver for one rung of the ladder.
func NewSolver(methods []Named, e Effort, scale *big.Rat) *Solver {
	s := &Solver{methods: methods, Effort: e.valid(), scale: -1, Solved: make(map[string]*Solution)}
	if scale != nil && scale.Sign() > 0 {
		// It adds bits to precisions: for a δ that is even less, as 10^−100000, enclosures are wide.
		s.scale = min(max(0, scale.Denom().BitLen()-scale.Num().BitLen()), 1<<14)
	}
	return s
}

// Scale is −log2 of the δ of interest, −1 if none is known.
func (s *Solver) Scale() int { return s.scale }

// atLowest returns a solver at effort 0, the same for all calls: s, if it is one.
func (s *Solver) atLowest() *Solver {
	if s.Effort == 0 {
		return s
	}
	if s.lowest == nil {
		s.lowest = NewSolver(s.methods, 0, nil)
		s.lowest.scale, s.lowest.Memo = s.scale, s.Memo
	}
	return s.lowest
}

// A Solution is the intersection of all methods that were run for a product.
type Solution struct {
	Prod     pair.Product
	Used     []Used
	TwoSided bool                       // whether any is tight
	Slow     bool                       // whether any is slow: see Plan
	Short    Shortcuts                  // of the first method that has them
	Bits     func(Effort) interval.Prec // of the first tight method, see Plan
}

// A Used method has its profile of a product.
type Used struct {
	Name  string
	From  Sides
	Tight bool // the enclosure shrinks to a point
	F     profile.Func
}

// A Bound is one orientation of one product, and the bounds of its profile on the
// answer.
type Bound struct {
	Prod         pair.Product
	Sol          *Solution
	Lower, Upper bool
	// Pointwise says that the bound is another mechanism's at each ε: it says nothing of tests.
	Pointwise bool
}

// MaxDepth bounds the recursion of methods that solve parts of a product.
const MaxDepth = 24

// Cheap is the cost in seconds up to which a method is run although another one
// settles the question: its enclosure serves as a check.
const Cheap = 0.25

// moderate is the cost in seconds up to which a sharp method is preferred to cheaper
// ones that are not.
const moderate = 60

// Solve plans and prepares the methods for a product.
func (s *Solver) Solve(ctx context.Context, prod pair.Product) (*Solution, error) {
	key := prod.String()
	if sol, ok := s.Solved[key]; ok {
		return sol, nil
	}
	sol := &Solution{Prod: prod}
	if s.Depth >= MaxDepth {
		return sol, nil
	}
	s.Depth++
	defer func() { s.Depth-- }()
	if len(prod) == 0 {
		sol.Add(Used{"equal", BothSides, true, profile.Trivial})
		s.Solved[key] = sol
		return sol, nil
	}
	type candidate struct {
		Named
		plan *Plan
	}
	var cs []candidate
	for _, m := range s.methods {
		if p := m.Plan(s, prod, s.Effort); p != nil && p.isTakenBy(s.Draft) {
			cs = append(cs, candidate{m, p})
		}
	}
	// A sharp method of moderate cost settles the question, else the cheapest two-sided
	// one; every other one is a check if it is cheap. While nothing settles it,
	// everything is tried, what bounds from one side only last.
	rank := func(p *Plan) int {
		switch {
		case p.Cost <= Cheap:
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
		if sol.TwoSided && c.plan.Cost > Cheap {
			continue
		}
		f, err := c.plan.Prepare(ctx)
		if s.Refuses(c.Name, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			if c.plan.TwoSided && sol.Bits == nil {
				sol.Bits = c.plan.Bits
			}
			sol.Add(Used{c.Name, c.Bounds, c.plan.TwoSided, f})
			if sol.Short.Near == nil {
				sol.Short = c.plan.Shortcuts
			}
			sol.Slow = sol.Slow || c.plan.Slow
		}
	}
	s.Solved[key] = sol
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

// Refuses reports, and remembers, that a method failed for want of memory.
func (s *Solver) Refuses(name string, err error) bool {
	var m *convolve.MemoryError
	if !errors.As(err, &m) {
		return false
	}
	for i, r := range s.Refused {
		if r.Method == name {
			s.Refused[i].Bytes = max(r.Bytes, m.Need)
			return true
		}
	}
	s.Refused = append(s.Refused, Refusal{name, m.Need})
	return true
}

// Add adds a method. Copies of the solution keep what they have.
func (s *Solution) Add(u Used) {
	s.Used = append(slices.Clip(s.Used), u)
	s.TwoSided = s.TwoSided || u.Tight
}

// Names are those of the methods.
func (s *Solution) Names() (out []string) {
	for _, u := range s.Used {
		out = append(out, u.Name)
	}
	return out
}

// On returns the solution with the methods that bound from one side. It reports false if there are none.
func (s *Solution) On(side Sides) (*Solution, bool) {
	out := *s
	out.Used = slices.DeleteFunc(slices.Clone(s.Used), func(u Used) bool { return u.From != BothSides && u.From != side })
	return &out, len(out.Used) > 0
}

// restsOn says that the enclosure shrinks to a point only where the enclosure of a part does.
func (p *Plan) restsOn(part *Solution) {
	p.TwoSided = p.TwoSided && part.TwoSided
}

// Delta returns the intersection of all enclosures of δ(ε); [0, 1] if there are
// none. Every profile is at least the profile of two equal distributions.
func (s *Solver) Delta(ctx context.Context, sol *Solution, p interval.Prec, eps interval.Real) (interval.Interval,
	error) {
	y, _ := profile.Trivial(ctx, p, eps)
	y = interval.Union(y, interval.Int(1))
	var each []interval.Interval
	for i, u := range sol.Used {
		x, err := u.F(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		z, ok := interval.Intersect(x, y)
		if !ok {
			return y, s.Inconsistent(sol, sol.Names()[:i], each, u.Name, x, eps)
		}
		each, y = append(each, x), z
	}
	return y, nil
}

// Inconsistent names the method that x is disjoint from.
func (s *Solver) Inconsistent(sol *Solution, names []string, each []interval.Interval, name string, x interval.Interval,
	eps interval.Real) error {
	first, said := "the bounds (1 − e^ε)₊ ≤ δ ≤ 1", profile.Unit()
	for i, y := range each {
		if _, ok := interval.Intersect(x, y); !ok {
			first, said = names[i], y
			break
		}
	}
	e := Contradiction(first, said, name, x)
	e.Product, e.Eps, e.Effort = sol.Prod.String(), About(eps), s.Effort
	return e
}

// with returns what a method says, together with what another one says unless that needs too much memory.
func (s *Solver) with(ctx context.Context, prod pair.Product, name string, y interval.Interval, other string,
	f profile.Func, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	z, err := f(ctx, p, eps)
	if s.Refuses(other, err) {
		return y, nil
	}
	if err != nil {
		return profile.Unit(), err
	}
	both, ok := interval.Intersect(y, z)
	if !ok {
		return profile.Unit(), s.Inconsistent(&Solution{Prod: prod}, []string{name}, []interval.Interval{y}, other, z, eps)
	}
	return both, nil
}

// Names returns the methods of everything that was solved, in alphabetical order.
func (s *Solver) Names() (out []string) {
	for _, sol := range s.Solved {
		out = append(out, sol.Names()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ProfileOf solves prod and returns its profile as a function.
func (s *Solver) ProfileOf(ctx context.Context, prod pair.Product) (profile.Func, *Solution, error) {
	sol, err := s.Solve(ctx, prod)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return s.Delta(ctx, sol, p, eps)
	}, sol, nil
}

// ExactDelta returns δ(ε) as a rational number where it is one: beyond the
// largest finite loss, and at ε = 0 for finite pairs. That loss may be known by an
// enclosure only; ε is then told from it with p bits.
func ExactDelta(p interval.Prec, prod pair.Product, eps *big.Rat) (*big.Rat, bool) {
	if m, ok := pair.InfMass(prod); ok {
		l, bounded := pair.LossBound(prod)
		if m.Cmp(big.NewRat(1, 1)) == 0 || bounded && l.Cmp(eps) <= 0 ||
			renyi.GreatestLoss(p, prod).LessEqRat(eps) == interval.True {
			return m, true
		}
	}
	if eps.Sign() == 0 {
		return totalVariation(prod)
	}
	return nil, false
}

// profilesOf returns the profiles of several products, and calls f with their solutions, if it is not nil.
func (s *Solver) profilesOf(ctx context.Context, prods []pair.Product, f func(*Solution)) ([]profile.Func, error) {
	var fs []profile.Func
	for _, prod := range prods {
		of, sol, err := s.ProfileOf(ctx, prod)
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

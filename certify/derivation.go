package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A Derivation says what the stated derivation of a claim gives at the claimed δ.
// It never changes the verdict: a true claim may have a derivation that does not
// yield it, and a false one a derivation that does.
type Derivation struct {
	Name string
	// NotModelled says why nothing is known about the derivation; everything below
	// is then empty.
	NotModelled string
	// Epsilon encloses the derived ε, max(0, ·), but the least ε as it is where the claim is
	// below 0; over interval parameters, all of its values.
	Epsilon *exact.Enclosure
	// Implies answers derived ε ≤ claimed ε.
	Implies interval.Truth
	// Reproduces answers whether the claimed ε is the derived one, rounded to the
	// digits of the claim, and Rounding says how: see Rounding.
	Reproduces interval.Truth
	Rounding   Rounding
	// Digits is how many leading digits of the claim agree with the derived value.
	Digits int
	// Note is for people.
	Note string
}

// A NotModelledError says why a derivation does not apply to an event.
type NotModelledError string

func (e NotModelledError) Error() string { return string(e) }

// A method derives ε from an event. It returns a NotModelledError where it does not
// apply, and otherwise the errors of the engine.
type method func(d *deriver) (exact.Enclosure, error)

// methods are the derivations of this version, by the names that claims give.
var methods = map[string]method{
	"rdp-mironov":        (*deriver).rdpMironov,
	"rdp-cks":            (*deriver).rdpCKS,
	"moments-accountant": (*deriver).momentsAccountant,
	"zcdp-bs":            (*deriver).zcdpBS,
	"zcdp-cks":           (*deriver).zcdpCKS,
	"gdp-clt":            (*deriver).gdpCLT,
	"basic":              (*deriver).basic,
	"advanced":           (*deriver).advanced,
	"kov":                (*deriver).kov,
}

// leastEpsilon are the derivations whose value is the least ε itself. Of another
// library's discretisation nothing is known.
var leastEpsilon = map[string]string{
	"exact": "",
	"pld":   "the value is the least ε; another library's discretisation is not modelled",
	"prv":   "the value is the least ε; another library's discretisation is not modelled",
}

// A deriver holds what a derivation starts from.
type deriver struct {
	ctx   context.Context
	claim *Claim
	event mechanism.Event
	prob  pair.Problem
	note  string
}

// derivationBits is the precision of derived values.
const derivationBits = interval.Prec(64)

// deriveWithin is derive in at most a quarter of a budget: what a derivation gives must
// not cost the verdict.
func (out *Outcome) deriveWithin(ctx context.Context, budget time.Duration) error {
	limited, cancel := quarter(ctx, budget)
	defer cancel()
	err := out.derive(limited)
	if ask.OutOfTime(ctx, err) {
		return nil
	}
	return err
}

// quarter returns a context that ends with a quarter of a budget, if there is one.
func quarter(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	if budget > 0 {
		return context.WithTimeout(ctx, budget/4)
	}
	return context.WithCancel(ctx)
}

// leastNotReached is why a derivation that gives the least ε has no value yet.
const leastNotReached = "the least ε was not reached"

// derive sets the derivation of an outcome, if one is stated that does not need the
// least ε. The error is about the event or ctx's, or a bug of the engine.
func (out *Outcome) derive(ctx context.Context) error {
	c := out.Claim
	if c.Derivation == "" {
		return nil
	}
	d := &Derivation{Name: c.Derivation}
	out.Derivation = d
	m, known := methods[c.Derivation]
	_, later := leastEpsilon[c.Derivation]
	switch {
	case c.Statement.Epsilon == nil:
		d.NotModelled = "only claims {epsilon, delta} have modelled derivations"
		return nil
	case later:
		d.NotModelled = leastNotReached
		return nil
	case !known:
		d.NotModelled = "this version does not know the derivation"
		return nil
	}
	var y exact.Enclosure
	var notes []string
	for i, e := range c.corners() {
		type derived struct {
			epsilon exact.Enclosure
			note    string
		}
		x, err := ask.Within(ctx, func(ctx context.Context) (derived, error) {
			prob, err := pair.Resolve(e, c.Relation)
			if err != nil {
				return derived{}, err
			}
			r := deriver{ctx: ctx, claim: c, event: e, prob: prob}
			x, err := m(&r)
			return derived{x, r.note}, err
		})
		var not NotModelledError
		if errors.As(err, &not) {
			d.NotModelled = string(not)
			return nil
		}
		if err != nil {
			d.NotModelled = "the value was not reached in time"
			return err
		}
		if i == 0 {
			y = x.epsilon
		} else {
			y = y.Union(x.epsilon)
		}
		notes = append(notes, x.note)
	}
	d.Note = cornerNote(notes)
	d.compare(c, y)
	return nil
}

// cornerNote joins what is to be said at the corners of interval parameters, the more private
// one first.
func cornerNote(notes []string) string {
	if notes = slices.Compact(notes); len(notes) == 1 {
		return notes[0]
	}
	said := func(s string) string { return cmp.Or(s, "nothing to note") }
	return said(notes[0]) + " at the more private end, " + said(notes[1]) + " at the other"
}

// deriveLeast sets a derivation that gives the least ε, once that is known. Where the
// enclosure that decided the claim leaves open to how many digits the two agree, it takes
// a few rungs more, in at most a quarter of the budget. The error is a bug of the engine or
// the end of ctx, the caller's.
func (out *Outcome) deriveLeast(ctx context.Context, o Options) error {
	d := out.Derivation
	if d == nil || out.Epsilon == nil {
		return nil
	}
	note, ok := leastEpsilon[d.Name]
	if !ok {
		return nil
	}
	c := out.Claim
	*d = Derivation{Name: d.Name, Note: note}
	x := *out.Epsilon
	d.compare(c, x)
	if o.Fixed != nil || !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		return nil
	}
	limited, cancel := quarter(ctx, o.Budget)
	defer cancel()
	_, q := c.questions()
	further := ask.Ladder{First: out.Effort + 1, Last: min(out.Effort+moreEffort, exact.MaxEffort)}
	err := further.Climb(limited, func(e exact.Effort) (bool, error) {
		if d.settled(c) {
			return true, nil
		}
		r, err := ask.Within(limited, func(ctx context.Context) (exact.Result, error) {
			return exact.Epsilon(ctx, q, c.Statement.Delta, epsilonBits, e)
		})
		if err != nil {
			return false, err
		}
		y, ok := interval.Intersect(x.Interval, r.Interval)
		if !ok {
			return true, nil // another rung has said so, or will
		}
		x.Interval = y
		if r.Value != nil {
			x = r.Enclosure
		}
		d.compare(c, x)
		return false, nil
	})
	if ask.OutOfTime(ctx, err) {
		return nil
	}
	return err
}

// moreEffort is how many rungs more are taken for the digits of a derivation.
const moreEffort exact.Effort = 2

// settled reports whether all that a derivation says is settled.
func (d *Derivation) settled(c *Claim) bool {
	s := c.Statement
	_, most := agreeingDigits(d.Epsilon.Interval, s.Epsilon, s.Written[0])
	return d.Implies != interval.Unknown && d.Reproduces != interval.Unknown && d.Digits == most
}

// corners returns the events of a claim: two for interval parameters.
func (c *Claim) corners() []mechanism.Event {
	if mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		return []mechanism.Event{c.LessPrivate}
	}
	return []mechanism.Event{c.MorePrivate, c.LessPrivate}
}

// compare compares a derived ε with the claimed one. Derivations are about ε ≥ 0, and only the
// least ε answers a claim below 0.
func (d *Derivation) compare(c *Claim, e exact.Enclosure) {
	s := c.Statement
	if _, least := leastEpsilon[d.Name]; !least || s.Epsilon.Sign() >= 0 {
		e = e.OrZero()
	}
	if e.Value != nil {
		e.Interval = (2 * derivationBits).Rat(e.Value)
	}
	d.Epsilon = &e
	d.Implies = e.LessEqRat(s.Epsilon)
	d.Reproduces, d.Rounding = reproduces(e, s.Epsilon, s.Written[0])
	d.Digits, _ = agreeingDigits(e.Interval, s.Epsilon, s.Written[0])
}

// delta encloses the claimed δ, with bits to spare.
func (d *deriver) delta() interval.Interval {
	return (4 * derivationBits).Rat(d.claim.Statement.Delta)
}

// enclosed is a derived value that is known by its enclosure only.
func enclosed(x interval.Interval) exact.Enclosure { return exact.Enclosure{Interval: x} }

// infinite is ε = ∞: the derivation gives nothing at this δ.
func infinite() exact.Enclosure {
	hi := interval.Entire().Hi()
	return enclosed(interval.Bounds(hi, hi))
}

// notModelled formats a NotModelledError.
func notModelled(format string, args ...any) error {
	return NotModelledError(fmt.Sprintf(format, args...))
}

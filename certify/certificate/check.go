// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Check is what recomputing a certificate gave.
type Check struct {
	Certificate Certificate
	Verdict     CheckVerdict
	Delta       *exact.Enclosure // recomputed; nil if nothing was
	// How says what was different from the certificate: methods, or the precision.
	How string
	// Reason says why a certificate is contradicted or was not confirmed.
	Reason string
}

// A CheckVerdict says whether a certificate stands.
type CheckVerdict string

const (
	Confirmed    CheckVerdict = "confirmed"
	Contradicted CheckVerdict = "contradicted"
	Unconfirmed  CheckVerdict = "not confirmed" // nothing decided it within the budget
)

// Verify repeats the decision of a certificate and compares all that it states. Then
// it recomputes δ by methods that the certificate does not name, and where those do not
// decide the claim, at another precision, which changes all roundings and grids. The
// error is about the question, a bug of the engine or ctx's.
func Verify(ctx context.Context, cert Certificate, c *certify.Claim, budget time.Duration) (Check, error) {
	p, ok := c.Point()
	if !ok {
		return Check{}, &mechanism.ParamError{Field: "claim", Value: c.Says(), Want: "a claim (ε, δ)"}
	}
	started := time.Now()
	limited, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	out := Check{Certificate: cert, Verdict: Unconfirmed}
	why, err := cert.repeat(limited, c)
	switch {
	case err != nil:
		return out.ended(ctx, err)
	case why != "":
		out.Verdict, out.Reason = Contradicted, why
		return out, nil
	}
	half, stop := context.WithTimeout(limited, (budget-time.Since(started))/2)
	defer stop()
	k, ok, err := checkByOtherMethods(half, cert, c, p)
	switch {
	case ok:
		return k, nil
	case err != nil && (limited.Err() != nil || !errors.Is(err, context.DeadlineExceeded)):
		return out.ended(ctx, err)
	}
	return checkAtOtherPrecision(limited, ctx, cert, c, p)
}

// repeat decides the claim at the effort of the certificate, at all corners of interval
// parameters, and says what the certificate states that this does not give; nothing if
// it gives all. An enclosure may be wider than it is now: it is not less true. One that is narrower than what a
// decision far from the truth takes is compared with δ as sharp as the effort gives it.
func (cert Certificate) repeat(ctx context.Context, c *certify.Claim) (string, error) {
	options := certify.Options{Fixed: &cert.Effort, MaxMemory: cert.MaxMemory}
	why, wide, err := cert.compare(ctx, c, options)
	if wide && err == nil {
		options.Sharp = true
		why, _, err = cert.compare(ctx, c, options)
	}
	return why, err
}

// compare is repeat for one way to decide. Wide says that all that is missing is an enclosure as narrow as the
// certificate states.
func (cert Certificate) compare(ctx context.Context, c *certify.Claim,
	options certify.Options) (why string, wide bool, err error) {
	o, err := certify.Decide(ctx, c, options)
	switch {
	case err != nil:
		return "", false, err
	case o.Err != nil:
		return "", false, o.Err
	}
	now, ok := New(o)
	switch {
	case !ok:
		return fmt.Sprintf("at effort %d the claim is %s", cert.Effort, o.Verdict), false, nil
	case now.Verdict != cert.Verdict:
		return fmt.Sprintf("the claim is %s", now.Verdict), false, nil
	case !slices.Equal(now.Methods, cert.Methods):
		return fmt.Sprintf("methods = %s, and the decision rests on %s", list(cert.Methods), list(now.Methods)), false, nil
	case !slices.Equal(now.Notes, cert.Notes):
		return fmt.Sprintf("notes = %s, and the decision has %s", list(cert.Notes), list(now.Notes)), false, nil
	}
	for _, f := range []struct {
		name        string
		stated, now certify.Bounds
	}{{"delta", cert.Delta, now.Delta}, {"epsilon", cert.Epsilon, now.Epsilon}} {
		stated, err1 := decimal.ParseEnds(f.stated.Lo, f.stated.Hi)
		given, err2 := decimal.ParseEnds(f.now.Lo, f.now.Hi)
		if err := errors.Join(err1, err2); err != nil {
			return "", false, err
		}
		if !stated.Contain(given) {
			return fmt.Sprintf("%s = [%s, %s], and the methods at this effort give [%s, %s]",
				f.name, show.Cut(f.stated.Lo), show.Cut(f.stated.Hi), f.now.Lo, f.now.Hi), true, nil
		}
	}
	return "", false, nil
}

// list writes names or sentences.
func list(items []string) string {
	return show.Name(show.Cut("[" + strings.Join(items, ", ") + "]"))
}

// ended tells the end of the budget from other errors.
func (k Check) ended(ctx context.Context, err error) (Check, error) {
	if efforts.OutOfTime(ctx, err) {
		k.Reason = "the budget ended"
		return k, nil
	}
	return k, err
}

// decide compares a recomputed enclosure of δ with the certificate; ok is false if it
// decides nothing.
func (cert Certificate) decide(p certify.Point, x exact.Enclosure, how string) (k Check, ok bool) {
	k = Check{Certificate: cert, Delta: &x, How: how}
	shown := certify.NewBounds(&x, p.Delta)
	stated, err := decimal.ParseEnds(cert.Delta.Lo, cert.Delta.Hi)
	if err != nil {
		panic(fmt.Sprintf("certificate: internal error: %v", err)) // Read has read it
	}
	if !stated.Meet(x) {
		k.Verdict = Contradicted
		k.Reason = fmt.Sprintf("δ at the claimed ε is in [%s, %s], and not in [%s, %s]", shown.Lo, shown.Hi,
			cert.Delta.Lo, cert.Delta.Hi)
		return k, true
	}
	switch t := x.LessEqRat(p.Delta); {
	case t == interval.Unknown:
		k.Verdict = Unconfirmed
		return k, false
	case t == interval.True && cert.Verdict == certify.Refuted:
		k.Verdict, k.Reason = Contradicted, "the claim is true"
	case t == interval.False && cert.Verdict == certify.Verified:
		k.Verdict, k.Reason = Contradicted, "the claim is false"
	default:
		k.Verdict = Confirmed
	}
	return k, true
}

// checkAtOtherPrecision decides the claim again on another rung of the ladder: the
// next one, or the one below the top.
func checkAtOtherPrecision(limited, ctx context.Context, cert Certificate, c *certify.Claim,
	p certify.Point) (Check, error) {
	e := cert.Effort + 1
	if e > exact.MaxEffort {
		e = cert.Effort - 1
	}
	out := Check{Certificate: cert, Verdict: Unconfirmed, Reason: "the enclosure does not decide the claim"}
	r, err := guard.Within(limited, func(ctx context.Context) (exact.Result, error) {
		return exact.Delta(ctx, cert.question(c, p), p.Epsilon, e)
	})
	if err != nil {
		return out.ended(ctx, err)
	}
	how := fmt.Sprintf("precision: %d bits and not %d, by %s", e.Bits(), cert.Precision, strings.Join(r.Methods, ", "))
	if k, ok := cert.decide(p, r.Enclosure, how); ok {
		return k, nil
	}
	return out, nil
}

// question returns the question that settles the certificate: a claim is true if it is
// for the least private event, and false if it is for the most private one.
func (cert Certificate) question(c *certify.Claim, p certify.Point) exact.Question {
	q := exact.Question{Event: c.LessPrivate, Relation: c.Relation, Direction: c.Direction, Scale: p.Delta}
	if cert.Verdict == certify.Refuted {
		q.Event = c.MorePrivate
	}
	return q
}

// otherMethodCost bounds the seconds that one method may take to prepare, by its own
// estimate.
const otherMethodCost = 5

// checkByOtherMethods decides the claim by methods that the certificate does not
// name. Each of them encloses the profile of one orientation of the dominating
// product: their upper ends verify, and where the product is attained the lower ends
// refute.
func checkByOtherMethods(ctx context.Context, cert Certificate, c *certify.Claim,
	p certify.Point) (Check, bool, error) {
	q := cert.question(c, p)
	products, attained, err := exact.Orientations(q)
	if err != nil {
		return Check{}, false, err
	}
	var k Check
	decided := false
	err = efforts.UpTo(cert.Effort+1).Climb(ctx, func(e exact.Effort) (bool, error) {
		x, names, err := otherMethods(ctx, cert, p, q, products, e)
		if err != nil || x == nil {
			return false, err
		}
		if !attained {
			x.Interval = interval.Bounds(interval.Int(0).Lo(), x.Hi())
		}
		how := fmt.Sprintf("methods: %s at %d bits", strings.Join(names, ", "), e.Bits())
		k, decided = cert.decide(p, *x, how)
		return decided, nil
	})
	return k, decided, err
}

// otherMethods intersects the enclosures of methods that the certificate does not
// name, and takes the maximum over the orientations; nil if an orientation has none. The
// names are of those that say something that the others before do not.
func otherMethods(ctx context.Context, cert Certificate, claim certify.Point, q exact.Question, products []string,
	e exact.Effort) (*exact.Enclosure, []string, error) {
	all, err := guard.Within(ctx, func(ctx context.Context) ([]exact.Single, error) {
		return exact.Each(ctx, q, e, otherMethodCost, cert.Methods...)
	})
	if err != nil {
		return nil, nil, err
	}
	byProduct := make(map[string]*interval.Interval)
	for _, p := range products {
		byProduct[p] = nil
	}
	var names []string
	for _, s := range all {
		if slices.ContainsFunc(s.Parts, func(part string) bool { return slices.Contains(cert.Methods, part) }) {
			continue // it rests on what the certificate does
		}
		y, err := guard.Within(ctx, func(ctx context.Context) (interval.Interval, error) {
			return s.Delta(ctx, claim.Epsilon)
		})
		if err != nil {
			return nil, nil, err
		}
		old := byProduct[s.Product]
		says := !trivial(y)
		if old != nil {
			z, ok := interval.Intersect(*old, y)
			if !ok {
				bug := exact.Contradiction(strings.Join(names, ", "), *old, s.Method, y)
				bug.Product, bug.Eps, bug.Effort = s.Product, claim.Epsilon.RatString(), e
				return nil, nil, bug
			}
			y, says = z, z.Lo().Cmp(old.Lo()) > 0 || z.Hi().Cmp(old.Hi()) < 0
		}
		byProduct[s.Product] = &y
		if !slices.Contains(names, s.Method) && says {
			names = append(names, s.Method)
		}
	}
	var max *interval.Interval
	for _, y := range byProduct {
		if y == nil {
			return nil, nil, nil
		}
		if max == nil {
			max = y
		} else {
			max = new(interval.Max(*max, *y))
		}
	}
	if max == nil {
		return nil, nil, nil
	}
	return &exact.Enclosure{Interval: *max}, names, nil
}

// trivial reports an enclosure of δ that holds of every probability.
func trivial(y interval.Interval) bool {
	return y.Lo().Sign() <= 0 && y.LessRat(big.NewRat(1, 1)) != interval.True
}

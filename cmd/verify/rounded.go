package main

import (
	"context"
	"slices"

	"dpverify/exact"
	"dpverify/mechanism"
)

// climbRange is climb for a range of events, of which it answers for all: the enclosures are
// the hulls of what holds for its two ends, between which all quantities are monotone. The
// event of q is not used.
func climbRange(ctx context.Context, q exact.Question, r mechanism.Range, qs []quantity, g goal, step func(e exact.Effort, open int)) ([]answer, error) {
	q.Event = r.LessPrivate
	if len(r.Rounded) == 0 {
		return climb(ctx, q, qs, g, step)
	}
	more := q
	more.Event = r.MorePrivate
	var others []answer
	var otherErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		otherErr = guard(func() (err error) {
			others, err = climb(ctx, more, qs, g, nil)
			return err
		})
	}()
	answers, err := climb(ctx, q, qs, g, step)
	<-done
	switch {
	case answers == nil:
		return nil, err
	case others == nil:
		return nil, otherErr
	case err == nil:
		err = otherErr
	}
	for i := range answers {
		answers[i] = answers[i].hull(others[i], g.digits, qs[i])
		answers[i].Notes = slices.Concat(answers[i].Notes, r.Notes())
	}
	return answers, err
}

// hull returns an answer that holds for two events and all between them.
func (a answer) hull(b answer, digits int, q quantity) answer {
	both := a
	both.Enclosure = a.Union(b.Enclosure)
	both.Methods = slices.Clone(a.Methods)
	for _, m := range b.Methods {
		if !slices.Contains(both.Methods, m) {
			both.Methods = append(both.Methods, m)
		}
	}
	both.Effort = max(a.Effort, b.Effort)
	both.Refused = slices.Concat(a.Refused, b.Refused)
	both.computed, both.ended = a.computed && b.computed, a.ended && b.ended
	both.complete = accurate(both.Enclosure, digits, q.floor)
	both.found = both.complete || both.Value != nil || q.trivial.isBetter(both.Interval)
	switch {
	case both.complete:
		both.reason = ""
	case !a.complete:
		both.reason = a.reason
	case !b.complete:
		both.reason = b.reason
	default:
		both.reason = "the probabilities are known up to rounding only"
	}
	return both
}

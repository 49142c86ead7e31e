// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A walk moves one parameter from lo to hi.
type walk struct {
	name   string
	lo, hi float64
	ask    func(x float64) string
}

// reasons are of jumps that are known: between lo and hi of walks whose names begin so.
var reasons = []struct {
	walk   string
	lo, hi float64
	why    string
}{
	{"sgd-sigma-10", .045, .053, "with less noise, ten digits are a sum over the number of hits, and else a line"},
	{"replace-sigma-10", .045, .053, "with less noise, ten digits are a sum over the number of hits, and else a line"},
	{"replace-sigma-4", .1, .2, "a line in float64 has the bits, or just not: then one of hits alone, in words"},
	{"different-samples-10", 100, 300, "each sample has its own transform: time is in proportion to their number"},
}

// reason is the one of a jump between two places of a walk, or that there is none.
func (w walk) reason(x, y float64) string {
	for _, r := range reasons {
		if w.name == r.walk && r.lo <= x && y <= r.hi {
			return r.why
		}
	}
	return "no reason is known"
}

// short writes three significant digits, with an exponent where that is shorter.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

func sampled(q, sigma string) string { return "poisson(" + q + ", gaussian(" + sigma + "))" }

// copies is an event so many times.
func copies(event string, n int) string { return fmt.Sprintf("%s * %d", event, n) }

// sum is a composition of n events.
func sum(n int, event func(i int) string) string {
	each := make([]string, n)
	for i := range each {
		each[i] = event(i)
	}
	return strings.Join(each, " + ")
}

// epsilon is a question for ε.
func epsilon(event, delta string, digits int) string {
	return fmt.Sprintf("epsilon --delta %s --digits %d '%s'", delta, digits, event)
}

const (
	step = 1.03
	jump = 5    // times that differ by more between neighbours are a cliff
	idle = 0.02 // seconds of which nobody takes notice
)

// walks are the parameters of DP-SGD and of other events.
func walks() (out []walk) {
	whole := func(x float64) int { return int(math.Round(x)) }
	for _, digits := range []int{4, 10} {
		name := func(s string) string { return fmt.Sprintf("%s-%d", s, digits) }
		for _, relation := range []string{"ADD_OR_REMOVE_ONE", "REPLACE_ONE"} {
			prefix := map[string]string{"ADD_OR_REMOVE_ONE": "sgd-", "REPLACE_ONE": "replace-"}[relation]
			train := func(q, sigma float64, t int, delta float64) string {
				return epsilon(copies(sampled(short(q), short(sigma)), t), short(delta), digits) + " --relation " + relation
			}
			out = append(out,
				walk{name(prefix + "sigma"), .02, 100, func(x float64) string { return train(.01, x, 1000, 1e-6) }},
				walk{name(prefix + "sigma-few"), .1, 100, func(x float64) string { return train(.01, x, 10, 1e-6) }},
				walk{name(prefix + "rate"), 1e-7, .5, func(x float64) string { return train(x, 1, 100, 1e-8) }},
				walk{name(prefix + "steps"), 1, 1e6, func(x float64) string { return train(.01, 1, whole(x), 1e-6) }},
				walk{name(prefix + "delta"), 1e-15, 1e-4, func(x float64) string { return train(.001, .8, 1000, x) }})
		}
		out = append(out,
			walk{name("laplace-scale"), .5, 100, func(x float64) string {
				return epsilon(copies("laplace("+short(x)+")", 30), "1e-6", digits)
			}},
			walk{name("laplace-count"), 1, 1e4, func(x float64) string {
				return epsilon(copies("laplace(20)", whole(x)), "1e-6", digits)
			}},
			walk{name("discrete-gaussian-sigma"), .3, 1e4, func(x float64) string {
				return epsilon(copies("discrete_gaussian("+short(x)+")", 100), "1e-6", digits)
			}},
			walk{name("discrete-gaussian-count"), 1, 1e4, func(x float64) string {
				return epsilon(copies("discrete_gaussian(10)", whole(x)), "1e-6", digits)
			}},
			walk{name("guarantees"), 1, 1000, func(x float64) string {
				return epsilon(sum(whole(x), func(i int) string { return "dp(" + short(.01+.0007*float64(i)) + ", 1e-9)" }),
					"1e-5", digits)
			}},
			walk{name("different-samples"), 1, 300, func(x float64) string {
				return epsilon(sum(whole(x), func(i int) string {
					return sampled(short(.001+.0001*float64(i)), short(.8+.01*float64(i)))
				}), "1e-6", digits)
			}},
			walk{name("allocation-steps"), 2, 1000, func(x float64) string {
				return epsilon(fmt.Sprintf("{class_name: RandomAllocationDpEvent, event: {class_name: GaussianDpEvent, "+
					"noise_multiplier: 2}, num_selected: 1, num_steps: %d}", whole(x)), "1e-6", digits)
			}})
	}
	return out
}

// findCliffs takes the walks whose names match. Where both ends of stride steps cost about the same, the steps
// between are left out; elsewhere the range is halved, down to single steps.
func findCliffs(ctx context.Context, ask asker, names *regexp.Regexp, stride int, out io.Writer) error {
	for _, w := range walks() {
		if !names.MatchString(w.name) {
			continue
		}
		if err := w.search(ctx, ask, stride, out); err != nil {
			return err
		}
	}
	return nil
}

// search prints the jumps of a walk with their reasons, and its slowest point.
func (w walk) search(ctx context.Context, ask asker, stride int, out io.Writer) error {
	last := int(math.Ceil(math.Log(w.hi/w.lo) / math.Log(step)))
	known := make(map[int]answer)
	place := func(i int) float64 { return min(w.hi, w.lo*math.Pow(step, float64(i))) }
	at := func(i int) (answer, error) {
		if a, ok := known[i]; ok {
			return a, nil
		}
		x := place(i)
		a, err := ask.ask(ctx, question{fmt.Sprintf("%s at %.4g", w.name, x), w.ask(x)})
		known[i] = a
		return a, err
	}
	var between func(i, j int) error
	between = func(i, j int) error {
		a, err := at(i)
		if err != nil {
			return err
		}
		b, err := at(j)
		if err != nil {
			return err
		}
		leap := math.Max(a.seconds, idle) / math.Max(b.seconds, idle)
		leap = math.Max(leap, 1/leap)
		switch {
		case j-i > 1 && (j-i > stride || leap > math.Sqrt(jump) || a.complete != b.complete):
			mid := (i + j) / 2
			if err := between(i, mid); err != nil {
				return err
			}
			return between(mid, j)
		case j-i == 1 && (leap > jump || a.complete != b.complete):
			fmt.Fprintf(out, "  jump %5.1f  %v\n              %v\n              %s\n", leap, a, b, w.reason(place(i), place(j)))
		}
		return nil
	}
	if err := between(0, last); err != nil {
		return err
	}
	var slowest answer
	total := 0.0
	for _, a := range known {
		total += a.seconds
		if a.seconds > slowest.seconds {
			slowest = a
		}
	}
	fmt.Fprintf(out, "%s: %d of %d points, %.1f s; slowest %v\n", w.name, len(known), last+1, total, slowest)
	return nil
}

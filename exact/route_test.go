// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dpverify/exact/crossing"
	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

var update = flag.Bool("update", false, "write the routes into docs/architecture.md")

// TestRoutesAreShown: docs/architecture.md has a table of all routes.
func TestRoutesAreShown(t *testing.T) {
	const page, begin, end = "../docs/architecture.md", "<!-- routes -->\n", "<!-- end of routes -->\n"
	text := new(strings.Builder)
	list := func(title string, routes []method.Route) {
		fmt.Fprintf(text, "\n%s:\n\n| route | bounds from | applies to | costs |\n|---|---|---|---|\n", title)
		for _, r := range routes {
			fmt.Fprintf(text, "| %s | %s | %s | %s |\n", r.Name, r.Bounds, r.Applies, r.Cost)
		}
	}
	var events, products, epsilons []method.Route
	for _, r := range eventRoutes {
		events = append(events, r.Route)
	}
	for _, m := range method.All {
		products = append(products, m.Route)
	}
	for _, r := range epsilonRoutes {
		epsilons = append(epsilons, r.Route)
	}
	list("From an event to products of pairs, `eventRoutes`, all that apply", events)
	list("From a product to δ, `methods`, until one that bounds from both sides settles it", products)
	list("From a product to ε, `epsilonRoutes`, the first that applies", epsilons)
	list("To make the search for ε shorter, `searchRoutes`", searchRoutes)
	text.WriteByte('\n')
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	old, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatalf("%s has no %q … %q", page, begin, end)
	}
	if string(old) == text.String() {
		return
	}
	if !*update {
		t.Fatalf("%s has other routes; go test ./exact -run TestRoutesAreShown -update", page)
	}
	if err := os.WriteFile(page, slices.Concat(before, []byte(begin), []byte(text.String()), []byte(end), after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSearchRoutes: each function that a search may have is a route, beside the value that it is about.
func TestSearchRoutes(t *testing.T) {
	var want, got []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[crossing.Problem]()) {
		if f.Type.Kind() == reflect.Func && f.Name != "Value" {
			want = append(want, f.Name)
		}
	}
	for _, r := range searchRoutes {
		got = append(got, r.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("routes %v, and a search has %v", got, want)
	}
}

// TestMethodsKeepToTheirSides: a method that is listed as a bound from one side says nothing of the other one. Searches
// of the other end leave it out.
func TestMethodsKeepToTheirSides(t *testing.T) {
	asked := make(map[string]bool)
	for k, d := range mechanism.Descriptions() {
		e, err := mechanism.DecodeEvent([]byte(d.Example))
		if err != nil {
			continue // it names a file
		}
		for i := range 2 * len(d.Relations) {
			if i%3 != k%3 && !testkit.Thorough() {
				continue
			}
			q := Question{Event: e, Relation: d.Relations[i/2]}
			if i%2 > 0 {
				q.Event = mechanism.SelfComposed{Event: e, Count: 2}
			}
			all, err := Each(t.Context(), q, 0, 0.1)
			if err != nil {
				continue // a matrix is not composed, for one
			}
			for _, s := range all {
				i := slices.IndexFunc(method.All, func(m method.Named) bool { return m.Name == s.Method })
				side := method.All[i].Bounds
				if side == method.BothSides || asked[s.Method+d.Class] {
					continue
				}
				asked[s.Method], asked[s.Method+d.Class] = true, true
				for _, eps := range testkit.QuickTurn(k, rats("-1/2", "1/4")) {
					y, err := s.Delta(t.Context(), eps)
					if err != nil {
						t.Fatal(err)
					}
					none, _ := profile.Trivial(t.Context(), 64, interval.RealRat(eps))
					if side == method.FromAbove && y.Lower().LessEq(none.Upper()) != interval.True || side == method.FromBelow && y.Upper().LessRat(rat("1")) != interval.False {
						t.Errorf("δ(%s) of %s in %v by %s, which bounds from %s", eps.RatString(), s.Product, y, s.Method, side)
					}
				}
			}
		}
	}
	if len(asked) < 20 {
		t.Errorf("asked %v", asked)
	}
}

// searchRoutes make the search for the ε of a product shorter. Each is named as its field of [crossing.Problem].
var searchRoutes = []method.Route{
	{Name: "Exact", Bounds: method.BothSides, Applies: "an ε beyond all finite losses, and ε = 0 of finite pairs",
		Cost: "next to nothing"},
	{Name: "Above", Bounds: method.FromAbove, Applies: "products with a method that has a quick bound",
		Cost: "next to nothing"},
	{Name: "Near", Bounds: method.Neither, Applies: "products with a method that has a quick guess",
		Cost: "next to nothing"},
	{Name: "Alike", Bounds: method.Neither, Applies: "an ε to so many decimal digits", Cost: "next to nothing"},
}

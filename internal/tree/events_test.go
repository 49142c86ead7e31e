// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// A leftover is what a function with a switch over events leaves to its default, and why
// that is right. A new event is in a case of each such function or in its list here.
type leftover struct {
	function, reason string
	events           []string
}

// composite are the events that Factors takes apart.
var composite = []string{"Composed", "NoOp", "SelfComposed"}

// leftovers has an entry for each switch over events outside tests.
var leftovers = []leftover{
	{"mechanism/composition.inside", "holds no other event, or none that is a guarantee by itself", except("Group", "Maximum", "PoissonSampled", "RandomAllocation", "RepeatAndSelect", "SampledWithReplacement", "SampledWithoutReplacement")},
	{"mechanism/composition.SampleSome", "holds no sample and knows no number of records", except("Composed", "Group", "Maximum", "PoissonSampled", "RandomAllocation", "RepeatAndSelect", "SampledWithReplacement", "SampledWithoutReplacement", "SelfComposed", "Shuffled", "TruncatedSubsampledGaussian")},
	{"mechanism/composition.flatten", "", nil},
	{"mechanism/composition.key", "names no file", except("AdditiveNoise", "HistogramPair", "MatrixMechanism")},
	{"mechanism.CheckParameters", "takes no part in how a composition is taken apart, or is checked there", except("Group", "Maximum", "PoissonSampled", "RandomAllocation", "RepeatAndSelect", "SampledWithReplacement", "SelfComposed", "Shuffled")},
	{"mechanism.oneCount", "is no noise on one number, which is an error", except("DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace")},
	{"mechanism.localReport", "is no local randomizer, which is an error", except("EpsilonDelta", "RandomizedResponse")},
	{"exact/meaning.shuffled", "mechanism.localReport refuses it", except("EpsilonDelta", "RandomizedResponse")},
	{"exact/pair.chances", "mechanism.oneCount refuses it", except("DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace")},
	{"exact/meaning.thresholdedMeaning", "mechanism.oneCount refuses it", except("DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace")},
	{"exact/meaning.equalDistributions", "has no sensitivity that may be 0, or looks for itself",
		except("Binomial", "ClampedGaussian", "ClampedLaplace", "DiscreteLaplace", "GaussianPair", "TruncatedGaussian", "TruncatedLaplace")},
	{"exact.worst", "is no guarantee in Rényi divergences", except("RenyiCurve", "ZCDP")},
	{"exact/meaning.factor", "is no factor", composite},
	{"exact/meaning.groupMeaning", "is no factor, or a group, which Factors merges, or has no rule for groups, which is an error",
		append([]string{"DominatingPair", "Group", "RenyiCurve", "TradeOff"}, composite...)},
	{"internal/prose.phrase", "", nil},
	{"ask/ledger.gaussian", "is not nothing but Gaussian noise, and refused", except("Composed", "Gaussian", "SelfComposed")},
	{"float/pair.group", "not covered by the fast path, which says so",
		except("DiscreteLaplace", "Gaussian", "Laplace", "NonPrivate", "SingleEpochTreeAggregation", "TruncatedGaussian", "TruncatedLaplace")},
	{"exact/meaning.showsPresence", "what states a sensitivity under the relation shows presence, too; of others, the output on an absent record is that on a null record: noise on sums, or a pair given outright; samples and compositions ask what they hold",
		except("NonPrivate", "RandomizedResponse")},
	{"exact/meaning.statesRelation", "is a guarantee, about one record's value, or a pair given outright; samples and compositions ask what they hold",
		except("DiscreteGaussian", "ExponentialMechanism", "PermuteAndFlip")},
	{"float/pair.factor", "is no factor, or not covered by the fast path, which says so",
		append([]string{"Binomial", "ClampedGaussian", "ClampedLaplace", "ThresholdedNoise", "DominatingPair", "ExponentialMechanism", "GaussianPair", "Maximum", "MixtureOfGaussians", "PermuteAndFlip", "RandomAllocation", "RenyiCurve", "TradeOff", "RepeatAndSelect", "SampledWithReplacement", "Shuffled", "TruncatedSubsampledGaussian", "ZCDP"}, composite...)},
	{"float/pair.revealing", "as in exact/meaning.showsPresence", except(append([]string{"PoissonSampled"}, presence...)...)},
	{"ask/report.assumptions", "assumes nothing that its numbers do not say", except("Gaussian", "Laplace", "PoissonSampled", "RandomAllocation", "RepeatAndSelect", "SampledWithReplacement", "SampledWithoutReplacement")},
}

// presence are the events whose output may show whether a record is there: what stands for
// all mechanisms with a guarantee, selections and functions that are bounded under the relation, local randomizers, and what releases all.
// Leaving one out makes sampling look better than it is.
var presence = []string{"DiscreteGaussian", "DominatingPair", "EpsilonDelta", "ExponentialMechanism", "NonPrivate", "PermuteAndFlip", "RandomizedResponse", "RenyiCurve", "TradeOff", "ZCDP"}

// except are all events but some, as they were when the table was written: a new event is not
// among them and has to be decided on.
func except(some ...string) []string {
	all := []string{"AdditiveNoise", "Binomial", "ClampedGaussian", "ClampedLaplace", "Composed", "DiscreteGaussian", "DiscreteLaplace", "DominatingPair",
		"EpsilonDelta", "ExponentialMechanism", "FinitePair", "Gaussian", "GaussianPair", "Group", "HistogramPair", "Laplace", "MatrixMechanism", "Maximum", "MixtureOfGaussians", "NoOp",
		"NonPrivate", "PermuteAndFlip", "PoissonSampled", "RandomAllocation", "RandomizedResponse", "RenyiCurve", "RepeatAndSelect", "SampledWithReplacement", "SampledWithoutReplacement",
		"SelfComposed", "Shuffled", "SingleEpochTreeAggregation", "ThresholdedNoise", "TradeOff", "TruncatedGaussian", "TruncatedLaplace", "TruncatedSubsampledGaussian", "ZCDP"}
	return slices.DeleteFunc(all, func(e string) bool { return slices.Contains(some, e) })
}

// TestEverySwitchDecidesOnEveryEvent: no event falls to the default of a switch unseen. A
// default may be unsound: it was written before the event was.
func TestEverySwitchDecidesOnEveryEvent(t *testing.T) {
	ps := load(t, "./...")
	events := eventTypes(ps)
	if len(events) < 25 {
		t.Fatalf("%d events, want at least 25: %v", len(events), events)
	}
	seen := make(map[string]bool)
	for _, p := range ps {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := strings.TrimPrefix(p.PkgPath, "dpverify/") + "." + fn.Name.Name
				for _, cases := range eventSwitches(p, fn) {
					seen[name] = true
					i := slices.IndexFunc(leftovers, func(l leftover) bool { return l.function == name })
					if i < 0 {
						t.Errorf("%s has a switch over events and no entry in leftovers of events_test.go", name)
						continue
					}
					for _, e := range events {
						switch left := slices.Contains(leftovers[i].events, e); {
						case !left && !cases[e]:
							t.Errorf("%s has no case for mechanism.%s: add one, or name the event in leftovers of events_test.go if its default is right", name, e)
						case left && cases[e]:
							t.Errorf("%s has a case for mechanism.%s, which leftovers of events_test.go leaves to its default", name, e)
						}
					}
				}
			}
		}
	}
	for _, l := range leftovers {
		if !seen[l.function] {
			t.Errorf("leftovers of events_test.go names %s, which has no switch over events", l.function)
		}
	}
}

// eventTypes returns the names of all events.
func eventTypes(ps []*packages.Package) []string {
	var out []string
	for _, p := range ps {
		if p.PkgPath != "dpverify/mechanism" {
			continue
		}
		scope := p.Types.Scope()
		event := scope.Lookup("Event").Type().Underlying().(*types.Interface)
		for _, name := range scope.Names() {
			if o, ok := scope.Lookup(name).(*types.TypeName); ok && !types.IsInterface(o.Type()) && types.Implements(o.Type(), event) {
				out = append(out, name)
			}
		}
	}
	return out
}

// eventSwitches returns the cases of each switch over the type of an event.
func eventSwitches(p *packages.Package, fn *ast.FuncDecl) []map[string]bool {
	var out []map[string]bool
	ast.Inspect(fn, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		var asserted ast.Expr
		switch a := s.Assign.(type) {
		case *ast.AssignStmt:
			asserted = a.Rhs[0]
		case *ast.ExprStmt:
			asserted = a.X
		}
		if x := p.TypesInfo.TypeOf(asserted.(*ast.TypeAssertExpr).X); x == nil || x.String() != "dpverify/mechanism.Event" {
			return true
		}
		cases := make(map[string]bool)
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if x := p.TypesInfo.TypeOf(e); x != nil {
					cases[strings.TrimPrefix(x.String(), "dpverify/mechanism.")] = true
				}
			}
		}
		out = append(out, cases)
		return true
	})
	return out
}

// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpverify/definition"
	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// smaller returns events that are one step smaller, as JSON: an event inside in place of the whole, a list with an
// element less, and simpler numbers, each anywhere inside.
func smaller(x any) []any {
	var out []any
	switch x := x.(type) {
	case map[string]any:
		for _, key := range []string{"event", "events"} {
			switch inside := x[key].(type) {
			case map[string]any:
				out = append(out, inside)
			case []any:
				out = append(out, inside...)
			}
		}
		for key, value := range x {
			for _, s := range smaller(value) {
				y := map[string]any{}
				for k, v := range x {
					y[k] = v
				}
				y[key] = s
				out = append(out, y)
			}
		}
	case []any:
		for i, value := range x {
			if _, ok := value.(map[string]any); ok {
				out = append(out, slices.Delete(slices.Clone(x), i, i+1))
			}
			for _, s := range smaller(value) {
				y := slices.Clone(x)
				y[i] = s
				out = append(out, y)
			}
		}
	case float64:
		for _, s := range []float64{0, 1, 2} {
			if s < x {
				out = append(out, s)
			}
		}
	case string:
		for i, s := range []string{"0", "1", "1/2", "2"} {
			if at := slices.Index([]string{"0", "1", "1/2", "0.5", "2"}, x); at < 0 || at > i {
				out = append(out, s)
			}
		}
	}
	return out
}

// shrunk returns a smallest question that still has an instance above its answer.
func (x trial) shrunk(t *definition.Tables, seed int64) trial {
	for steps := 0; steps < 100; steps++ {
		var tree any
		if err := json.Unmarshal(mechanism.EncodeContents(x.Event), &tree); err != nil {
			panic(err)
		}
		i := slices.IndexFunc(smaller(tree), func(s any) bool {
			text, err := json.Marshal(s)
			if err != nil {
				panic(err)
			}
			y := x
			if y.Event, err = mechanism.DecodeEvent(text); err != nil {
				return false
			}
			if above, err := y.try(t, 40, seed); err == nil && above {
				x = y
				return true
			}
			return false
		})
		if i < 0 {
			break
		}
	}
	return x
}

// String is a command that shows the answer, and what is above it.
func (x trial) String() string {
	flags := x.flags
	if x.Relation != mechanism.AddOrRemoveOne {
		flags += " --relation " + x.Relation.String()
	}
	if x.Direction != mechanism.Both {
		flags += " --direction " + x.Direction.String()
	}
	lo, hi := x.answer.Decimal(8)
	return fmt.Sprintf("verify %s '%s' is [%s, %s], and a mechanism has about %.8g, on %s against %s", flags, mechanism.EncodeContents(x.Event), lo, hi,
		x.finding.Worth, strings.Join(x.finding.OnP, ", "), strings.Join(x.finding.OnQ, ", "))
}

// TestShrinking: of a tree that is above a wrong answer, what does not matter is left out.
func TestShrinking(t *testing.T) {
	e, err := mechanism.DecodeEvent([]byte(`{"class_name":"ComposedDpEvent","events":[{"class_name":"NoOpDpEvent"},{"class_name":"SelfComposedDpEvent","count":2,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"7/3"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	x := trial{Question: definition.Question{Event: e}, quantity: deltaAt(rat("0")), cells: 32}
	x.above = func(_ answer, p masses.Pair) bool { return p.DeltaAtLeast(rat("0")).Cmp(rat("1/10")) > 0 }
	small := x.shrunk(definition.NewTables(t.Context()), 1)
	want := `{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`
	if got := string(mechanism.EncodeEvent(small.Event)); got != want {
		t.Errorf("shrunk to %s, want %s", got, want)
	}
}

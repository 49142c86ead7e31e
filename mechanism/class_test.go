// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/internal/field"
	"dpverify/internal/suggest"
)

// TestEveryEventHasAClass: what has a method ClassName in this package is in classes, and no two classes have one name.
func TestEveryEventHasAClass(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	for _, c := range classes {
		listed[reflect.TypeOf(c).Name()] = true
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "ClassName" || fn.Recv == nil {
				continue
			}
			found++
			if event := fn.Recv.List[0].Type.(*ast.Ident).Name; !listed[event] {
				t.Errorf("%s: %s is not in classes of class.go", name, event)
			}
		}
	}
	if found != len(listed) || len(byName) != len(classes) {
		t.Errorf("%d events, %d in classes; %d classes and %d names", found, len(listed), len(classes), len(byName))
	}
}

// TestEveryClassIsDescribed: the file of an event says all that a description asks for, about an event of its own
// class.
func TestEveryClassIsDescribed(t *testing.T) {
	for _, c := range classes {
		d := c.describe()
		if d.about == "" || d.bound == "" || d.example == "" && d.fields != nil || reflect.TypeOf(d.value) != reflect.PointerTo(reflect.TypeOf(c)) {
			t.Errorf("%s: %+v", c.ClassName(), d)
		}
		e, err := Decoder{Open: testFiles}.Event(parse(t, "{"+head(c)+strings.TrimRight(","+d.example, ",")+"}"), "event")
		if err != nil {
			t.Errorf("%s: %v", c.ClassName(), err)
		} else if text := Phrase(e, (*big.Rat).String); text == "" || strings.Contains(text, "%") {
			t.Errorf("%s is %q in a sentence", c.ClassName(), text)
		}
	}
}

func TestNearestClass(t *testing.T) {
	for typed, want := range map[string]string{
		"GaussianDpEvnt": "GaussianDpEvent", "gaussian": "GaussianDpEvent", "Gaussian": "GaussianDpEvent", "GaussianEvent": "GaussianDpEvent",
		"ZCDPDpEvent": "ZCDpEvent", "zCDP": "ZCDpEvent", "FinitePairDpEvent": "FinitePairEvent", "PoissonSampleDpEvent": "PoissonSampledDpEvent",
		"SelfComposed": "SelfComposedDpEvent", "NoOp": "NoOpDpEvent", "RepeatAndSelect": "RepeatAndSelectDpEvent",
		"": "", "Teapot": "", strings.Repeat("Gaussian", 10): "",
	} {
		if got := suggest.Class(typed, ClassNames()); got != want {
			t.Errorf("suggest.Class(%q) = %q, want %q", typed, got, want)
		}
	}
}

var update = flag.Bool("update", false, "write the classes into docs/schema/event.schema.json")

// TestSchema: the classes in the published schema are those of this package, with their fields. What numbers are stands
// after them, and is written by hand.
func TestSchema(t *testing.T) {
	const path = "../docs/schema/event.schema.json"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var refs, definitions []string
	for _, c := range classes {
		name, d := c.ClassName(), c.describe()
		refs = append(refs, "    {"+field.Ref(name)+"}")
		own := []field.Field{{Name: "module_name", Schema: field.Known(`"type": "string"`), Optional: true}, {Name: "class_name", Schema: field.Known(`"const": "` + name + `"`)}}
		fields := append(own, d.fields...)
		definitions = append(definitions, fmt.Sprintf("    %q: {\n      \"description\": %q,%s\n    },\n", name, d.about, field.ObjectSchema(fields, "\n      ", "\n        ")))
	}
	head, rest, ok1 := strings.Cut(string(data), "  \"oneOf\": [\n")
	_, tail, ok2 := strings.Cut(rest, "    \"numberText\"")
	if !ok1 || !ok2 {
		t.Fatalf("%s has no list of classes, or no numbers after them", path)
	}
	want := head + "  \"oneOf\": [\n" + strings.Join(refs, ",\n") + "\n  ],\n  \"$defs\": {\n    \"event\": {\"$ref\": \"#\"},\n" +
		strings.Join(definitions, "") + "    \"numberText\"" + tail
	if !json.Valid([]byte(want)) {
		t.Fatalf("no JSON:\n%s", want)
	}
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s differs (-file +code); run: go test ./mechanism -run TestSchema -update\n%s", path, cmp.Diff(string(data), want))
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryClassOfDPAccounting: each class of dp_event.py, as of August 2026, is accepted, or refused by its name.
func TestEveryClassOfDPAccounting(t *testing.T) {
	for _, name := range []string{
		"NoOpDpEvent", "NonPrivateDpEvent", "UnsupportedDpEvent", "RandomizedResponseDpEvent", "EpsilonDeltaDpEvent", "GaussianDpEvent",
		"LaplaceDpEvent", "DiscreteLaplaceDpEvent", "DiscreteGaussianDpEvent", "SelfComposedDpEvent", "ComposedDpEvent",
		"PoissonSampledDpEvent", "SampledWithReplacementDpEvent", "SampledWithoutReplacementDpEvent", "SingleEpochTreeAggregationDpEvent",
		"RepeatAndSelectDpEvent", "MixtureOfGaussiansDpEvent", "ZCDpEvent", "ExponentialMechanismDpEvent", "PermuteAndFlipDpEvent",
		"TruncatedSubsampledGaussianDpEvent",
	} {
		_, err := DecodeEvent([]byte(`{"class_name":"` + name + `"}`))
		var unsupported *UnsupportedError
		known := byName[name] != nil
		if refused := errors.As(err, &unsupported) && unsupported.Class == name; known == refused {
			t.Errorf("%s: known %v, refused by name %v: %v", name, known, refused, err)
		}
	}
}

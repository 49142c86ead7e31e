// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpverify/internal/suggest"

	"github.com/google/go-cmp/cmp"
)

func TestLookupKnowsEveryClassOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range slices.Concat(classNames, unsupportedClasses) {
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		if _, ok := lookup(name); ok == slices.Contains(unsupportedClasses, name) {
			t.Errorf("lookup(%s): %v", name, ok)
		}
	}
}

// TestEveryEventHasAClass: what a method ClassName of this package returns is in classes.
func TestEveryEventHasAClass(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
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
			class, err := strconv.Unquote(fn.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit).Value)
			if _, ok := lookup(class); err != nil || !ok {
				t.Errorf("%s: %s is not in classes of class.go", name, class)
			}
		}
	}
	if found != len(classes) {
		t.Errorf("%d events and %d classes", found, len(classes))
	}
}

func TestNearestClass(t *testing.T) {
	for typed, want := range map[string]string{
		"GaussianDpEvnt": "GaussianDpEvent", "gaussian": "GaussianDpEvent", "Gaussian": "GaussianDpEvent", "GaussianEvent": "GaussianDpEvent",
		"ZCDPDpEvent": "ZCDpEvent", "zCDP": "ZCDpEvent", "FinitePairDpEvent": "FinitePairEvent", "PoissonSampleDpEvent": "PoissonSampledDpEvent",
		"SelfComposed": "SelfComposedDpEvent", "NoOp": "NoOpDpEvent", "RepeatAndSelect": "RepeatAndSelectDpEvent",
		"": "", "Teapot": "", strings.Repeat("Gaussian", 10): "",
	} {
		if got := suggest.Class(typed, classNames); got != want {
			t.Errorf("suggest.Class(%q) = %q, want %q", typed, got, want)
		}
	}
}

// The published schema has exactly the classes and fields that the decoder has,
// and requires exactly the fields that it calls missing.
func TestSchemaHasTheSameClassesAndFields(t *testing.T) {
	data, err := os.ReadFile("../docs/schema/event.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		OneOf []struct {
			Ref string `json:"$ref"`
		} `json:"oneOf"`
		Defs map[string]struct {
			Properties map[string]struct {
				Const string `json:"const"`
			} `json:"properties"`
			Required             []string `json:"required"`
			AdditionalProperties *bool    `json:"additionalProperties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, alternative := range schema.OneOf {
		names = append(names, strings.TrimPrefix(alternative.Ref, "#/$defs/"))
	}
	if diff := cmp.Diff(classNames, names); diff != "" {
		t.Errorf("classes (-code +schema):\n%s", diff)
	}
	for _, name := range names {
		def := schema.Defs[name]
		if def.Properties["class_name"].Const != name {
			t.Errorf("%s: class_name is %q", name, def.Properties["class_name"].Const)
		}
		if def.AdditionalProperties == nil || *def.AdditionalProperties {
			t.Errorf("%s: additional properties are allowed", name)
		}
		var fields []string
		for field := range def.Properties {
			if field != "class_name" && field != "module_name" {
				fields = append(fields, field)
			}
		}
		c, _ := lookup(name)
		want := slices.Sorted(slices.Values(c.fields))
		if slices.Sort(fields); !slices.Equal(fields, want) {
			t.Errorf("%s: fields %v, want %v", name, fields, want)
		}
		required := []string{"class_name"}
		for _, field := range c.fields {
			if !slices.Contains([]string{"xi", "dimension", "kind", "sha256"}, field) && !(name == "DiscreteGaussianDpEvent" && field == "sensitivity") {
				required = append(required, field)
			}
		}
		if diff := cmp.Diff(required, def.Required); diff != "" {
			t.Errorf("%s: required (-code +schema):\n%s", name, diff)
		}
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
		_, known := lookup(name)
		if refused := errors.As(err, &unsupported) && unsupported.Class == name; known == refused {
			t.Errorf("%s: known %v, refused by name %v: %v", name, known, refused, err)
		}
	}
}

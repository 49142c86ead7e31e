// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

var update = flag.Bool("update", false, "rewrite the table of docs/trust.md (under DPVERIFY_LONG=1)")

// symbols are quantities as the table names them.
var symbols = []struct{ name, symbol string }{{"delta", "δ"}, {"epsilon", "ε"}, {"tv", "tv"}, {"renyi", "R"}, {"tradeoff", "f"}, {"gdp", "μ"}}

// reached counts the trees in which a class is, under a relation, by the quantity that was asked.
type reached map[place]int

type place struct {
	class    string
	relation mechanism.Relation
	quantity string
}

func (c reached) add(x trial) {
	var tree any
	if err := json.Unmarshal(mechanism.EncodeEvent(x.Event), &tree); err != nil {
		panic(err)
	}
	for class := range classesIn(tree, map[string]bool{}) {
		c[place{class, x.Relation, x.name}]++
	}
}

func classesIn(x any, into map[string]bool) map[string]bool {
	switch x := x.(type) {
	case map[string]any:
		if name, ok := x["class_name"].(string); ok {
			into[name] = true
		}
		for _, v := range x {
			classesIn(v, into)
		}
	case []any:
		for _, v := range x {
			classesIn(v, into)
		}
	}
	return into
}

const (
	page  = "../docs/trust.md"
	begin = "| class | ADD_OR_REMOVE_ONE | REPLACE_ONE | REPLACE_SPECIAL |\n|---|---|---|---|\n"
)

// row is the line of a class: how many trees, and of which quantities.
func (c reached) row(class string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", class)
	for _, r := range relations {
		n, said := 0, []string{}
		for _, q := range symbols {
			if k := c[place{class, r, q.name}]; k > 0 {
				n += k
				said = append(said, q.symbol)
			}
		}
		switch {
		case n == 0:
			b.WriteString(" no meaning |")
		case len(said) == len(symbols):
			fmt.Fprintf(&b, " %d, all |", n)
		default:
			fmt.Fprintf(&b, " %d, %s |", n, strings.Join(said, " "))
		}
	}
	return b.String() + "\n"
}

// check compares with the table, which is that of the long run: every class has a line there, and the long run reaches
// under each relation all that the line says, but for the numbers of trees.
func (c reached) check(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), begin)
	if !ok {
		t.Fatalf("%s has no table of what was reached", page)
	}
	old := after[:strings.Index(after+"\n\n", "\n\n")+1]
	var table strings.Builder
	for _, class := range slices.Sorted(slices.Values(mechanism.ClassNames())) {
		table.WriteString(c.row(class))
		if !*update && !strings.Contains(old, "| "+class+" |") {
			t.Errorf("%s has no line for %s: DPVERIFY_LONG=1 go test ./definition -run NoTree -update", page, class)
		}
	}
	switch {
	case !testkit.Long():
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table.String()+strings.TrimPrefix(after, old)), 0o666); err != nil {
			t.Fatal(err)
		}
	case shape(table.String()) != shape(old):
		t.Errorf("%s says of what was reached\n%s\nwant, from -update,\n%s", page, old, table.String())
	}
}

// shape leaves out numbers.
func shape(table string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, table)
}

// TestEveryClassIsDrawn: a class that no tree has is never run.
func TestEveryClassIsDrawn(t *testing.T) {
	drawn := map[string]bool{}
	for _, c := range append(nodes(), leaves...) {
		drawn[c.name] = true
	}
	for _, class := range mechanism.ClassNames() {
		if !drawn[class] {
			t.Errorf("%s is in no tree: give it a line in definition/draw_test.go", class)
		}
		delete(drawn, class)
	}
	for name := range maps.Keys(drawn) {
		t.Errorf("%s is drawn and is no class", name)
	}
}

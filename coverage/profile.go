// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A block is a run of statements without branches.
type block struct {
	file       string // in the module
	line       int    // of its start
	column     int
	statements int
	reached    bool
}

const module = "dpverify/"

// parseProfile reads what go test -coverprofile writes: lines of
// file:line.column,line.column statements count, one for each package that was tested.
func parseProfile(text string) ([]block, error) {
	all := make(map[string]*block)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == 0 && strings.HasPrefix(line, "mode: ") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d: %q, want file:start,end, a number of statements and a count", i+1, line)
		}
		b := all[fields[0]]
		if b == nil {
			b = new(block)
			file, place, ok := strings.Cut(fields[0], ":")
			b.file = strings.TrimPrefix(file, module)
			if _, err := fmt.Sscanf(place, "%d.%d,", &b.line, &b.column); !ok || err != nil {
				return nil, fmt.Errorf("line %d: %q, want file:line.column,line.column", i+1, fields[0])
			}
			var err error
			if b.statements, err = strconv.Atoi(fields[1]); err != nil {
				return nil, fmt.Errorf("line %d: %q, want a number of statements", i+1, fields[1])
			}
			all[fields[0]] = b
		}
		b.reached = b.reached || fields[2] != "0"
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no blocks")
	}
	var out []block
	for _, b := range all {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return out, nil
}

// covered returns the share of statements in blocks that were reached.
func covered(blocks []block) (share float64, statements int) {
	reached := 0
	for _, b := range blocks {
		statements += b.statements
		if b.reached {
			reached += b.statements
		}
	}
	return float64(reached) / float64(statements), statements
}

// A place names a block for readers, and stays when lines are added elsewhere:
// "file: function: line of the source in which it starts".
type place string

// uncovered returns how many blocks of each place have a statement and were not reached.
func uncovered(root string, blocks []block) (map[place]int, error) {
	out := make(map[place]int)
	sources := make(map[string]*source)
	for _, b := range blocks {
		if b.reached || b.statements == 0 {
			continue
		}
		s := sources[b.file]
		if s == nil {
			var err error
			if s, err = readSource(root, b.file); err != nil {
				return nil, err
			}
			sources[b.file] = s
		}
		p, err := s.place(b.line)
		if err != nil {
			return nil, err
		}
		out[p]++
	}
	return out, nil
}

// A source is a file with its functions.
type source struct {
	file      string
	lines     []string
	functions []function
}

type function struct {
	name        string
	first, last int // lines
}

func readSource(root, file string) (*source, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{file: file, lines: strings.Split(string(text), "\n")}
	for _, d := range f.Decls {
		name := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
		default:
			name = "variables"
		}
		s.functions = append(s.functions, function{name, fset.Position(d.Pos()).Line, fset.Position(d.End()).Line})
	}
	return s, nil
}

// receiver returns the name of a receiver's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// place returns the place of a line.
func (s *source) place(line int) (place, error) {
	for _, f := range s.functions {
		if f.first <= line && line <= f.last && line <= len(s.lines) {
			return place(fmt.Sprintf("%s: %s: %s", s.file, f.name, abridged(s.lines[line-1]))), nil
		}
	}
	return "", fmt.Errorf("%s:%d is in no function: is the profile of this version?", s.file, line)
}

// abridged returns a line without its comment, its brace and what makes it long.
func abridged(line string) string {
	line, _, _ = strings.Cut(line, " //")
	line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "{"))
	line = strings.ReplaceAll(line, "`", "'")
	if r := []rune(line); len(r) > 90 {
		line = strings.TrimSpace(string(r[:90])) + " …"
	}
	return line
}

// total returns the number of blocks.
func total(m map[place]int) int {
	n := 0
	for _, k := range m {
		n += k
	}
	return n
}

func sortedPlaces(m map[place]int) []place { return slices.Sorted(maps.Keys(m)) }

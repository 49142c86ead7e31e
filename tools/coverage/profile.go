// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// A block is a run of statements without branches, of a file in the module.
type block struct {
	file string
	cover.ProfileBlock
}

func (b block) reached() bool { return b.Count > 0 }

const module = "dpverify/"

// parseProfile reads what go test -coverprofile writes: each block once, though each package that was tested has its
// count.
func parseProfile(text string) ([]block, error) {
	profiles, err := cover.ParseProfilesFromReader(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	var out []block
	for _, p := range profiles {
		for _, b := range p.Blocks {
			out = append(out, block{strings.TrimPrefix(p.FileName, module), b})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there are no blocks")
	}
	return out, nil
}

// covered returns the share of statements in blocks that were reached.
func covered(blocks []block) (share float64, statements int) {
	reached := 0
	for _, b := range blocks {
		statements += b.NumStmt
		if b.reached() {
			reached += b.NumStmt
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
		if b.reached() || b.NumStmt == 0 {
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
		p, err := s.place(b.StartLine)
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
func receiver(t ast.Expr) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(t), "*"), "[")
	return name
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

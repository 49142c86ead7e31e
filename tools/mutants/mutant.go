// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
)

// A Mutant is a one-line mistake, and the test that notices it.
//
// The list has five lines for each, blank lines between, and comments that begin
// with #:
//
//	<name>: <what would be wrong>
//	<file>: <declaration>
//	- <the line as it is>
//	+ <the line as it would be; may be empty>
//	killed by <package> <test>
//
// File and package are paths inside the module. The declaration is a function, a
// method written as Type.Method, or a variable, constant or type; the old line must
// occur exactly once in it. Leading and trailing space does not count.
// `times out in` stands in place of `killed by` where the test does not end; elsewhere
// a timeout is no kill. `where it runs` after the test says that it is skipped on machines that
// lack what it tests; elsewhere a killer that is skipped is an error. `with -flag=value` after the test is an argument
// of it, for a test that looks longer than it does by itself, and `with DPVERIFY_LONG=1` is for one that the long suite
// runs.
//
// A declaration in an assembly file, or one it includes, is a TEXT or a #define, up to the next one.
type Mutant struct {
	Name, Why     string
	File, In      string
	Old, New      string
	Package, Test string
	With          string // a flag of the test, longSuite, or ""
	Hangs, Skips  bool

	List string // the file of the list
	Line int    // and the line
}

const (
	killedBy   = "killed by"
	timesOutIn = "times out in"
	whereRun   = " where it runs"
	longSuite  = "DPVERIFY_LONG=1"
)

func (m Mutant) String() string {
	verb := killedBy
	if m.Hangs {
		verb = timesOutIn
	}
	where := ""
	if m.With != "" {
		where = " with " + m.With
	}
	if m.Skips {
		where += whereRun
	}
	return fmt.Sprintf("%s: %s\n%s: %s\n- %s\n%s\n%s %s %s%s", m.Name, m.Why, m.File, m.In, m.Old,
		strings.TrimSpace("+ "+m.New), verb, m.Package, m.Test, where)
}

//go:embed list/*.txt
var lists embed.FS

// listed returns all mutants.
func listed() ([]Mutant, error) {
	files, err := lists.ReadDir("list")
	if err != nil {
		return nil, err
	}
	var out []Mutant
	at := make(map[string]Mutant)
	for _, f := range files {
		name := path.Join("list", f.Name())
		text, err := lists.ReadFile(name)
		if err != nil {
			return nil, err
		}
		ms, err := parseList(path.Join("mutants", name), string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if first, ok := at[m.Name]; ok {
				return nil, fmt.Errorf("%s:%d: %s is also at %s:%d", m.List, m.Line, m.Name, first.List, first.Line)
			}
			at[m.Name] = m
		}
		out = append(out, ms...)
	}
	return out, nil
}

var (
	nameLine   = regexp.MustCompile(`^([a-z0-9-]+): (\S.*)$`)
	fileLine   = regexp.MustCompile(`^((?:[\w-]+/)*[\w-]+\.(?:go|s|h)): ([\w.]+)$`)
	oldLine    = regexp.MustCompile(`^- (\S.*)$`)
	newLine    = regexp.MustCompile(`^\+(?: (\S.*))?$`)
	killerLine = regexp.MustCompile(`^(` + killedBy + `|` + timesOutIn + `) (\.|[\w/-]+) (Test\w*)(?: with (-\S+|` +
		longSuite + `))?(` + whereRun + `)?$`)
)

// parseList reads a file of the list.
func parseList(file, text string) ([]Mutant, error) {
	var out []Mutant
	m, field := Mutant{}, 0
	fields := []struct {
		format *regexp.Regexp
		want   string
		set    func(found []string)
	}{
		{nameLine, "<name>: <what would be wrong>", func(f []string) { m.Name, m.Why = f[1], f[2] }},
		{fileLine, "<file>: <declaration>", func(f []string) { m.File, m.In = f[1], f[2] }},
		{oldLine, "- <the line as it is>", func(f []string) { m.Old = f[1] }},
		{newLine, "+ <the line as it would be>", func(f []string) { m.New = f[1] }},
		{killerLine, killedBy + " <package> <test>", func(f []string) {
			m.Hangs, m.Package, m.Test, m.With, m.Skips = f[1] == timesOutIn, f[2], f[3], f[4], f[5] != ""
		}},
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case line == "" && field == 0:
			continue
		}
		if field == 0 {
			m = Mutant{List: file, Line: i + 1}
		}
		f := fields[field]
		found := f.format.FindStringSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("%s:%d: %q, want %s", file, i+1, line, f.want)
		}
		f.set(found)
		if field++; field == len(fields) {
			if m.Old == m.New {
				return nil, fmt.Errorf("%s:%d: %s changes nothing", file, m.Line, m.Name)
			}
			out, field = append(out, m), 0
		}
	}
	if field > 0 {
		return nil, fmt.Errorf("%s: ends inside %s, want %s", file, m.Name, fields[field].want)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no mutants", file)
	}
	return out, nil
}

// apply returns src, the contents of m.File, with the mistake.
func (m Mutant) apply(src []byte) ([]byte, error) {
	fail := func(format string, args ...any) ([]byte, error) {
		return nil, fmt.Errorf("%s:%d: %s: %s", m.List, m.Line, m.Name, fmt.Sprintf(format, args...))
	}
	first, last, err := m.declaration(src)
	if err != nil {
		return fail("%v", err)
	}
	lines := bytes.Split(src, []byte("\n"))
	at := -1
	for i := first - 1; i < last; i++ {
		if string(bytes.TrimSpace(lines[i])) != m.Old {
			continue
		}
		if at >= 0 {
			return fail("%s of %s has %q on lines %d and %d, want it once", m.In, m.File, m.Old, at+1, i+1)
		}
		at = i
	}
	if at < 0 {
		return fail("%s of %s has no line %q", m.In, m.File, m.Old)
	}
	lines[at] = bytes.Replace(lines[at], []byte(m.Old), []byte(m.New), 1)
	return bytes.Join(lines, []byte("\n")), nil
}

// declaration returns the first and the last line of m.In.
func (m Mutant) declaration(src []byte) (first, last int, err error) {
	if path.Ext(m.File) != ".go" {
		for i, line := range strings.Split(string(src), "\n") {
			text, define := strings.HasPrefix(line, "TEXT ·"), strings.HasPrefix(line, "#define ")
			switch {
			case (text || define) && first > 0:
				return first, i, nil
			case text && strings.HasPrefix(line, "TEXT ·"+m.In+"(SB)"), define && defined.FindStringSubmatch(line)[1] == m.In:
				first = i + 1
			}
			last = i + 1
		}
	} else {
		files := token.NewFileSet()
		syntax, err := parser.ParseFile(files, m.File, src, parser.SkipObjectResolution)
		if err != nil {
			return 0, 0, err
		}
		if d := find(syntax, m.In); d != nil {
			first, last = files.Position(d.Pos()).Line, files.Position(d.End()).Line
		}
	}
	if first == 0 {
		return 0, 0, fmt.Errorf("%s does not declare %s", m.File, m.In)
	}
	return first, last, nil
}

// defined finds the name of a macro.
var defined = regexp.MustCompile(`^#define (\w*)`)

// find returns the declaration of a name at the top level of a file.
func find(file *ast.File, name string) ast.Node {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			full := d.Name.Name
			if d.Recv != nil {
				full = receiver(d.Recv.List[0].Type) + "." + full
			}
			if full == name {
				return d
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return s
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name == name {
							return s
						}
					}
				}
			}
		}
	}
	return nil
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(t), "*"), "[")
	return name
}

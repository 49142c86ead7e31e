// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"bytes"
	"embed"
	"html/template"
	"sync"

	"dpverify/ask/reproduce"
	"dpverify/internal/prose"
)

//go:embed page.css
var css string

//go:embed *.tmpl
var templates embed.FS

// pages are the templates. Everything that is put into them is escaped by its
// context; the style sheet is our own.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"css":       func() template.CSS { return template.CSS(css) },
		"printable": printable,
		"people":    func(text string) template.HTML { return people(printable(text)) },
		"number":    func(decimal string) template.HTML { return people(prose.Readable(decimal)) },
		"class":     classOf,
	}).ParseFS(templates, "*.tmpl"))
})

// render executes a template.
func render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := pages().ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// classOf is the style of a verdict: those on claims that say the same.
func classOf(v reproduce.Verdict) string {
	switch v {
	case reproduce.Holds, reproduce.Reproduced:
		return "verified"
	case reproduce.Fails, reproduce.NotReproduced:
		return "refuted"
	case reproduce.Undecided:
		return "undecided"
	}
	return "faint"
}

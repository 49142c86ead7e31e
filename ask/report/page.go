// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"bytes"
	"embed"
	"html"
	"html/template"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

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

// Today is the date, or the one that SOURCE_DATE_EPOCH names, as builds that are to be repeated set it.
func Today() string {
	at := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		at = time.Unix(epoch, 0)
	}
	return at.UTC().Format(time.DateOnly)
}

// scientific finds numbers with an exponent.
var scientific = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d+(?:\.\d+)?)e([+-]?\d+)\b`) })

// people escapes a text and writes its powers of ten as people do: 1.5e-7 is 1.5 × 10⁻⁷.
func people(text string) template.HTML {
	text = strings.NewReplacer(" %", "\u00a0%", "≈ ", "≈\u00a0", "ε = ", "ε\u00a0=\u00a0", "δ = ", "δ\u00a0=\u00a0",
		"ε ≤ ", "ε\u00a0≤\u00a0", "ε ≥ ", "ε\u00a0≥\u00a0").Replace(html.EscapeString(text)) // no line breaks there
	return template.HTML(scientific().ReplaceAllStringFunc(text, func(s string) string {
		mantissa, exponent, _ := strings.Cut(s, "e")
		power := "10<sup>" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-", "−", 1) + "</sup>"
		if mantissa != "1" {
			power = mantissa + " × " + power
		}
		return `<span class="power">` + power + `</span>`
	}))
}

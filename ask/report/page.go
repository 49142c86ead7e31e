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
	"dpverify/internal/figure"
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

// A reproduced is an entry as the page shows it.
type reproduced struct {
	reproduce.Outcome
	Rows     []reproducedRow
	Pictures []drawing
}

type reproducedRow struct {
	Verdict                                 reproduce.Verdict
	Text, Printed, Enclosure, Wanted, Whose string
}

type drawing struct {
	Title string
	SVG   template.HTML // our own drawing
}

// drawnSize is the size of graphs with several curves: 780 pixels wide.
var drawnSize = figure.Size{Width: 585, Height: 340}

// bound keeps a sign and its number on one line.
var bound = strings.NewReplacer("≥ ", "≥\u00a0", "≤ ", "≤\u00a0")

// Reproduced returns the page about entries that were recomputed, pictures included.
func Reproduced(program string, os []reproduce.Outcome) ([]byte, error) {
	data := struct {
		Title, Program string
		Entries        []reproduced
	}{Title: "Figures and stated numbers, recomputed", Program: program}
	for _, o := range os {
		e := reproduced{Outcome: o}
		for _, s := range o.Statements {
			whose := ""
			if s.Ours {
				whose = "ours"
			}
			e.Rows = append(e.Rows, reproducedRow{s.Verdict, s.Text, s.Printed, reproduce.Range(s.Enclosure),
				bound.Replace(s.Wanted()), whose})
		}
		for _, c := range o.Claims {
			text := ""
			if c.Epsilon != nil {
				text = "least ε " + reproduce.Range(c.Epsilon.Interval)
			}
			e.Rows = append(e.Rows, reproducedRow{reproduce.ClaimVerdict(c), c.Claim.ID, "", text, "", "published"})
		}
		for _, f := range o.Figures {
			g := f.Draw()
			g.Title, g.Size = "", drawnSize
			svg, err := g.SVG()
			if err != nil {
				return nil, err
			}
			e.Pictures = append(e.Pictures, drawing{f.Title, template.HTML(svg)})
		}
		data.Entries = append(data.Entries, e)
	}
	return render("reproduce", data)
}

// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"html/template"
	"strings"

	"dpverify/ask/reproduce"
	"dpverify/internal/figure"
)

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

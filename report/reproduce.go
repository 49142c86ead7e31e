package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"dpverify/reproduce"
)

// A reproduced is an entry as the page shows it.
type reproduced struct {
	reproduce.Outcome
	Rows     []reproducedRow
	Pictures []picture
}

type reproducedRow struct {
	Verdict                reproduce.Verdict
	Text, Enclosure, Whose string
}

type picture struct {
	Title, Alt string
	Data       template.URL // a data: address of our own drawing
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

// describe says what a picture shows, for those who do not see it.
func describe(f reproduce.FigureOutcome) string {
	var names []string
	for _, c := range f.Curves {
		names = append(names, c.Name)
	}
	return fmt.Sprintf("Graph of %s over %s, with upper and lower bounds: %s", f.Y, f.X, strings.Join(names, "; "))
}

// Reproduced returns the page about entries that were recomputed, pictures included.
func Reproduced(program string, os []reproduce.Outcome) ([]byte, error) {
	data := struct {
		Title, Program string
		Entries        []reproduced
	}{Title: "Figures and stated numbers, recomputed", Program: program}
	for _, o := range os {
		e := reproduced{Outcome: o}
		for _, s := range o.Statements {
			whose := "the paper's"
			if s.Ours {
				whose = "ours"
			}
			e.Rows = append(e.Rows, reproducedRow{s.Verdict, s.Text + s.Limits(), reproduce.Range(s.Enclosure), whose})
		}
		for _, c := range o.Claims {
			text := ""
			if c.Epsilon != nil {
				text = "least ε " + reproduce.Range(c.Epsilon.Interval)
			}
			e.Rows = append(e.Rows, reproducedRow{reproduce.ClaimVerdict(c), c.Claim.ID, text, "published"})
		}
		for _, f := range o.Figures {
			var b bytes.Buffer
			if err := f.Draw().Write(&b, "svg"); err != nil {
				return nil, err
			}
			src := template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
			e.Pictures = append(e.Pictures, picture{f.Title, describe(f), src})
		}
		data.Entries = append(data.Entries, e)
	}
	return render("reproduce", data)
}

package report

import (
	"bytes"
	"encoding/base64"
	"html/template"

	"dpverify/reproduce"
)

// A reproduced is an entry as the page shows it.
type reproduced struct {
	reproduce.Outcome
	Rows     []reproducedRow
	Pictures []picture
}

type reproducedRow struct{ Verdict, Text, Enclosure, Whose string }

type picture struct {
	Title string
	Data  template.URL // a data: address of our own drawing
}

// Reproduced returns the page about entries that were recomputed, pictures included.
func Reproduced(program string, os []reproduce.Outcome) ([]byte, error) {
	data := struct {
		Program string
		Entries []reproduced
	}{Program: program}
	for _, o := range os {
		e := reproduced{Outcome: o}
		for _, s := range o.Statements {
			whose := "the paper's"
			if s.Ours {
				whose = "ours"
			}
			e.Rows = append(e.Rows, reproducedRow{string(s.Verdict), s.Text + s.Limits(), reproduce.Range(s.Enclosure), whose})
		}
		for _, c := range o.Claims {
			text := ""
			if c.Epsilon != nil {
				text = "least ε " + reproduce.Range(c.Epsilon.Interval)
			}
			e.Rows = append(e.Rows, reproducedRow{string(reproduce.ClaimVerdict(c)), c.Claim.ID, text, "published"})
		}
		for _, f := range o.Figures {
			var b bytes.Buffer
			if err := f.Draw().Write(&b, "svg"); err != nil {
				return nil, err
			}
			src := template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
			e.Pictures = append(e.Pictures, picture{f.Title, src})
		}
		data.Entries = append(data.Entries, e)
	}
	return render("reproduce", data)
}

package reproduce

import (
	"fmt"
	"strings"

	"dpverify/certify"
	"dpverify/mechanism"
)

// Text returns an outcome for people. It is the same wherever it is computed.
func (o Outcome) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", o.ID, strings.ToUpper(string(o.Verdict)))
	for _, l := range [][2]string{{"of", o.Paper}, {"shows", o.Title}, {"with", o.Parameters}, {"says", o.Says}, {"note", o.Note}} {
		if l[1] != "" {
			fmt.Fprintf(&b, "  %-6s %s\n", l[0], l[1])
		}
	}
	for _, s := range o.Statements {
		what := string(s.Verdict)
		if s.Ours {
			what += ", not in the paper"
		}
		lo, hi := s.Enclosure.Decimal(6)
		fmt.Fprintf(&b, "  - %s: [%s, %s]%s: %s\n", s.Text, lo, hi, s.limits(), what)
	}
	for _, c := range o.Claims {
		lo, hi := "0", "1"
		if c.Delta != nil {
			lo, hi = certify.SeparatingDecimal(*c.Delta, c.Claim.Statement.Delta, 6)
		}
		fmt.Fprintf(&b, "  - %s: δ in [%s, %s]: %s\n", certify.Printable(c.Claim.ID), lo, hi, claimVerdict(c))
	}
	return b.String()
}

// limits is the range of a statement.
func (s Statement) limits() string {
	var b strings.Builder
	if s.Least != nil {
		b.WriteString(", stated ≥ " + mechanism.FormatNumber(s.Least))
	}
	if s.Most != nil {
		b.WriteString(", stated ≤ " + mechanism.FormatNumber(s.Most))
	}
	return b.String()
}

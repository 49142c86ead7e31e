// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"
	"os"
	"strings"
	"testing"

	"dpverify/exact/interval"
)

// A recordedLine is what the golden summary has of a statement.
type recordedLine struct {
	verdict Verdict
	value   interval.Interval
}

// recorded finds a statement in the block of its entry in the golden summary.
func recorded(t *testing.T, summary, id string, s Statement) (recordedLine, bool) {
	t.Helper()
	_, block, ok := strings.Cut("\n"+summary, "  "+id+"  ")
	if !ok {
		return recordedLine{}, false
	}
	for i, line := range strings.Split(block, "\n") {
		if i > 0 && line != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		before, after, ok := strings.Cut(line, "  "+s.Text+": ")
		if !ok {
			continue
		}
		text, _, _ := strings.Cut(after, ", printed “")
		text, _, _ = strings.Cut(text, ", want ")
		lo, hi, two := strings.Cut(strings.Trim(text, "[]"), ", ")
		if !two {
			hi = lo
		}
		whose := "stated"
		if s.Ours {
			whose = "ours"
		}
		verdict := Verdict(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(before), whose)))
		lo, hi = strings.ReplaceAll(lo, "inf", "1e300"), strings.ReplaceAll(hi, "inf", "1e300")
		return recordedLine{verdict, enclose(rat(lo), rat(hi))}, true
	}
	return recordedLine{}, false
}

// TestEveryLineCanFail: every statement has both ends, or claims one; and every line that holds would not if the number
// in it were 5 % more or less, or, where the paper claims one side of a limit, if the limit were 5 % on the other side
// of what was found, or, where it counts orders of magnitude, if it were one more or less. What was found is taken from
// the golden summary.
func TestEveryLineCanFail(t *testing.T) {
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, e := range Entries() {
		for _, s := range e.Statements {
			if s.Claim == Timed {
				continue // it is shown, not judged
			}
			ends := 0
			for _, x := range []*big.Rat{s.Least, s.Most} {
				if x != nil {
					ends++
				}
			}
			switch s.Claim {
			case AtMost, AtLeast:
				if ends != 1 || (s.Most == nil) != (s.Claim == AtLeast) {
					t.Errorf("%s: %s: has not the one end that it claims", e.ID, s.Text)
				}
			default:
				if ends != 2 {
					t.Errorf("%s: %s: has %d ends, want 2", e.ID, s.Text, ends)
				}
			}
			if s.Printed == "" && !s.Ours {
				t.Errorf("%s: %s: does not say what the paper prints", e.ID, s.Text)
			}
			if strings.HasPrefix(s.Printed, "≤") || strings.HasPrefix(s.Printed, "≥") {
				t.Errorf("%s: %s: “%s” is a range of ours, and no quotation", e.ID, s.Text, s.Printed)
			}
			line, ok := recorded(t, string(data), e.ID, s)
			if !ok {
				t.Errorf("%s: %s: is not in %s", e.ID, s.Text, golden)
				continue
			}
			if line.verdict == Undecided || s.Ours && line.verdict != Holds {
				t.Errorf("%s: %s: %s", e.ID, s.Text, line.verdict)
			}
			if got := s.judge(line.value); got != line.verdict && got != Undecided {
				t.Errorf("%s: %s: %v is said to be: %s, and is: %s", e.ID, s.Text, line.value, line.verdict, got)
			}
			if line.verdict != Holds {
				continue
			}
			held++
			for _, wrong := range s.perturbed(line.value) {
				if got := wrong.judge(line.value); got != Fails {
					t.Errorf("%s: %s: %v, with%s: %s", e.ID, s.Text, line.value, wrong.Limits(), got)
				}
			}
		}
	}
	if held < 150 {
		t.Errorf("%d lines hold, want at least 150", held)
	}
}

// perturbed are statements that are wrong by little.
func (s Statement) perturbed(found interval.Interval) []Statement {
	less, more := big.NewRat(95, 100), big.NewRat(105, 100)
	lo, hi, ok := found.Rationals()
	switch {
	case !ok:
		return nil
	case s.Claim == AtMost:
		s.Most = new(big.Rat).Mul(lo, less)
		return []Statement{s}
	case s.Claim == AtLeast:
		s.Least = new(big.Rat).Mul(hi, more)
		return []Statement{s}
	case s.Claim == Orders:
		less, more = big.NewRat(1, 10), big.NewRat(10, 1)
	}
	scaled := func(by *big.Rat) Statement {
		out := s
		out.Least, out.Most = new(big.Rat).Mul(s.Least, by), new(big.Rat).Mul(s.Most, by)
		return out
	}
	return []Statement{scaled(less), scaled(more)}
}

// TestPrintedNumbers: a printed number is met within one unit of its last digit.
func TestPrintedNumbers(t *testing.T) {
	for _, c := range []struct{ digits, least, most string }{{"5.024e-2", "0.05023", "0.05025"}, {"0.471", "0.47", "0.472"}, {"1.26", "1.25", "1.27"}, {"3", "2", "4"}, {"2e-3", "0.001", "0.003"}} {
		s := prints("", Quantity{}, c.digits)
		if s.Least.Cmp(rat(c.least)) != 0 || s.Most.Cmp(rat(c.most)) != 0 {
			t.Errorf("%s: %v to %v, want %s to %s", c.digits, s.Least, s.Most, c.least, c.most)
		}
	}
}

// TestOrdersOfMagnitude: what is called n orders, almost n and more than n.
func TestOrdersOfMagnitude(t *testing.T) {
	for _, c := range []struct {
		printed string
		ratio   string
		want    Verdict
	}{
		{"4 orders", "9000", Holds}, {"4 orders", "90000", Holds}, {"4 orders", "3000", Fails}, {"4 orders", "110000", Fails},
		{"almost 4 orders", "4000", Holds}, {"almost 4 orders", "30000", Holds}, {"almost 4 orders", "32000", Fails}, {"almost 4 orders", "3000", Fails},
		{"more than 4 orders", "9900", Fails}, {"more than 4 orders", "11000", Holds}, {"more than 4 orders", "110000", Fails},
	} {
		if got := orders("", c.printed, Quantity{}, 4, Quantity{}).judge(enclose(rat(c.ratio), rat(c.ratio))); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.printed, c.ratio, got, c.want)
		}
	}
}

// TestReadings: of the readings of a sentence one that holds is enough, and none is not.
func TestReadings(t *testing.T) {
	line := func(v Verdict, sentence string) StatementOutcome {
		return StatementOutcome{Statement: Statement{Sentence: sentence}, Verdict: v}
	}
	for _, c := range []struct {
		lines []StatementOutcome
		want  Verdict
	}{
		{[]StatementOutcome{line(Fails, "a"), line(Holds, "a")}, Reproduced},
		{[]StatementOutcome{line(Holds, "a"), line(Fails, "a")}, Reproduced},
		{[]StatementOutcome{line(Holds, "a"), line(Fails, "b")}, NotReproduced},
		{[]StatementOutcome{line(Undecided, "a"), line(Fails, "a")}, Undecided},
		{[]StatementOutcome{line(Holds, ""), line(Fails, "")}, NotReproduced},
	} {
		o := Outcome{Statements: c.lines}
		if got := o.verdict(); got != c.want {
			t.Errorf("%v: %s, want %s", c.lines, got, c.want)
		}
	}
}

// TestChoose: IDs and patterns choose entries, each once.
func TestChoose(t *testing.T) {
	es, err := Choose([]string{"3-fig1a", "3-*", "4-fig1"})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, e := range es {
		if seen[e.ID] || !strings.HasPrefix(e.ID, "3-") && e.ID != "4-fig1" {
			t.Errorf("%s is chosen, or twice", e.ID)
		}
		seen[e.ID] = true
	}
	if len(es) < 10 || es[0].ID != "3-fig1a" || es[len(es)-1].ID != "4-fig1" {
		t.Errorf("%d entries", len(es))
	}
	for _, bad := range []string{"5-*", "[", "3-fig"} {
		if _, err := Choose([]string{bad}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

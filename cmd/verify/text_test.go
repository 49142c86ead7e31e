package main

import (
	"slices"
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/exact/interval"
	"dpverify/number"
)

func TestReadable(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0", "0"},
		{"1", "1"},
		{"0.5", "0.5"},
		{"0.001", "0.001"},
		{"0.0012", "0.0012"},
		{"0.00012", "1.2e-4"},
		{"0.0001", "1e-4"},
		{"-0.0000015", "-1.5e-6"},
		{"1.5e-20", "1.5e-20"},
		{"123.0001", "123.0001"},
		{"inf", "inf"},
		{"-inf", "-inf"},
	} {
		if got := readable(test.in); got != test.want {
			t.Errorf("readable(%s) = %s, want %s", test.in, got, test.want)
		}
		if test.in == "inf" || test.in == "-inf" {
			continue
		}
		a, err1 := number.Parse(test.in)
		b, err2 := number.Parse(readable(test.in))
		if err1 != nil || err2 != nil || a.Cmp(b) != 0 {
			t.Errorf("readable(%s) is another number", test.in)
		}
	}
}

func TestAbout(t *testing.T) {
	const p = interval.Prec(64)
	number := func(s string) interval.Interval {
		r, err := number.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return p.Rat(r)
	}
	for _, test := range []struct{ lo, hi, want string }{
		{"0.25", "0.25", "0.25"},
		{"0.12344", "0.12345", "≈ 0.123"},
		{"0.12366", "0.12367", "≈ 0.124"},
		{"0.125", "0.25", "0.125 to 0.25"},
		{"0", "0.5", "at most 0.5"},
		{"1e-9", "1.0001e-9", "≈ 1.00e-9"},
	} {
		x := interval.Union(number(test.lo), number(test.hi))
		if got := about(x); !strings.HasPrefix(got, test.want) {
			t.Errorf("about [%s, %s]: %s, want %s", test.lo, test.hi, got, test.want)
		}
	}
}

func TestColours(t *testing.T) {
	for _, v := range []certify.Verdict{certify.Verified, certify.Refuted, certify.Undecided, certify.Malformed} {
		plain, coloured := style{}.verdict(v), style{color: true}.verdict(v)
		if len(plain) != len("UNDECIDED") || strings.Contains(plain, "\x1b") {
			t.Errorf("plain: %q", plain)
		}
		if !strings.HasPrefix(coloured, "\x1b[") || !strings.Contains(coloured, "\x1b[0m") {
			t.Errorf("coloured: %q", coloured)
		}
	}
	var b strings.Builder
	if newStyle(&b).color {
		t.Error("colours without a terminal")
	}
}

// What a file says cannot reach the terminal as a control sequence.
func TestNamesArePrintable(t *testing.T) {
	var b strings.Builder
	text := claimsText{w: &b, knows: func(*certify.Outcome) bool { return false }}
	o := &certify.Outcome{Claim: &certify.Claim{File: "a\x1b[2J.yaml", ID: "b\nVERIFIED"}, Verdict: certify.Undecided, Reason: "r"}
	if err := text.claim(o); err != nil {
		t.Fatal(err)
	}
	if err := text.summary(); err != nil {
		t.Fatal(err)
	}
	want := "\"a\\x1b[2J.yaml\"\nUNDECIDED  \"b\\nVERIFIED\"\n           r\n\n1 claim: 1 undecided; 1 not as expected: \"b\\nVERIFIED\"\n"
	if got := b.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Prose is broken at blanks, equations and long words stay whole, and no word is lost.
func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {""},
		"short":                  {"short"},
		"  margin stays":         {"  margin", "  stays"},
		"one two three four":     {"one two", "  three", "  four"},
		"so that αβγ = 12345 ok": {"so that", "  αβγ = 12345", "  ok"},
		"aaaaaaaaaaaaaaaaaaaa b": {"aaaaaaaaaaaaaaaaaaaa", "  b"},
		"δδδδδ εεεε":             {"δδδδδ εεεε"},
	} {
		got := wrap(text, 10, "  ")
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if a, b := strings.Fields(strings.Join(got, " ")), strings.Fields(text); !slices.Equal(a, b) {
			t.Errorf("%q: the words are %q", text, a)
		}
	}
}

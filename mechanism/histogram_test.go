// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"dpverify/internal/testkit"
)

// decodeHistograms reads the pair of two CSV texts.
func decodeHistograms(t testing.TB, d Decoder, p, q string) (HistogramPair, error) {
	t.Helper()
	d.Open = files(map[string]string{"p.csv": p, "q.csv": q})
	e, err := d.Event(parse(t, `{"class_name": "HistogramPairEvent", "p": "p.csv", "q": "q.csv"}`), "event")
	if err != nil {
		return HistogramPair{}, err
	}
	return e.(HistogramPair), nil
}

func TestHistogramPair(t *testing.T) {
	got, err := decodeHistograms(t, Decoder{}, "bin,count\r\n5,1\r\n\r\n0,1e1\r\n7,0\r\n", "bin,probability\n1000000000000,.25\n\"5\",1/12\n")
	if err != nil {
		t.Fatal(err)
	}
	// Spreadsheets begin a file with a byte order mark.
	if marked, err := decodeHistograms(t, Decoder{}, "\ufeffbin,count\r\n5,1\r\n0,1e1\r\n7,0\r\n", "\ufeffbin,probability\n1000000000000,.25\n5,1/12\n"); err != nil || cmp.Diff(got, marked, compareRats) != "" {
		t.Errorf("with byte order marks: %v, %v", marked, err)
	}
	r := func(s string) *big.Rat { return testkit.Rat(s) }
	// The bins are 0, 5, 7 and 10^12.
	want := HistogramPair{"p.csv", "q.csv", []*big.Rat{r("10/11"), r("1/11"), r("0"), r("0")}, []*big.Rat{r("0"), r("1/4"), r("0"), r("3/4")}}
	if diff := cmp.Diff(want, got, compareRats); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHistogramPairBinary64(t *testing.T) {
	got, err := decodeHistograms(t, Decoder{Binary64: true}, "bin,probability\n0,0.1\n1,0.2\n", "bin,count\n0,9007199254740993\n1,1\n")
	if err != nil {
		t.Fatal(err)
	}
	// 0.2 is twice 0.1 in binary64 as well; counts are not rounded.
	if got.P[0].Cmp(big.NewRat(1, 3)) != 0 || got.Q[0].Cmp(big.NewRat(9007199254740993, 9007199254740994)) != 0 {
		t.Errorf("got %v and %v", got.P, got.Q)
	}
	if _, err = decodeHistograms(t, Decoder{Binary64: true}, "bin,probability\n0,0.1\n1,0.7\n", "bin,count\n0,1\n"); err != nil {
		t.Errorf("masses that do not sum to 1 are normalised: %v", err)
	}
}

func TestHistogramErrors(t *testing.T) {
	good := "bin,count\n0,1\n"
	tests := []struct{ name, p, want string }{
		{"empty file", "", "p.csv:1: want the header bin,count or bin,probability"},
		{"no header", "0,1\n", "p.csv:1: want the header bin,count or bin,probability"},
		{"other header", "bin,mass\n0,1\n", "p.csv:1: want the header bin,count or bin,probability"},
		{"wide header", "bin,count,note\n0,1,\n", "p.csv:1: want the header bin,count or bin,probability"},
		{"no bins", "bin,count\n", "p.csv: all bins are 0, want a positive sum"},
		{"zeros", "bin,count\n0,0\n1,0\n", "p.csv: all bins are 0, want a positive sum"},
		{"negative bin", "bin,count\n0,1\n\n-1,2\n", "p.csv:4: bin = -1, want an integer in [0, 1000000000000]"},
		{"huge bin", "bin,count\n1e13,1\n", "p.csv:2: bin = 1e13, want an integer in [0, 1000000000000]"},
		{"no bin", "bin,count\nx,1\n", `p.csv:2: bin = "x", want an integer in [0, 1000000000000]`},
		{"duplicate bin", "bin,count\n3,1\n1,1\n3.0,0\n", "p.csv:4: bin 3 is given twice, first on line 2"},
		{"negative count", "bin,count\n0,-1\n", "p.csv:2: count = -1, want an integer >= 0"},
		{"broken count", "bin,count\n0,1.5\n", "p.csv:2: count = 1.5, want an integer >= 0"},
		{"negative probability", "bin,probability\n0,-0.5\n", "p.csv:2: probability = -0.5, want a number >= 0"},
		{"no probability", "bin,probability\n0,nan\n", `p.csv:2: probability = "nan", want a number >= 0`},
		{"limit", "bin,probability\n0,1e100001\n", `p.csv:2: probability = 1e100001, want an exponent of at most 100000 in absolute value`},
		{"one column", "bin,count\n0\n", "p.csv:2: wrong number of fields, want two"},
		{"quote", "bin,count\n0,1\"\n", "p.csv:2: bare \" in non-quoted-field"},
		{"long sum", "bin,probability\n0,1e-100000\n1,1\n", "p.csv: the sum of all bins takes 332193 bits, want at most 16384, and times the number of bins at most 2147483648"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := decodeHistograms(t, Decoder{}, test.p, good)
			checkErrorText(t, err, "HistogramPairEvent: p: "+test.want)
			var typed *FileError
			if !errors.As(err, &typed) || typed.File != "p.csv" || typed.Line != 1 {
				t.Errorf("got %#v, want a *FileError", err)
			}
		})
	}
	_, err := decodeHistograms(t, Decoder{}, good, "bin,count\n0,x\n")
	checkErrorText(t, err, `HistogramPairEvent: q: q.csv:2: count = "x", want an integer >= 0`)
}

func TestHistogramFileErrors(t *testing.T) {
	n := parse(t, `{"class_name": "SelfComposedDpEvent", "count": 2, "event": {"class_name": "HistogramPairEvent", "p": "nowhere.csv", "q": "q.csv"}}`)
	_, err := Decoder{Open: testFiles}.Event(n, "event")
	checkErrorText(t, err, "event.event: HistogramPairEvent: p: nowhere.csv: file does not exist")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap fs.ErrNotExist", err)
	}
	_, err = Decoder{Open: testFiles}.Event(parse(t, `{"class_name": "HistogramPairEvent", "p": "a\u001b\nb", "q": "q.csv"}`), "event")
	checkErrorText(t, err, `HistogramPairEvent: p: "a\x1b\nb": file does not exist`)
	broken := Decoder{Open: func(string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("bin,count\n0,1\n"), iotest.ErrReader(errors.New("disk on fire")))), nil
	}}
	_, err = broken.Event(n, "event")
	checkErrorText(t, err, "event.event: HistogramPairEvent: p: nowhere.csv: disk on fire")
	if !testkit.Long() {
		return // it reads 64 MB
	}
	endless := Decoder{Open: func(string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("bin,count\n"), zeros{})), nil
	}}
	_, err = endless.Event(n, "event")
	checkErrorText(t, err, "event.event: HistogramPairEvent: p: nowhere.csv: longer than 67108864 bytes")
}

// zeros is an endless stream of one digit.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// One pass opens every file once: two events that name it cannot see different
// contents, and the corners of an interval cannot either.
func TestHistogramFilesAreReadOnce(t *testing.T) {
	opened := 0
	d := Decoder{Open: func(path string) (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader(fmt.Sprintf("bin,count\n0,%d\n1,1\n", opened))), nil
	}}
	h := `{"class_name": "HistogramPairEvent", "p": "p.csv", "q": "q.csv"}`
	both, err := d.EventRange(parse(t, `{"class_name": "ComposedDpEvent", "events": [`+h+`, `+h+`, {"class_name": "ZCDpEvent", "rho": {"lo": 1, "hi": 2}}]}`), "event")
	if err != nil {
		t.Fatal(err)
	}
	if opened != 2 {
		t.Errorf("files were opened %d times", opened)
	}
	if !Equal(both.MorePrivate.(Composed).Events[0], both.LessPrivate.(Composed).Events[1]) {
		t.Error("the same files were read differently")
	}
}

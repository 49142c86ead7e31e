// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	_ "dpverify/internal/testkit" // less garbage collection
)

// serve answers questions.
func serve(t *testing.T, in io.Reader) (out string, failed int, err error) {
	t.Helper()
	var o bytes.Buffer
	failed, err = Serve(t.Context(), in, &o, Options{})
	return o.String(), failed, err
}

func TestQueryKeepsTheOrder(t *testing.T) {
	var in strings.Builder
	for i := range 100 {
		k := 1 + (i*37)%100*5 // the work of a question does not grow with its number
		fmt.Fprintf(&in, `{"id":%d,"event":{"class_name":"SelfComposedDpEvent","count":%d,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":0.01,"delta":0}},"quantity":"tv"}`+"\n", i, k)
	}
	out, _, err := serve(t, strings.NewReader(in.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var r struct {
			ID       int
			Complete bool
			Seconds  *float64
		}
		if err := json.Unmarshal([]byte(l), &r); err != nil || r.ID != i || !r.Complete || r.Seconds == nil {
			t.Errorf("line %d: %s, %v", i, l, err)
		}
	}
}

// TestQuestionsShare: an answer is the same, digit by digit, whatever was asked before it.
func TestQuestionsShare(t *testing.T) {
	var asked []string
	for _, steps := range []int{40, 41, 57} {
		for _, at := range []string{`"epsilon","at":"1e-5"`, `"delta","at":"0.3"`} {
			asked = append(asked, fmt.Sprintf(`{"event":"sgd(sigma=1.1, batch=600, n=60000, steps=%d)","quantity":%s,"digits":4}`, steps, at))
		}
	}
	ends := func(lines []string) (out []string) {
		all, _, err := serve(t, strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(all) {
			var r struct {
				Lo, Hi   string
				Complete bool
			}
			if err := json.Unmarshal([]byte(l), &r); err != nil || !r.Complete {
				t.Fatalf("%s, %v", l, err)
			}
			out = append(out, r.Lo+" "+r.Hi)
		}
		return out
	}
	together := ends(asked)
	for i := range asked {
		if alone := ends(asked[i : i+1]); alone[0] != together[i] {
			t.Errorf("%s: %s alone, %s after others", asked[i], alone[0], together[i])
		}
	}
}

func TestQueryBoundsLines(t *testing.T) {
	in := `{"id":"` + strings.Repeat("x", maxLine) + "\"}\n" + `{"id":2,"event":{"class_name":"NoOpDpEvent"},"quantity":"tv"}` + "\n"
	out, failed, err := serve(t, strings.NewReader(in))
	if failed != 1 || err != nil {
		t.Errorf("%d lines failed, %v, want one", failed, err)
	}
	want := `{"id":null,"error":"line 1: longer than 16777216 bytes"}` + "\n" + `{"id":2,"quantity":"tv","lo":"0","hi":"0","quote":"0","methods":["equal"],"complete":true,`
	if !strings.HasPrefix(out, want) {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestQueryReportsFailedReads(t *testing.T) {
	failed := errors.New("failed")
	out, _, err := serve(t, io.MultiReader(strings.NewReader(`{"id":1}`+"\n"), iotest.ErrReader(failed)))
	if !errors.Is(err, failed) || !strings.HasPrefix(out, `{"id":1,"error":`) {
		t.Errorf("%q, %v", out, err)
	}
}

func TestQueryReportsFailedWrites(t *testing.T) {
	failed := errors.New("failed")
	in := strings.Repeat(`{"id":1,"event":{"class_name":"NoOpDpEvent"},"quantity":"tv"}`+"\n", 1000)
	if _, err := Serve(t.Context(), strings.NewReader(in), failingWriter{failed}, Options{}); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// FuzzQuery: no line makes the decoder panic, every question has its parts, and
// an id that was read is valid JSON.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","event":{"class_name":"GaussianDpEvent","noise_multiplier":1},"direction":"remove","quantity":"delta","at":"1.0","digits":20,"timeout":30}`,
		`{"id":1.50,"event":{"class_name":"NoOpDpEvent"},"relation":"REPLACE_ONE","number_format":"binary64","quantity":"epsilon","at":1e-5}`,
		`{"id":{"a":[null,true]},"quantity":"tv","event":{"class_name":"ZCDpEvent","rho":"1/2"}}`,
		`{"id":"\ud800"}`, `{"at":1e999999}`, `{"timeout":1e-99999,"digits":"1/3"}`, `[`, `"`, `nul`, "{\"\x00\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		q, id, err := decode(t.Context(), line{number: 3, text: text})
		if id != nil && !json.Valid(id) {
			t.Fatalf("id %q", id)
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an empty error")
			}
			return
		}
		if q.events.LessPrivate == nil || q.events.MorePrivate == nil || reflect.ValueOf(q.Quantity).IsZero() || q.Digits < 1 || q.Budget <= 0 || q.name == "" {
			t.Fatalf("an incomplete question: %+v", q)
		}
		if q.name == "tv" != (q.at == nil) {
			t.Fatalf("%s at %s", q.name, q.at)
		}
	})
}

// TestQuote: the number to quote holds: it is the end of the enclosure that does, rounded away from the truth to five
// digits.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ ask, want string }{
		{`"quantity":"epsilon","at":"1e-5"`, "4.3772"},
		{`"quantity":"epsilon","at":"0.5"`, "0"}, // the least ε is below 0
		{`"quantity":"epsilon","at":0`, "inf"},
		{`"quantity":"delta","at":5`, "5.7938e-7"},
		{`"quantity":"tv"`, "0.38293"},
		{`"quantity":"tradeoff","at":"0.5"`, "0.15865"}, // 0.158655…, which is rounded down
	} {
		out, _, err := serve(t, strings.NewReader(`{"event":"gaussian(1)",`+c.ask+"}\n"))
		var r struct{ Quote string }
		if err := errors.Join(err, json.Unmarshal([]byte(out), &r)); err != nil || r.Quote != c.want {
			t.Errorf("%s: %s, %v, want %s", c.ask, out, err, c.want)
		}
	}
}

package main

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

	"dpverify/ask"
	"dpverify/exact"
)

// runQuery answers questions in this process.
func runQuery(t *testing.T, in io.Reader) (out, stderr string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = answerQueries(t.Context(), 0, in, &o, &e)
	return o.String(), e.String(), err
}

func TestQueryKeepsTheOrder(t *testing.T) {
	var in strings.Builder
	for i := range 100 {
		k := 1 + (i*37)%100*5 // the work of a question does not grow with its number
		fmt.Fprintf(&in, `{"id":%d,"event":{"class_name":"SelfComposedDpEvent","count":%d,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":0.01,"delta":0}},"quantity":"tv"}`+"\n", i, k)
	}
	out, _, err := runQuery(t, strings.NewReader(in.String()))
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

func TestQueryBoundsLines(t *testing.T) {
	in := `{"id":"` + strings.Repeat("x", maxLine) + "\"}\n" + `{"id":2,"event":{"class_name":"NoOpDpEvent"},"quantity":"tv"}` + "\n"
	out, _, err := runQuery(t, strings.NewReader(in))
	var status statusError
	if !errors.As(err, &status) || int(status) != statusFailed {
		t.Errorf("error %v, want the status %d", err, statusFailed)
	}
	want := `{"id":null,"error":"line 1: longer than 16777216 bytes"}` + "\n" + `{"id":2,"quantity":"tv","lo":"0","hi":"0","methods":["equal"],"complete":true,`
	if !strings.HasPrefix(out, want) {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestQueryReportsFailedReads(t *testing.T) {
	failed := errors.New("failed")
	out, _, err := runQuery(t, io.MultiReader(strings.NewReader(`{"id":1}`+"\n"), iotest.ErrReader(failed)))
	if !errors.Is(err, failed) || !strings.HasPrefix(out, `{"id":1,"error":`) {
		t.Errorf("%q, %v", out, err)
	}
}

func TestQueryReportsFailedWrites(t *testing.T) {
	failed := errors.New("failed")
	in := strings.Repeat(`{"id":1,"event":{"class_name":"NoOpDpEvent"},"quantity":"tv"}`+"\n", 1000)
	if err := answerQueries(t.Context(), 0, strings.NewReader(in), failingWriter{failed}, io.Discard); !errors.Is(err, failed) {
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
		q, id, err := decodeQuery(line{number: 3, text: text})
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

func TestBugsAreLoud(t *testing.T) {
	bug := &exact.InconsistencyError{First: "one", Second: "two", Eps: "1", Product: "(p)", Reproduce: "verify delta --epsilon 1 '{}'"}
	var b strings.Builder
	printError(&b, fmt.Errorf("claim x: %w", bug))
	got := b.String()
	if !strings.HasPrefix(got, "verify: INTERNAL ERROR: claim x: ") || !strings.Contains(got, "\n  verify delta --epsilon 1 '{}'\n") {
		t.Errorf("%s", got)
	}
	b.Reset()
	err := ask.Guard(func() error { panic("impossible") })
	printError(&b, err)
	got = b.String()
	if !strings.HasPrefix(got, "verify: INTERNAL ERROR: impossible\n") || !strings.Contains(got, "query_test.go") {
		t.Errorf("%s", got)
	}
	if err := ask.Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

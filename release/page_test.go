// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpverify/internal/testkit/browser"
	"dpverify/page"
)

// pageSize is how many bytes the engine may have, compressed.
const pageSize = 6 << 20

// A visit is the page in a browser.
type visit struct {
	*browser.Tab
	server *httptest.Server
}

// visitPage serves the page and opens it in a headless Chromium.
func visitPage(t *testing.T) *visit {
	t.Helper()
	path := browser.Path()
	if path == "" {
		t.Skip("no Chromium here: on Debian, apt-get install chromium")
	}
	dir := t.TempDir()
	files, err := pageFiles("..", "v0.0.0-test")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.name == "dpverify.wasm.gz" && len(f.data) > pageSize {
			t.Errorf("the engine has %d bytes, want at most %d", len(f.data), pageSize)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v := &visit{server: httptest.NewServer(http.FileServer(http.Dir(dir)))}
	t.Cleanup(v.server.Close)
	b, err := browser.Start(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if v.Tab, err = b.Tab(4 * time.Minute); err != nil {
		t.Fatal(err)
	}
	check(t, v.Navigate(v.server.URL))
	v.text(t, "#text")
	return v
}

// check ends a test in which the browser has not done what it should.
func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// await evaluates a promise that fulfils with a string.
func (v *visit) await(t *testing.T, script string) string {
	t.Helper()
	var out string
	check(t, v.Evaluate(script, &out))
	return out
}

// text waits for an element and returns what it says.
func (v *visit) text(t *testing.T, selector string) string {
	t.Helper()
	text, err := v.Text(selector)
	check(t, err)
	return text
}

// settled waits until the question that was asked is answered and drawn.
const settled = `new Promise(done => { const look = () => document.getElementById("ask").disabled ? setTimeout(look, 20) : done(document.getElementById("status").textContent); look(); })`

// questions are fifty events, of which the page is asked ε or δ.
func pageQuestions() []page.Request {
	var out []page.Request
	for i := range 50 {
		event := fmt.Sprintf(`{"class_name":"GaussianDpEvent","noise_multiplier":"%d/7"}`, i+3)
		switch i % 5 {
		case 1:
			event = fmt.Sprintf(`{"class_name":"SelfComposedDpEvent","count":%d,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"0.%d","delta":"1e-9"}}`, i+2, i)
		case 2:
			event = fmt.Sprintf(`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":"0.%d","sensitivity":%d}`, i, 1+i%3)
		case 3:
			event = fmt.Sprintf(`{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/%d","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"}}`, i+1)
		case 4:
			event = fmt.Sprintf(`{"class_name":"SelfComposedDpEvent","count":%d,"event":{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":3}}`, i)
		}
		r := page.Request{Text: event, Delta: fmt.Sprintf("1e-%d", 1+i%9), Relation: "REPLACE_ONE", Digits: 6 + i%10}
		if i%5 == 3 {
			r.Relation = "ADD_OR_REMOVE_ONE"
		}
		if i%2 == 0 {
			r.Delta, r.Epsilon = "", fmt.Sprintf("0.%d", i+1)
		}
		out = append(out, r)
	}
	return out
}

// TestPage opens the page in a browser: it answers fifty questions with the digits of the program,
// the DP-SGD of the README in time, keeps its state in the link, works offline, by the keyboard
// and for axe, and nothing complains.
func TestPage(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("compiles the engine for a browser and starts one, as .ci/run and make long do")
	}
	v := visitPage(t)
	t.Run("Digits", func(t *testing.T) { pageHasTheDigitsOfTheProgram(t, v) })
	t.Run("Training", func(t *testing.T) { pageAnswersTheTraining(t, v) })
	t.Run("Axe", func(t *testing.T) { pagePassesAxe(t, v) })
	t.Run("Keyboard", func(t *testing.T) { pageWorksByKeyboard(t, v) })
	t.Run("Offline", func(t *testing.T) { pageWorksOffline(t, v) })
	for _, c := range v.Complaints() {
		t.Errorf("the browser says: %s", c)
	}
}

func pageHasTheDigitsOfTheProgram(t *testing.T, v *visit) {
	requests := pageQuestions()
	text, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	replies := v.await(t, `new Promise(done => {
		const requests = `+string(text)+`, replies = [];
		const worker = new Worker("worker.js");
		const next = () => replies.length < requests.length ? worker.postMessage({id: replies.length, kind: "answer", request: requests[replies.length]}) : done(JSON.stringify(replies));
		worker.onmessage = ({data}) => { if (!data.ready) replies.push(data.reply); next(); };
	})`)
	var got []page.Reply
	if err := json.Unmarshal([]byte(replies), &got); err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for _, r := range requests {
		quantity, at := "epsilon", r.Delta
		if r.Epsilon != "" {
			quantity, at = "delta", r.Epsilon
		}
		fmt.Fprintf(&in, `{"event":%s,"relation":%q,"quantity":%q,"at":%q,"digits":%d}`+"\n", r.Text, r.Relation, quantity, at, r.Digits)
	}
	verify := filepath.Join(t.TempDir(), "verify")
	if out, err := exec.Command("go", "build", "-o", verify, "../cmd/verify").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := exec.Command(verify, "query")
	c.Stdin = strings.NewReader(in.String())
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	i := 0
	for line := range strings.Lines(string(out)) {
		var want struct{ Lo, Hi string }
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		if f := got[i].Findings; len(f) != 1 || len(f[0].Bounds) != 1 || f[0].Bounds[0].Lo != want.Lo || f[0].Bounds[0].Hi != want.Hi {
			t.Errorf("%s at ε %s, δ %s: the page says %+v, the program [%s, %s]", requests[i].Text, requests[i].Epsilon, requests[i].Delta, got[i], want.Lo, want.Hi)
		}
		i++
	}
	if i != len(requests) {
		t.Errorf("%d answers of the program to %d questions", i, len(requests))
	}
}

// pageAnswersTheTraining clicks the example of a training, and a claim about it.
func pageAnswersTheTraining(t *testing.T, v *visit) {
	check(t, v.Click(`[...document.querySelectorAll("button")].find(b => b.textContent == "DP-SGD, a claim")`))
	status := v.await(t, settled)
	words, verdict, address := v.text(t, "article .words"), v.await(t, `document.querySelector("article .verdict").textContent`), v.await(t, `location.href`)
	var points bool
	check(t, v.Evaluate(`document.querySelector("svg .band").getAttribute("d").length > 1000 && !document.querySelector("svg .band").getAttribute("d").includes("NaN")`, &points))
	if verdict != "verified" || !strings.HasPrefix(words, "The claim is true. At δ = 1e-5 the least ε is between 0.864") || !points {
		t.Errorf("%s: %s, drawn: %v", verdict, words, points)
	}
	t.Log(status)
	var color bool
	check(t, v.Evaluate(`getComputedStyle(document.querySelector("svg .dot")).fill === getComputedStyle(document.querySelector("article .verdict")).color`, &color))
	if !color {
		t.Error("the claim in the graph does not have the color of the verdict")
	}
	var seconds float64
	if _, err := fmt.Sscanf(status, "Answered in %f seconds.", &seconds); err != nil {
		t.Errorf("the status is %q: %v", status, err)
	}
	// On a machine that does nothing else it is a tenth of this; see docs/performance.md.
	if seconds > 20 {
		t.Errorf("answered in %v seconds", seconds)
	}
	// The link has the whole state.
	if !strings.Contains(address, "#text=class_name") || !strings.Contains(address, "epsilon=1.19") {
		t.Errorf("the address is %s", address)
	}
	check(t, v.Navigate("about:blank"), v.Navigate(address))
	again := v.text(t, "article .words")
	v.await(t, settled)
	if again != words {
		t.Errorf("the link says %s", again)
	}
}

func pagePassesAxe(t *testing.T, v *visit) {
	axe, err := os.ReadFile("../report/testdata/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	var loaded bool
	check(t, v.Evaluate(string(axe)+";typeof axe.run == 'function'", &loaded))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{360, 1440} {
			check(t, v.Show(browser.Reader{Width: width, Phone: width < 500, Scheme: scheme}))
			wrong := v.await(t, `axe.run({resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 200)).join("; ")).join("\n"))`)
			if wrong != "" {
				t.Errorf("%s, %d px: %s", scheme, width, wrong)
			}
			var overflow bool
			check(t, v.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &overflow))
			if overflow {
				t.Errorf("%s, %d px: wider than the window", scheme, width)
			}
			if dir := os.Getenv("DPVERIFY_SCREENSHOTS"); dir != "" {
				png, err := v.Screenshot()
				check(t, err)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%s-%d.png", scheme, width)), png, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// pageWorksByKeyboard asks with the keyboard alone, and meets a mistake.
func pageWorksByKeyboard(t *testing.T, v *visit) {
	check(t, v.Navigate(v.server.URL))
	v.text(t, "#text")
	const selectText = `document.getElementById("text").focus(), document.getElementById("text").select()`
	check(t, v.Evaluate(selectText, nil), v.Type("[[[1.1, 1, 10]]"), v.Evaluate(`document.getElementById("form").requestSubmit()`, nil))
	v.await(t, settled)
	words := v.text(t, "article")
	if !strings.Contains(words, "did not find expected") {
		t.Errorf("a malformed history: %s", words)
	}
	check(t, v.Evaluate(selectText, nil), v.Type("[[1.1, 1, 10]]\t\t\t\t\t\t"), v.Evaluate(`document.activeElement.id`, &words))
	if words != "ask" {
		t.Errorf("six tabs after the text is %q, want the button", words)
	}
	check(t, v.Type("\r"))
	v.await(t, settled)
	words = v.text(t, "article .words")
	if !strings.HasPrefix(words, "The mechanism is (ε, δ)-differentially private for ε = ") {
		t.Errorf("a history: %s", words)
	}
}

// pageWorksOffline: once loaded, the page needs no server.
func pageWorksOffline(t *testing.T, v *visit) {
	v.await(t, `navigator.serviceWorker.ready.then(r => new Promise(done => { const look = () => navigator.serviceWorker.controller ? done("ready") : setTimeout(look, 20); look(); }))`)
	v.server.Close()
	for _, name := range []string{"/", "/index.html"} { // which the server has redirected
		check(t, v.Navigate("about:blank"), v.Navigate(v.server.URL+name+"#text=%7Bclass_name%3A+LaplaceDpEvent%2C+noise_multiplier%3A+2%7D&delta=0"))
		words := v.text(t, "article .words")
		if !strings.Contains(words, "for ε = 0.5 at δ = 0") {
			t.Errorf("offline: %s: %s", name, words)
		}
	}
}

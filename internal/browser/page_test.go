// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"dpverify/tools/page"
)

// pageSize is how many bytes the page may have, as they are sent.
const pageSize = 3_000_000

// served is the page in a browser.
type served struct {
	ctx        context.Context
	server     *httptest.Server
	complaints func() []string
}

// serve builds the page as a release does, serves it and opens it.
func serve(t *testing.T) served {
	t.Helper()
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("the page is compressed by xz, which is not here; .ci/run installs it: on Debian, apt-get install xz-utils")
	}
	v := served{}
	v.ctx, v.complaints = browser(t)
	dir := t.TempDir()
	build := exec.Command("sh", "-c", `go run ./tools/release -only page -o "$0" && cd "$0" && tar -xzf dpverify-*-page.tar.gz --strip-components 1 && rm dpverify-* SHA256SUMS`, dir)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	size := int64(0)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > pageSize {
		t.Errorf("the page has %d bytes, want at most %d", size, pageSize)
	}
	policy := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'"
	v.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	t.Cleanup(v.server.Close)
	v.do(t, chromedp.Navigate(v.server.URL), chromedp.WaitReady("#answer"))
	return v
}

func (v served) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		t.Fatal(err)
	}
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
	v := serve(t)
	t.Run("Digits", func(t *testing.T) { pageHasTheDigitsOfTheProgram(t, v) })
	t.Run("Training", func(t *testing.T) { pageAnswersTheTraining(t, v) })
	t.Run("Form", func(t *testing.T) { pageAsksByItsForm(t, v) })
	t.Run("Axe", func(t *testing.T) { pagePassesAxe(t, v) })
	t.Run("Keyboard", func(t *testing.T) { pageWorksByKeyboard(t, v) })
	t.Run("Offline", func(t *testing.T) { pageWorksOffline(t, v) })
	for _, c := range v.complaints() {
		t.Errorf("the browser says: %s", c)
	}
}

func pageHasTheDigitsOfTheProgram(t *testing.T, v served) {
	requests := pageQuestions()
	text, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	replies := await(t, v.ctx, `new Promise(done => {
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
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", verify, "./cmd/verify").CombinedOutput(); err != nil {
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
func pageAnswersTheTraining(t *testing.T, v served) {
	var words, verdict, address string
	var points bool
	v.do(t, chromedp.Evaluate(`document.getElementById("own").open = true`, nil), chromedp.Click(`//button[text()="DP-SGD, a claim"]`))
	status := await(t, v.ctx, settled)
	v.do(t, chromedp.Text("article .words", &words), chromedp.TextContent("article .verdict", &verdict),
		chromedp.Evaluate(`document.querySelector("svg .band").getAttribute("d").length > 1000 && !document.querySelector("svg .band").getAttribute("d").includes("NaN")`, &points), chromedp.Location(&address))
	if verdict != "verified" || !strings.HasPrefix(words, "The claim is true. At δ = 1e-5 the least ε is between 0.864") || !points {
		t.Errorf("%s: %s, drawn: %v", verdict, words, points)
	}
	t.Log(status)
	var color bool
	v.do(t, chromedp.Evaluate(`getComputedStyle(document.querySelector("svg .dot")).fill === getComputedStyle(document.querySelector("article .verdict")).color`, &color))
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
	v.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.WaitVisible("article .words"))
	var again string
	v.do(t, chromedp.Text("article .words", &again))
	await(t, v.ctx, settled)
	if again != words {
		t.Errorf("the link says %s", again)
	}
}

// pageAsksByItsForm asks the form for ε, for noise, and for the truth of a claim, on a wide screen and on a narrow one:
// the answer is on the screen, its heading has the focus, nothing was moved by the graph, and its numbers can be saved.
func pageAsksByItsForm(t *testing.T, v served) {
	for _, width := range []int64{1440, 360} {
		v.do(t, emulation.SetDeviceMetricsOverride(width, 800, 1, width < 500), chromedp.Navigate("about:blank"), chromedp.Navigate(v.server.URL), chromedp.WaitReady("#answer"))
		for _, c := range []struct{ wish, epsilon, heading, words string }{
			{"epsilon", "", "ε ≤ 1.1329", "The least such ε is at least 1.13286."},
			{"noise", "1.2", "noise multiplier = 1.065", "With 1.064 it is not."},
			{"claim", "1.13", "refuted", "With two decimals it has to say ε = 1.14"},
			{"delta", "1.13", "δ ≤ 1.0372e-5", "no δ below"},
			{"claim", "one", "That cannot be answered.", "want a number"},
		} {
			v.do(t, chromedp.Click(`input[value=`+c.wish+`]`), chromedp.SetValue("#epsilon", c.epsilon), chromedp.Click("#ask"))
			await(t, v.ctx, settled)
			var heading, words string
			var seen, focused, saved bool
			v.do(t, chromedp.TextContent("article h2", &heading), chromedp.Text("article", &words), chromedp.Sleep(600*time.Millisecond), // it scrolls
				chromedp.Evaluate(`(() => { const b = document.querySelector("article h2").getBoundingClientRect(); return b.top >= 0 && b.bottom < innerHeight })()`, &seen),
				chromedp.Evaluate(`document.activeElement === document.querySelector("article h2")`, &focused),
				chromedp.Evaluate(`[...document.querySelectorAll("figure button")].map(b => b.textContent).join() === "Graph as SVG,Numbers as CSV" || !document.querySelector("figure")`, &saved))
			if heading != c.heading || !strings.Contains(words, c.words) || !seen || !focused || !saved {
				t.Errorf("%d px, %s: %q: %s; on the screen: %v, with the focus: %v, can be saved: %v", width, c.wish, heading, words, seen, focused, saved)
			}
		}
		var shift float64 // up to 0.1 is good, says Lighthouse
		text := await(t, v.ctx, `new Promise(done => new PerformanceObserver(l => done(l.getEntries().reduce((sum, e) => sum + e.value, 0).toFixed(4))).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => done("0"), 500))`)
		if _, err := fmt.Sscan(text, &shift); err != nil || shift > 0.1 {
			t.Errorf("%d px: the layout shifts by %s, %v", width, text, err)
		}
	}
}

func pagePassesAxe(t *testing.T, v served) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1440} {
			v.do(t, emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			if e := accessibility(t, v.ctx); len(e.Wrong) > 0 {
				t.Errorf("%s, %d px: %s", scheme, width, strings.Join(e.Wrong, "\n"))
			}
			var overflow bool
			v.do(t, chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &overflow))
			if overflow {
				t.Errorf("%s, %d px: wider than the window", scheme, width)
			}
			if dir := os.Getenv("DPVERIFY_SCREENSHOTS"); dir != "" {
				var png []byte
				v.do(t, chromedp.FullScreenshot(&png, 100))
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%s-%d.png", scheme, width)), png, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// pageWorksByKeyboard asks with the keyboard alone, and meets a mistake.
func pageWorksByKeyboard(t *testing.T, v served) {
	var words string
	v.do(t, chromedp.Navigate(v.server.URL), chromedp.WaitReady("#answer"), chromedp.Evaluate(`document.getElementById("own").open = true`, nil), chromedp.Focus("#text"))
	v.do(t, chromedp.Evaluate(`document.getElementById("text").select()`, nil), chromedp.KeyEvent("[[[1.1, 1, 10]]"))
	v.do(t, chromedp.Evaluate(`document.getElementById("form").requestSubmit()`, nil))
	await(t, v.ctx, settled)
	v.do(t, chromedp.Text("article", &words))
	if !strings.Contains(words, "did not find expected") {
		t.Errorf("a malformed history: %s", words)
	}
	v.do(t, chromedp.Evaluate(`document.getElementById("text").select()`, nil), chromedp.KeyEvent("[[1.1, 1, 10]]"),
		chromedp.Focus("#delta"), chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.id`, &words))
	if words != "ask" { // ε is what is asked
		t.Errorf("a tab after δ is %q, want the button", words)
	}
	v.do(t, chromedp.KeyEvent("\r"))
	await(t, v.ctx, settled)
	v.do(t, chromedp.Text("article .words", &words))
	if !strings.HasPrefix(words, "The mechanism is (ε, δ)-differentially private for ε = ") {
		t.Errorf("a history: %s", words)
	}
}

// pageWorksOffline: once loaded, the page needs no server.
func pageWorksOffline(t *testing.T, v served) {
	await(t, v.ctx, `navigator.serviceWorker.ready.then(r => new Promise(done => { const look = () => navigator.serviceWorker.controller ? done("ready") : setTimeout(look, 20); look(); }))`)
	v.server.Close()
	for _, name := range []string{"/", "/index.html"} { // which the server has redirected
		var words string
		v.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(v.server.URL+name+"#text=%7Bclass_name%3A+LaplaceDpEvent%2C+noise_multiplier%3A+2%7D&delta=0"), chromedp.WaitVisible("article .words"), chromedp.Text("article .words", &words))
		if !strings.Contains(words, "for ε = 0.5 at δ = 0") {
			t.Errorf("offline: %s: %s", name, words)
		}
	}
}

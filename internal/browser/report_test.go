// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"dpverify/ask/audit"
	"dpverify/ask/report"
	"dpverify/ask/reproduce"
	"dpverify/certify"
	"dpverify/internal/shown"
	"dpverify/internal/testkit"
)

// shownPages are the three kinds of pages: claims with texts of every kind, entries with
// statements, published bounds and graphs, and an audit that has found something.
func shownPages(t *testing.T) (claims, reproduced, audited opened) {
	t.Helper()
	pages, err := writtenPages()
	if err != nil {
		t.Fatal(err)
	}
	return pages[0], pages[1], pages[2]
}

// writtenPages writes the pages of shownPages, once for all tests.
var writtenPages = sync.OnceValues(func() (pages [3]opened, err error) {
	os, err := hostileOutcomes()
	if err != nil {
		return pages, err
	}
	var details []report.Detail
	for _, o := range os {
		details = append(details, report.Examine(context.Background(), o, report.LittleCost))
	}
	html, err := report.Claims(report.About{Program: "v0", By: "somebody", Date: "2026-01-02", Command: "verify report"}, "Privacy claims", report.Findings(os, nil), details)
	if err != nil {
		return pages, err
	}
	pages[0] = opened{"claims", "Privacy claims", html}
	entries, err := quickEntries()
	if err != nil {
		return pages, err
	}
	if html, err = report.Reproduced("v0", entries); err != nil {
		return pages, err
	}
	pages[1] = opened{"reproduced", "Figures and stated numbers, recomputed", html}
	bounds := &shown.Bounds{Lo: "0.31234567890123456789", Hi: "0.31234567890123456790"}
	found := audit.CaseReport{ID: "fixed-1", About: "delta of a Gaussian", Request: json.RawMessage(`{"id":"fixed-1"}`),
		Verdict: audit.Unsound, Reply: audit.ReplyReport{Upper: "0.3"}, Truth: bounds, Understatement: "0.039"}
	html, err = report.Audit(audit.Report{
		Program: "v0", Command: []string{"python3", "adapter.py"}, Findings: []audit.FindingReport{{From: "fixed-1", Case: found, Command: "verify delta"}},
		Cases: []audit.CaseReport{found, {ID: "fixed-2", Verdict: audit.Sound, Reply: audit.ReplyReport{Upper: "0.4"}, Truth: bounds, Slack: "0.087"},
			{ID: "fixed-3", Reply: audit.ReplyReport{Kind: "refusal", Text: "not supported"}}},
	})
	pages[2] = opened{"audited", "Audit of an accountant", html}
	return pages, err
})

// hostileOutcomes decides claims whose texts are hostile, one of each verdict.
var hostileOutcomes = sync.OnceValues(func() ([]*certify.Outcome, error) {
	var text strings.Builder
	text.WriteString("version: 1\nclaims:\n")
	for i := range testkit.Hostile {
		claim := []string{
			`event: "gaussian(1)", claim: {epsilon: 1, delta: 0.13}`,
			`event: "gaussian(1)", claim: {epsilon: 1, delta: 0.12}`,
			`event: "poisson(0.9, {class_name: ZCDpEvent, rho: 0.5})", claim: {epsilon: 1, delta: 0.13}`,
			`event: {class_name: ZCDpEvent, rho: -1}, claim: {epsilon: 1, delta: 0.12}`,
		}[i%4]
		fmt.Fprintf(&text, "  - {id: c%d, %s}\n", i, claim)
	}
	claims, err := certify.Parse("x.yaml", []byte(text.String()), nil)
	if err != nil {
		return nil, err
	}
	var out []*certify.Outcome
	for i, h := range testkit.Hostile {
		c := claims[i]
		c.ID, c.Source, c.Note, c.File = h, h, h, h
		o, err := certify.Decide(context.Background(), c, certify.Options{})
		if err != nil {
			return nil, err
		}
		o.Reason += h
		out = append(out, o)
	}
	return out, nil
})

// quickEntries recomputes the entries that take no time, once for all tests.
var quickEntries = sync.OnceValues(func() ([]reproduce.Outcome, error) {
	quick := map[string]bool{"1-fig1": true, "4-fig1": true, "published-gaussian": true}
	var os []reproduce.Outcome
	for _, e := range reproduce.Entries() {
		if !quick[e.ID] {
			continue
		}
		o, err := reproduce.Run(context.Background(), e, nil)
		if err != nil {
			return nil, err
		}
		os = append(os, o)
	}
	if len(os) != len(quick) {
		return nil, fmt.Errorf("%d entries, want %d", len(os), len(quick))
	}
	return os, nil
})

// A view is a page in a window of a width, and in colours that the reader prefers.
type view struct {
	opened
	address      string
	width        int64
	scheme, want string // the name of the colours, and the paper that goes with them
}

func (v view) String() string { return fmt.Sprintf("%s, %d px, %s", v.name, v.width, v.scheme) }

// views are all pages, in narrow and wide windows, in light and dark.
func views(t *testing.T) (vs []view) {
	t.Helper()
	claims, reproduced, audited := shownPages(t)
	for _, page := range []opened{claims, reproduced, audited} {
		address := page.write(t)
		for _, width := range []int64{360, 1440} {
			for _, s := range schemes {
				vs = append(vs, view{page, address, width, s.name, s.paper})
			}
		}
	}
	return vs
}

// Pages open in a browser without complaints, fit narrow and wide windows in light and
// dark, and show what they should without scripts.
func TestPagesInABrowser(t *testing.T) {
	ctx, complaints := browser(t)
	for _, v := range views(t) {
		var inner, scroll, pictures, blank int64
		var ink, paper, title string
		err := chromedp.Run(ctx,
			prefer(v.width, v.scheme),
			emulation.SetScriptExecutionDisabled(true), // of the page: evaluation below still works
			chromedp.Navigate(v.address),
			chromedp.WaitReady("main"),
			chromedp.Title(&title),
			chromedp.Evaluate(`window.innerWidth`, &inner),
			chromedp.Evaluate(`document.documentElement.scrollWidth`, &scroll),
			chromedp.Evaluate(`document.querySelectorAll("img, svg").length`, &pictures),
			chromedp.Evaluate(`[...document.images].filter(i => !i.complete || !i.naturalWidth).length`, &blank),
			chromedp.Evaluate(`getComputedStyle(document.body).color`, &ink),
			chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &paper),
		)
		if err != nil {
			t.Fatal(err)
		}
		if scroll > inner || inner != v.width {
			t.Errorf("%s: the page is %d px wide in a window of %d", v, scroll, inner)
		}
		if title != v.title {
			t.Errorf("%s: title %q, want %q", v, title, v.title)
		}
		if paper != v.want || ink == paper {
			t.Errorf("%s: %s on %s, want paper %s", v, ink, paper, v.want)
		}
		if blank != 0 || pictures == 0 && v.name != "audited" {
			t.Errorf("%s: %d of %d pictures are not shown", v, blank, pictures)
		}
		if c := complaints(); len(c) > 0 {
			t.Fatalf("%s: the browser complains: %s", v, strings.Join(c, "; "))
		}
	}
}

// axe-core finds nothing wrong with the pages.
func TestPagesAreAccessible(t *testing.T) {
	ctx, _ := browser(t)
	for _, v := range views(t) {
		visit(t, ctx, v.address, v.width, v.scheme)
		e := accessibility(t, ctx)
		for _, w := range e.Wrong {
			t.Errorf("%s: %s", v, w)
		}
		if e.Passed < 15 {
			t.Errorf("%s: %d rules found something to look at", v, e.Passed)
		}
	}
}

// The numbers that a reader of the page of claims sees equal the numbers of the JSON output.
func TestClaimsInABrowserAreThoseOfJSON(t *testing.T) {
	ctx, _ := browser(t)
	claims, _, _ := shownPages(t)
	var got []string
	err := chromedp.Run(ctx,
		emulation.SetScriptExecutionDisabled(true),
		chromedp.Navigate(claims.write(t)),
		chromedp.Evaluate(`[...document.querySelectorAll(".claim")].map(s => [s.querySelector("h2 .verdict").innerText, ...["δ at the claimed ε", "Least ε at the claimed δ"].map(what => [...s.querySelectorAll(".enclosures dt")].find(t => t.innerText == what)?.nextElementSibling.innerText ?? "")].join(" | "))`, &got),
	)
	if err != nil {
		t.Fatal(err)
	}
	bounds := func(b *certify.Bounds) string {
		if b == nil {
			return ""
		}
		return b.Lo + " to " + b.Hi
	}
	os, err := hostileOutcomes()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range certify.NewReport(os).Claims {
		want = append(want, strings.ToUpper(string(c.Verdict))+" | "+bounds(c.Delta)+" | "+bounds(c.Epsilon))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page differs from the JSON output (-JSON +page):\n%s", diff)
	}
}

// The statements and numbers that a reader of the page of entries sees equal the ones of the
// text output.
func TestEntriesInABrowserAreThoseOfText(t *testing.T) {
	ctx, _ := browser(t)
	_, reproduced, _ := shownPages(t)
	var got []string
	err := chromedp.Run(ctx,
		emulation.SetScriptExecutionDisabled(true),
		chromedp.Navigate(reproduced.write(t)),
		chromedp.Evaluate(`[...document.querySelectorAll("section")].flatMap(s => [s.querySelector("h2").innerText].concat([...s.querySelectorAll("tbody tr")].map(r => [...r.cells].map(c => c.innerText.replaceAll("\u00a0", " ")).join(" | "))))`, &got),
	)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	entries, err := quickEntries()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range entries {
		text.WriteString(o.Text())
	}
	entry := regexp.MustCompile(`^(\S.*?)  +(\S+)  (.*)$`)
	statement := regexp.MustCompile(`^    (\S.*?)  +(stated|ours|claim) +(.*?)(?:: ((?:least ε )?(?:\[[^]]*\]|[-0-9.e]+|inf)))?(?:, printed “(.*?)”)?((?:, want [≤≥] \S+?)*)$`)
	whose := map[string]string{"stated": "", "ours": " (ours)", "claim": " (published)"}
	var want []string
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if m := entry.FindStringSubmatch(line); m != nil && line[0] != ' ' {
			want = append(want, m[3]+": "+m[1])
		} else if m := statement.FindStringSubmatch(line); m != nil {
			want = append(want, strings.Join([]string{m[3], m[5], m[4], strings.TrimPrefix(strings.ReplaceAll(m[6], "want ", ""), ", "), m[1] + whose[m[2]]}, " | "))
		} else if !strings.HasPrefix(line, "    note: ") {
			t.Fatalf("what is %q?", line)
		}
	}
	if len(want) < 20 {
		t.Errorf("the text has %d statements only", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page differs from the text output (-text +page):\n%s", diff)
	}
}

// TestBriefPagesArePages: printed at A4 and at letter, each claim of a brief page has one sheet of paper.
func TestBriefPagesArePages(t *testing.T) {
	ctx, _ := browser(t)
	text := "version: 1\nclaims:\n" +
		"  - {id: a, event: \"gaussian(1) + laplace(2)\", claim: {epsilon: 1.13, delta: 1e-5}}\n" +
		"  - {id: b, event: \"laplace(2)\", claim: {epsilon: 0.5, delta: 1e-6}}\n" +
		"  - {id: c, event: \"gaussian(2) * 10\", claim: {epsilon: 9, delta: 1e-6}}\n"
	claims, err := certify.Parse("c.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []*certify.Outcome
	var details []report.Detail
	for _, c := range claims {
		o, err := certify.Decide(t.Context(), c, certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		outcomes, details = append(outcomes, o), append(details, report.Examine(t.Context(), o, report.LittleCost))
	}
	html, err := report.Claims(report.About{Program: "v0", Brief: true}, "Privacy claims", report.Findings(outcomes, nil), details)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "brief.html")
	if err := os.WriteFile(path, html, 0o666); err != nil {
		t.Fatal(err)
	}
	alone := `for (const id of ["annex", "glossary", "about"]) document.getElementById(id).remove(); document.querySelector("footer").remove(); document.querySelectorAll("svg").length`
	drawn := 0
	if err := chromedp.Run(ctx, chromedp.Navigate("file://"+path), chromedp.Evaluate(alone, &drawn)); err != nil || drawn != 3 {
		t.Fatalf("%d graphs, %v", drawn, err)
	}
	for name, paper := range map[string][2]float64{"A4": {8.27, 11.69}, "letter": {8.5, 11}} {
		var pdf []byte
		if err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
			pdf, _, err = page.PrintToPDF().WithPaperWidth(paper[0]).WithPaperHeight(paper[1]).Do(ctx)
			return err
		})); err != nil {
			t.Fatal(err)
		}
		sheets := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
		if sheets != len(claims) {
			t.Errorf("%s: %d sheets for %d claims", name, sheets, len(claims))
		}
	}
}

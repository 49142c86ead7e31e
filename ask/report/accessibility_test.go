// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe is axe-core, a checker of accessibility; docs/dependencies.md says where it is from.
//
//go:embed testdata/axe-core/axe.min.js
var axe string

// examine runs all rules of axe-core on the page that is open: the rules of WCAG 2.2, levels A
// and AA, and its best practices. It returns what it finds wrong, and how many rules found
// something to look at and nothing wrong.
const examine = `axe.run({resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify({
	wrong: r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200)).join("; ")),
	passed: r.passes.length,
}))`

type examined struct {
	Wrong  []string
	Passed int
}

// accessibility examines a page in a window of a width and in a colour scheme.
func accessibility(t *testing.T) func(address string, width int64, scheme string) examined {
	ctx, _ := browser(t)
	return func(address string, width int64, scheme string) examined {
		t.Helper()
		var loaded bool
		var answer string
		err := chromedp.Run(ctx,
			prefer(width, scheme),
			emulation.SetScriptExecutionDisabled(false), // the checker is one
			chromedp.Navigate(address),
			chromedp.WaitReady("body"),
			chromedp.Evaluate(axe+";typeof axe.run == 'function'", &loaded),
			chromedp.Evaluate(examine, &answer, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
		)
		if err != nil {
			t.Fatal(err)
		}
		var e examined
		if err := json.Unmarshal([]byte(answer), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// axe-core finds nothing wrong with the pages, in a light and narrow or in a dark and wide window;
// under DPVERIFY_LONG in all.
func TestPagesAreAccessible(t *testing.T) {
	examine := accessibility(t)
	claims, reproduced, audited := shownPages(t)
	for i, page := range []opened{claims, reproduced, audited} {
		address := page.write(t)
		for _, width := range []int64{360, 1440} {
			for _, scheme := range schemes {
				if ((scheme.name == "light") != (width == 360) || (width == 360) != (i == 1)) && os.Getenv("DPVERIFY_LONG") == "" {
					continue
				}
				e := examine(address, width, scheme.name)
				for _, w := range e.Wrong {
					t.Errorf("%s, %d px, %s: %s", page.name, width, scheme.name, w)
				}
				if e.Passed < 15 {
					t.Errorf("%s, %d px, %s: %d rules found something to look at", page.name, width, scheme.name, e.Passed)
				}
			}
		}
	}
}

// The checker is the one that docs/dependencies.md names.
func TestCheckerIsAsStated(t *testing.T) {
	docs, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(axe))); !strings.Contains(string(docs), sum) {
		t.Errorf("docs/dependencies.md does not state SHA-256 %s", sum)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(axe, "/*! axe v"), "\n")
	if !strings.Contains(string(docs), "axe-core "+version+",") {
		t.Errorf("docs/dependencies.md does not state version %q", version)
	}
}

// The checker runs, and sees what a page must not have.
func TestInaccessiblePageIsFound(t *testing.T) {
	page := opened{name: "bad", html: []byte(`<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"></head>
<body><h1>a</h1><h4>b</h4><img src="data:,"><svg role="img" width="9" height="9"></svg><p style="color:#aaa;background:#fff">faint</p><a href="#x"></a></body></html>`)}
	e := accessibility(t)(page.write(t), 1440, "light")
	for _, rule := range []string{"html-has-lang", "document-title", "image-alt", "svg-img-alt", "color-contrast", "heading-order", "link-name", "region"} {
		if !strings.Contains("\n"+strings.Join(e.Wrong, "\n"), "\n"+rule+": ") {
			t.Errorf("rule %s finds nothing: %s", rule, fmt.Sprint(e.Wrong))
		}
	}
}

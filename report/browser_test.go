package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser starts a headless Chromium and collects what it complains about.
func browser(t *testing.T) (ctx context.Context, complaints func() []string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here: on Debian, apt-get install chromium")
	}
	if testing.Short() {
		t.Skip("the short suite starts no browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	var mu sync.Mutex
	var list []string
	chromedp.ListenTarget(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *log.EventEntryAdded:
			list = append(list, fmt.Sprintf("%s: %s", ev.Entry.Level, ev.Entry.Text))
		case *runtime.EventConsoleAPICalled:
			list = append(list, "console: "+ev.Type.String())
		case *runtime.EventExceptionThrown:
			list = append(list, ev.ExceptionDetails.Error())
		}
	})
	return ctx, func() []string { mu.Lock(); defer mu.Unlock(); return list }
}

// Pages open in a browser without complaints, fit narrow and wide windows in light and
// dark, and show what they should without scripts.
func TestPagesInABrowser(t *testing.T) {
	ctx, complaints := browser(t)
	os1 := outcomes(t)
	var details []Detail
	for _, o := range os1 {
		details = append(details, Examine(t.Context(), o))
	}
	page, err := Claims("v0", "Privacy claims", Findings(os1, nil), details)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, page, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{360, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			var inner, scroll, rows, nameless int64
			var ink, paper, title string
			err := chromedp.Run(ctx,
				chromedp.EmulateViewport(width, 900),
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				emulation.SetScriptExecutionDisabled(true), // of the page: evaluation below still works
				chromedp.Navigate("file://"+path),
				chromedp.WaitReady("#verdicts"),
				chromedp.Title(&title),
				chromedp.Evaluate(`window.innerWidth`, &inner),
				chromedp.Evaluate(`document.documentElement.scrollWidth`, &scroll),
				chromedp.Evaluate(`document.querySelectorAll("#verdicts tbody tr").length`, &rows),
				// What an accessibility check asks first: images have names, tables have
				// captions and header cells, regions that scroll can be reached by keyboard.
				chromedp.Evaluate(`[...document.querySelectorAll("svg")].filter(s => s.getAttribute("role") != "img" || !s.getAttribute("aria-label")).length
					+ [...document.querySelectorAll("table")].filter(t => !t.caption || !t.querySelector("th[scope]")).length
					+ [...document.querySelectorAll(".scroll")].filter(s => s.tabIndex < 0 || !s.getAttribute("aria-label")).length
					+ (document.documentElement.lang ? 0 : 1) + (document.querySelectorAll("h1").length == 1 ? 0 : 1)`, &nameless),
				chromedp.Evaluate(`getComputedStyle(document.body).color`, &ink),
				chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &paper),
			)
			if err != nil {
				t.Fatal(err)
			}
			if scroll > inner || inner != width {
				t.Errorf("%d px, %s: the page is %d px wide in a window of %d", width, scheme, scroll, inner)
			}
			if rows != int64(len(os1)) || title != "Privacy claims" || nameless != 0 {
				t.Errorf("%d px, %s: %d rows, title %q, %d faults", width, scheme, rows, title, nameless)
			}
			if dark := strings.Contains(paper, "rgb(13, 17, 23)"); dark != (scheme == "dark") || ink == paper {
				t.Errorf("%d px, %s: %s on %s", width, scheme, ink, paper)
			}
		}
	}
	if c := complaints(); len(c) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(c, "; "))
	}
}

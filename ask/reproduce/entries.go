// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"dpverify"
	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// Entries returns all entries, in the order of the papers.
func Entries() []Entry {
	papers := slices.Concat(tightOnBudget(), vuvuzela(), dominating(), oneRelease(), manyReleases(), subsampledNoise(),
		laplaceTransform(), decennial())
	for i := range papers {
		papers[i].describe()
	}
	return append(papers, published()...)
}

//go:embed entries.yaml
var words []byte

// described are the words of all entries, by ID.
var described = sync.OnceValue(func() *document.Node {
	root, err := document.ParseYAML(words)
	if err != nil {
		panic("reproduce: internal error: " + err.Error())
	}
	return root
})

// describe puts in the words of an entry. Its paper is called as its ID begins.
func (e *Entry) describe() {
	var shared []string
	for _, s := range described().Get("shared").Entries {
		shared = append(shared, "{{"+s.Key+"}}", s.Value.Text)
	}
	whole := strings.NewReplacer(shared...)
	paper, _, _ := strings.Cut(e.ID, "-")
	e.Paper = described().Get("papers").Get(paper).Text
	own := described().Get("entries").Get(e.ID)
	for field, into := range map[string]*string{"title": &e.Title, "parameters": &e.Parameters, "says": &e.Says,
		"note": &e.Note} {
		if n := own.Get(field); n != nil {
			*into = whole.Replace(n.Text)
		}
	}
}

// Choose returns the entries with the given IDs, or all. An ID may be a pattern as [path.Match] has it: 3-* is all of
// paper 3.
func Choose(ids []string) ([]Entry, error) {
	all := Entries()
	if len(ids) == 0 {
		return all, nil
	}
	var out []Entry
	chosen := make(map[string]bool)
	for _, id := range ids {
		var known []string
		found := false
		for _, e := range all {
			known = append(known, e.ID)
			ok, err := path.Match(id, e.ID)
			if err != nil {
				return nil, fmt.Errorf("ID = %s: %w", show.Name(id), err)
			}
			found = found || ok
			if ok && !chosen[e.ID] {
				out = append(out, e)
				chosen[e.ID] = true
			}
		}
		if !found {
			return nil, fmt.Errorf("ID = %s, want one of %s%s", show.Name(id), strings.Join(known, ", "),
				suggest.Perhaps(id, known))
		}
	}
	return out, nil
}

// publishedDir is where the files of published claims are, in dpverify.Published.
const publishedDir = "testdata/golden/published"

// published has one entry for every file of published and deployed bounds.
func published() []Entry {
	entry := func(name, title string) Entry {
		return Entry{
			ID: "published-" + name, Paper: "published and deployed bounds", Title: title,
			Parameters: "each claim with its source: " + path.Join(publishedDir, name+".yaml"),
			Says:       "Bounds (ε, δ) as they were published.",
			Note: "A claim holds if it is VERIFIED. The entry is reproduced if every claim gets the verdict that its " +
				"file expects: bounds known to be false, and bounds with a last digit taken away, are among them.",
			Claims: name + ".yaml",
		}
	}
	return []Entry{
		entry("gaussian", "The Gaussian mechanism, alone and composed"),
		entry("laplace", "Laplace noise, composed and clamped"),
		entry("guarantees", "Guarantees (ε, δ) and ρ-zCDP, composed and sampled"),
		entry("dpsgd", "DP-SGD"),
		entry("census", "The 2020 Census"),
	}
}

// decideClaims decides the claims of a file.
func decideClaims(ctx context.Context, name string, step func(string)) ([]*certify.Outcome, error) {
	data, err := dpverify.Published.ReadFile(path.Join(publishedDir, name))
	if err != nil {
		return nil, err
	}
	claims, err := certify.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	var out []*certify.Outcome
	for _, c := range claims {
		step(c.ID)
		o, err := certify.Decide(ctx, c, certify.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, c.ID, err)
		}
		out = append(out, o)
	}
	return out, nil
}

// ClaimVerdict is the verdict on a published claim in the words of this package.
func ClaimVerdict(o *certify.Outcome) Verdict {
	return cmp.Or(map[certify.Verdict]Verdict{certify.Verified: Holds, certify.Refuted: Fails}[o.Verdict], Undecided)
}

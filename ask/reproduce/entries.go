// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"dpverify/internal/document"
)

// Entries returns all entries, in the order of the papers.
func Entries() []Entry {
	papers := slices.Concat(tightOnBudget(), vuvuzela(), dominating(), truncatedNoise(), laplaceTransform(), decennial())
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

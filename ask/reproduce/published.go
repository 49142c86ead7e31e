// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"dpverify"
	"dpverify/certify"
)

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

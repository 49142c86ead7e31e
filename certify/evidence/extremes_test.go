// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/internal/testkit"
)

// drawExtreme draws an event with numbers that are far from usual ones.
func drawExtreme(r *rand.Rand, depth int) string {
	size := func() string {
		return pick(r, "1", "3", "0.5", "1e2", "1e-2", "1e4", "1e-4", "1e9", "1e-9", "1e20", "1e-20", "1e50", "1e-50", "1e300", "1e-300", "1e400", "5e-400", "1e2000", "1e-2000")
	}
	rate := func() string {
		return pick(r, "0.5", "1", "1e-3", "1e-20", "1e-400", "0.99999999999999999999999999", "1/3")
	}
	if depth > 0 && r.IntN(2) == 0 {
		switch inner := drawExtreme(r, depth-1); r.IntN(3) {
		case 0:
			return "{class_name: SelfComposedDpEvent, count: " + pick(r, "1", "2", "7", "100", "3000", "1e5", "1e9", "1e12") + ", event: " + inner + "}"
		case 1:
			return "{class_name: PoissonSampledDpEvent, sampling_probability: " + rate() + ", event: " + inner + "}"
		default:
			return "{class_name: ComposedDpEvent, events: [" + inner + ", " + drawExtreme(r, depth-1) + "]}"
		}
	}
	switch r.IntN(9) {
	case 0, 1:
		return "{class_name: GaussianDpEvent, noise_multiplier: " + size() + "}"
	case 2:
		return "{class_name: LaplaceDpEvent, noise_multiplier: " + size() + "}"
	case 3:
		return "{class_name: " + pick(r, "PermuteAndFlipDpEvent", "ExponentialMechanismDpEvent") + ", epsilon: " + size() + "}"
	case 4:
		return "{class_name: ClampedLaplaceEvent, location: " + size() + ", scale: " + size() + ", shift: " + size() + ", order: " + pick(r, "clamp-then-shift", "shift-then-clamp") + "}"
	case 5:
		if r.IntN(3) == 0 {
			return "{class_name: DiscreteGaussianDpEvent, variance: " + size() + ", sensitivity: " + pick(r, "1", "2", "30") + ", dimension: 1}"
		}
		return "{class_name: DiscreteLaplaceDpEvent, noise_parameter: " + size() + ", sensitivity: " + pick(r, "1", "2", "30", "500") + "}"
	case 6:
		return "{class_name: RandomizedResponseDpEvent, noise_parameter: " + rate() + ", num_buckets: " + pick(r, "2", "10", "1e6", "1e9") + "}"
	case 7:
		return "{class_name: MixtureOfGaussiansDpEvent, standard_deviation: " + size() + ", sensitivities: [0, " + size() + "], sampling_probs: " + pick(r, "[0.5, 0.5]", "[0.999999999999999999999, 1e-21]", "[1e-300, 0.9999e0]", "[0, 1]") + "}"
	}
	return "{class_name: EpsilonDeltaDpEvent, epsilon: " + pick(r, "0", "1", "1e-9", "30", "1e3", "1e5", "1e6", "1e-300") + ", delta: " + pick(r, "0", "1e-5", "1e-300", "1e-1000", "1", "0.99999999999999999") + "}"
}

// extremes are claims of which evidence was rejected, or that ended with a crash.
var extremes = []string{
	"event: {class_name: GaussianDpEvent, noise_multiplier: 3}, claim: {epsilon: 1e5, delta: 1e-5}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 1e400}, claim: {epsilon: 1, delta: 1e-5}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 5e-400}, claim: {epsilon: 1, delta: 1e-5}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 200000, delta: 1e-5}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 1e9}, relation: REPLACE_ONE, claim: {epsilon: 500, delta: 0.3}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 1e-9}, claim: {epsilon: 1e5, delta: 1e-5000}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: 3}, claim: {epsilon: 100, delta: 0}",
	"event: {class_name: DiscreteLaplaceDpEvent, noise_parameter: 1e300, sensitivity: 1}, claim: {renyi: [[2, 1]]}",
	"event: {class_name: SelfComposedDpEvent, count: 1e12, event: {class_name: DiscreteLaplaceDpEvent, noise_parameter: 1, sensitivity: 2}}, claim: {epsilon: 1e-400, delta: 1e-5000}",
	"event: {class_name: SelfComposedDpEvent, count: 3000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: {class_name: DiscreteLaplaceDpEvent, noise_parameter: 1e300, sensitivity: 1}}}, claim: {epsilon: 1000, delta: 0.3}",
	"event: {class_name: ComposedDpEvent, events: [{class_name: RandomizedResponseDpEvent, noise_parameter: 1e-20, num_buckets: 1e9}, {class_name: GaussianDpEvent, noise_multiplier: 1e-2}]}, relation: REPLACE_ONE, claim: {epsilon: 10, delta: 0.3}",
	"event: {class_name: SelfComposedDpEvent, count: 7, event: {class_name: ClampedLaplaceEvent, location: 0.5, scale: 1e300, shift: 1e-2000, order: shift-then-clamp}}, claim: {epsilon: 1000, delta: 1e-5000}",
	"event: {class_name: SelfComposedDpEvent, count: 1e9, event: {class_name: PoissonSampledDpEvent, sampling_probability: 1e-3, event: {class_name: RandomizedResponseDpEvent, noise_parameter: 0.99999999999999999999999999, num_buckets: 10}}}, relation: REPLACE_ONE, claim: {epsilon: 1000, delta: 0.9999999999999999999999}",
	"event: {class_name: MixtureOfGaussiansDpEvent, standard_deviation: 3, sensitivities: [0, 3], sampling_probs: [0.5, 0.5]}, claim: {epsilon: 100, delta: 0}",
	"event: {class_name: SelfComposedDpEvent, count: 9e6, event: {class_name: RandomizedResponseDpEvent, noise_parameter: 1/3, num_buckets: 1e9}}, relation: REPLACE_ONE, claim: {epsilon: 1, delta: 0.3}",
	"event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 1e-5}, claim: {epsilon: 1, delta: 1e-5}", // STATED
	// coarse grids, of which thresholds are so far out that their tails are not known
	"event: {class_name: ComposedDpEvent, events: [{class_name: SelfComposedDpEvent, count: 30, event: " +
		"{class_name: PoissonSampledDpEvent, sampling_probability: 1/3, event: {class_name: SelfComposedDpEvent, " +
		"count: 7, event: {class_name: GaussianDpEvent, noise_multiplier: 500}}}}, " +
		"{class_name: GaussianDpEvent, noise_multiplier: 1.5}]}, claim: {epsilon: 1e-6, delta: 0.05}",
	// small rates, and far shifts, of records that are replaced
	"event: {class_name: SelfComposedDpEvent, count: 2, event: {class_name: PoissonSampledDpEvent, " +
		"sampling_probability: 1e-9, event: {class_name: GaussianDpEvent, noise_multiplier: 0.5}}}, " +
		"relation: REPLACE_ONE, direction: add, claim: {epsilon: 8, delta: 1e-6}",
	"event: {class_name: SelfComposedDpEvent, count: 30, event: {class_name: PoissonSampledDpEvent, " +
		"sampling_probability: 1e-5, event: {class_name: GaussianDpEvent, noise_multiplier: 0.2}}}, " +
		"relation: REPLACE_ONE, direction: add, claim: {epsilon: -0.1, delta: 0.9}",
	"event: {class_name: PoissonSampledDpEvent, sampling_probability: 1/3, event: {class_name: " +
		"GaussianDpEvent, noise_multiplier: 0.075}}, relation: REPLACE_ONE, claim: {epsilon: 0, delta: 0.9}",
	"event: {class_name: SelfComposedDpEvent, count: 4, event: {class_name: ClampedLaplaceEvent, location: 20, scale: 4, shift: 2, order: shift-then-clamp}}, relation: REPLACE_ONE, direction: remove, claim: {epsilon: 2, delta: 0}", // MALFORMED
}

// drawExtremes draws a claim.
func drawExtremes(r *rand.Rand) string {
	claim := fmt.Sprintf("epsilon: %s, delta: %s", pick(r, "0", "1", "0.1", "10", "100", "500", "1000", "5000", "2e4", "1e5", "1e-9", "-1", "-700", "-1e5", "1e-400", "1e5"), pick(r, "0", "1e-5", "0.3", "1e-300", "1e-5000", "1", "0.9999999999999999999999"))
	if r.IntN(6) == 0 {
		claim = pick(r, "rho: 0", "rho: 1e-9", "rho: 0.5", "rho: 1e9", "renyi: [[2, 1]]", "renyi: [[1.000000001, 1e-9], [1e9, 3]]", "renyi: [[1e15, 2]]")
	}
	return fmt.Sprintf("event: %s, claim: {%s}, relation: %s", drawExtreme(r, 2), claim, pick(r, relations[:3]...))
}

// TestEvidenceOfExtremesIsAccepted: where numbers are far from usual ones there may be no evidence, and what there is
// is accepted. DPVERIFY_LONG tries 4,000 claims more.
func TestEvidenceOfExtremesIsAccepted(t *testing.T) {
	checker, dir, claims := BuildChecker(t), t.TempDir(), testkit.First(testkit.Draws(5, 10, 10), extremes...)
	if os.Getenv("DPVERIFY_LONG") != "" {
		for i := range uint64(4000) {
			claims = append(claims, drawExtremes(rand.New(rand.NewPCG(i, 11))))
		}
	}
	written := 0
	for _, claim := range claims {
		text := "version: 1\nclaims:\n  - {id: a, " + claim + "}\n"
		read, err := certify.Parse("claims.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := certify.Decide(context.Background(), read[0], certify.Options{Budget: 100 * time.Millisecond})
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		data, err := New(ctx, o)
		cancel()
		switch {
		case errors.Is(err, ErrNone), errors.Is(err, context.DeadlineExceeded):
			continue
		case err != nil:
			t.Fatalf("%s%v", text, err)
		}
		written++
		file := filepath.Join(dir, "claims.yaml")
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o666), os.WriteFile(filepath.Join(dir, FileName("a")), data, 0o666)); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(checker, "-all", file, dir).Output(); err != nil || !strings.HasPrefix(string(out), "ACCEPTED a "+strings.ToUpper(string(o.Verdict))) {
			t.Errorf("%s%s%s", text, data[:min(len(data), 300)], out)
		}
	}
	if t.Logf("%d claims, %d with evidence", len(claims), written); len(claims) > len(extremes) && written < len(claims)/10 {
		t.Errorf("%d of %d claims have evidence, want more", written, len(claims))
	}
}

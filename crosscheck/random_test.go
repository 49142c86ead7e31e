package crosscheck

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"dpverify/exact"
)

// TestRandomCompositions sends random compositions through both engines.
func TestRandomCompositions(t *testing.T) {
	n := 300
	long := os.Getenv("DPVERIFY_LONG") != ""
	switch {
	case long:
		n = 10000
	case testing.Short():
		n = 60
	}
	ctx := context.Background()
	verdicts := map[Verdict]int{}
	families := map[string]map[Verdict]int{}
	times := map[string]time.Duration{}
	var errs []float64
	for i := range n {
		t0 := time.Now()
		c, err := Draw(int64(i))
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		last := exact.Effort(1)
		q := c.Question
		cs, err := Compare(ctx, q, []*big.Rat{c.Eps}, last)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		v := cs[0]
		verdicts[v.Verdict]++
		if families[c.Family] == nil {
			families[c.Family] = map[Verdict]int{}
		}
		families[c.Family][v.Verdict]++
		times[c.Family+" "+v.Float.Method] += time.Since(t0)
		if v.Float.V >= 1e-12 {
			errs = append(errs, v.Float.Rel())
		}
		if v.Verdict == Inconclusive {
			lo, hi := v.Exact.Decimal(17)
			fmt.Printf("case %d %s eps %s: %v %.17g ± %.2g; [%s, %s] %v\n    %s\n", i, c.Family, c.Eps.RatString(), v.Float.Method, v.Float.V, v.Float.Err, lo, hi, v.Exact.Methods, Command(q, c.Eps))
		}
	}
	slices.Sort(errs)
	t.Logf("%v; median Err/V %.2g, 90%% %.2g, 99th percentile %.2g of %d", verdicts, errs[len(errs)/2], errs[len(errs)*90/100], errs[len(errs)*99/100], len(errs))
	t.Logf("%v %v", families, times)
}

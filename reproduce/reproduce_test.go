package reproduce

import (
	"context"
	"os"
	"testing"
)

// TestOursHold: what the paper does not say and we say beside it holds; and IDs are unique.
func TestOursHold(t *testing.T) {
	cheap := map[string]bool{"1-fig1": true, "1-fig13": true, "1-fig15": true, "2-fig1": true, "4-fig2": true, "4-fig4": true}
	seen := map[string]bool{}
	for _, e := range Entries() {
		if seen[e.ID] {
			t.Errorf("%s: two entries", e.ID)
		}
		seen[e.ID] = true
		if !cheap[e.ID] && os.Getenv("DPVERIFY_LONG") != "1" {
			continue
		}
		e.Figures = nil
		o, err := Run(context.Background(), e, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range o.Statements {
			if s.Ours && s.Verdict != Holds {
				lo, hi := s.Enclosure.Decimal(6)
				t.Errorf("%s: %s: [%s, %s] %s", e.ID, s.Text, lo, hi, s.Verdict)
			}
		}
	}
	for id := range cheap {
		if !seen[id] {
			t.Errorf("there is no entry %s", id)
		}
	}
}

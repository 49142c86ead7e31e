// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
)

// long reports whether the tests may take long.
func long() bool { return os.Getenv("DPVERIFY_LONG") != "" }

// An instance is a mechanism of few steps, written out: all patterns, with their chances.
type instance struct {
	name     string
	columns  [][]float64 // by step
	patterns [][]int
	chances  []float64
	Mechanism
}

// drawn adds all patterns of a sampling, by its words.
func (x *instance) drawn(kind, size int, q float64) {
	n := len(x.columns)
	for set := range 1 << n {
		var in []int
		for t := range n {
			if set>>t&1 == 1 {
				in = append(in, t)
			}
		}
		chance := 0.0
		switch kind {
		case 0: // the walk from each start
			for wait := range size {
				p := 1 / (1 + float64(size-1)*q)
				if wait > 0 {
					p *= q
				}
				next := wait
				for t := range n {
					switch takes := set>>t&1 == 1; {
					case t < next && takes:
						p = 0
					case t < next:
					case takes:
						p *= q
						next = t + size
					default:
						p *= 1 - q
					}
				}
				chance += p
			}
		case 1:
			for group := range size {
				p := 1 / float64(size)
				for t := range n {
					switch takes := set>>t&1 == 1; {
					case t%size != group && takes:
						p = 0
					case t%size != group:
					case takes:
						p *= q
					default:
						p *= 1 - q
					}
				}
				chance += p
			}
		case 2:
			if len(in) == size {
				chance = 1 / float64(binomial(n, size))
			}
		}
		if chance > 0 {
			x.patterns, x.chances = append(x.patterns, in), append(x.chances, chance)
		}
	}
}

// product is that of two patterns.
func (x *instance) product(a, b []int) (sum float64) {
	for _, s := range a {
		for _, t := range b {
			for r, y := range x.columns[s] {
				sum += y * x.columns[t][r]
			}
		}
	}
	return sum
}

// randomInstance has so many steps, and a lower-triangular matrix of so many bands.
func randomInstance(r *rand.Rand, steps int, scale float64) *instance {
	x := &instance{}
	kind, size, q := r.IntN(3), 1+r.IntN(3), float64(1+r.IntN(15))/16
	width := size
	if kind == 2 {
		size, width = min(size, steps), 1+r.IntN(3)
	}
	for t := range steps {
		c := make([]float64, steps)
		for d := 0; d < width && t+d < steps; d++ {
			c[t+d] = math.Round(256*scale*(0.2+r.Float64())) / 256
			if d > 0 && r.IntN(3) == 0 {
				c[t+d] = 0
			}
		}
		x.columns = append(x.columns, c)
	}
	x.name = fmt.Sprintf("sampling %d of %d at %g, columns %v", kind, size, q, x.columns)
	x.drawn(kind, size, q)
	x.Limit = int64((steps + size - 1) / size)
	x.Draw, x.Size, x.Rate = pattern.Draw(kind), int64(size), new(big.Rat).SetFloat64(q)
	if kind == 2 {
		x.Limit = int64(size)
	}
	greatest := 0.0
	for _, p := range x.patterns {
		greatest = max(greatest, x.product(p, p))
	}
	x.Most = new(big.Rat).SetFloat64(greatest)
	for t := range steps {
		row := participation.Row{Count: 1}
		for d := 0; d < width && d <= t; d++ {
			row.Products = append(row.Products, new(big.Rat).SetFloat64(x.product([]int{t}, []int{t - d})))
		}
		x.Rows = append(x.Rows, row)
	}
	// u has the product 1 with each column.
	u, square := make([]float64, steps), 0.0
	for t := steps - 1; t >= 0; t-- {
		left := 1.0
		for s := t + 1; s < steps; s++ {
			left -= x.columns[t][s] * u[s]
		}
		u[t] = left / x.columns[t][t]
		square += u[t] * u[t]
	}
	x.Even = new(big.Rat).SetFloat64((1 - 1e-12) / square)
	x.Mechanism, _ = New(x.Law)
	return x
}

// TestMomentsByPatterns: moments are sums over all tuples of patterns, by how many steps they have in all.
func TestMomentsByPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := 60
	if long() {
		cases = 1500
	}
	for range cases {
		x := randomInstance(r, 1+r.IntN(4), 0.7)
		for j := 1; j <= 3; j++ {
			want := make([]float64, j*int(x.Limit)+1)
			var tuples func(chosen []int, weight, e float64, n int)
			tuples = func(chosen []int, weight, e float64, n int) {
				if len(chosen) == j {
					want[n] += weight * math.Exp(e)
					return
				}
				for i, p := range x.patterns {
					more := e
					for _, k := range chosen {
						more += x.product(p, x.patterns[k])
					}
					tuples(append(chosen[:len(chosen):len(chosen)], i), weight*x.chances[i], more, n+len(p))
				}
			}
			tuples(nil, 1, 0, 0)
			got, err := x.counted(context.Background(), j, 1e9)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: %v (%v)", x.name, got, err)
			}
			for n, y := range got {
				if y.Lo > want[n]*(1+1e-12)+1e-100 || y.Hi < want[n]*(1-1e-12) || y.Hi-y.Lo > 1e-11*want[n]+1e-100 {
					t.Errorf("%s: %d replicas in %d steps: %v, want %g", x.name, j, n, y, want[n])
				}
			}
		}
	}
}

// TestCellsAreAll: the first moments of all cells together are 1, whatever the grid; a second one is E S².
func TestCellsAreAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		x := randomInstance(r, 1+r.IntN(4), math.Exp(3*r.Float64()-2.5))
		cells, err := x.cells(context.Background(), Settings{Work: 2e5, Cut: 2 + r.IntN(40), Cells: 5 + r.IntN(40)})
		if err != nil || cells == nil {
			t.Fatalf("%s: no cells (%v)", x.name, err)
		}
		sums := make([]double.Interval, min(3, len(cells[0].moments)))
		for _, c := range cells {
			for j := range sums {
				sums[j] = sums[j].Add(c.moments[j])
			}
		}
		second := 0.0
		for i, p := range x.patterns {
			for k, o := range x.patterns {
				second += x.chances[i] * x.chances[k] * math.Exp(x.product(p, o))
			}
		}
		for j, want := range []float64{1, 1, second}[:len(sums)] {
			if math.Abs(sums[j].Lo/want-1) > 1e-9 || math.Abs(sums[j].Hi/want-1) > 1e-9 {
				t.Errorf("%s: moment %d of all cells is %v, want %g", x.name, j, sums[j], want)
			}
		}
	}
}

// TestSmallChancesAreKept: what is too small to be told apart is in the bounds.
func TestSmallChancesAreKept(t *testing.T) {
	rate := new(big.Rat).SetFloat64(0x1p-950)
	m, _ := New(pattern.Law{Draw: pattern.Apart, Size: 2, Rate: rate, Most: big.NewRat(20, 1),
		Rows: []participation.Row{{Products: []*big.Rat{big.NewRat(1, 1)}, Count: 40}}, Even: new(big.Rat), Limit: 20})
	got, err := m.counted(context.Background(), 1, 1e9)
	if err != nil || !(got[1].Hi > 40*0x1p-950) || got[1].Lo != 0 || !(got[0].Lo > 0.999) {
		t.Errorf("%v, %v", got, err)
	}
}

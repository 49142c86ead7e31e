package pair

import "strings"

// Maximum is the least pair that dominates several products: its profile is the
// greatest of theirs, at each α. A maximum of profiles is convex, at most 1 and at
// least (1 − α)₊, hence the profile of a pair [Zhu, Dong & Wang 2022, Proposition 8].
//
// It stands for a factor whose worst case depends on ε: other than the products
// themselves it is attained by no single choice among them.
type Maximum struct{ Of []Product }

func (Maximum) isPair() {}

func (m Maximum) Reverse() Pair {
	if m.SelfDual() {
		return m
	}
	return Maximum{reversed(m.Of)}
}

// SelfDual: the reversed products are the same products, in any order, or each is
// self-dual.
func (m Maximum) SelfDual() bool {
	have := make(map[string]bool)
	for _, p := range m.Of {
		have[p.String()] = true
	}
	for _, p := range m.Of {
		if !p.SelfDual() && !have[p.Reverse().String()] {
			return false
		}
	}
	return true
}

func (m Maximum) String() string {
	parts := make([]string, len(m.Of))
	for i, p := range m.Of {
		parts[i] = p.String()
	}
	return "Maximum(" + strings.Join(parts, ", ") + ")"
}

func reversed(ps []Product) []Product {
	out := make([]Product, len(ps))
	for i, p := range ps {
		out[i] = p.Reverse()
	}
	return out
}

// maximum returns the pair of the greatest profile of several products, which is finite
// if they are single finite pairs.
func maximum(of []Product) Pair {
	fs := make([]Finite, len(of))
	for i, p := range of {
		f, ok := p.finite()
		if !ok {
			return Maximum{of}
		}
		fs[i] = f
	}
	return greatest(fs)
}

// greatest halves the list: a maximum has as many outcomes as both together.
func greatest(fs []Finite) Finite {
	if len(fs) == 1 {
		return fs[0]
	}
	middle := len(fs) / 2
	return greatest(fs[:middle]).Max(greatest(fs[middle:]))
}

// finite returns the finite pair that a product is a single copy of.
func (p Product) finite() (Finite, bool) {
	if len(p) != 1 || p[0].Count != 1 {
		return Finite{}, false
	}
	f, ok := p[0].Pair.(Finite)
	return f, ok
}

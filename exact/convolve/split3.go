package convolve

// Lengths N = 3M: modulo p, x^N − 1 is the product of x^M − ω^t, t = 0, 1, 2, for a cube
// root of unity ω = ρ^M, ρ of order N. The substitution x → ρ^t·x turns each factor into
// x^M − 1, so that the block of a_j + ω^t·a_{j+M} + ω^2t·a_{j+2M} is multiplied by ρ^(tj).

// twists yields ρ^(tj) from two short tables.
type twists struct {
	lo, hi []twiddle // ρ^j for j < 256, and ρ^(256·j)
}

const twistBits = 8

func (m *prime) twists(rho uint64, n int) twists {
	power := func(base uint64, k int) []twiddle {
		out := make([]twiddle, k)
		x := uint64(1)
		for i := range out {
			out[i] = m.shoup(x)
			x = m.mul(x, base)
		}
		return out
	}
	return twists{power(rho, 1<<twistBits), power(m.pow(rho, 1<<twistBits), n>>twistBits+1)}
}

// mul returns x·ρ^j in [0, 2p).
func (t *twists) mul(x uint64, j int, p uint64) uint64 {
	return mulShoup(mulShoup(x, t.lo[j&(1<<twistBits-1)], p), t.hi[j>>twistBits], p)
}

// split3 splits x, in [0, 2p), into its three blocks, in [0, 4p).
func (m *prime) split3(x []uint64) {
	p, twoP := m.p, m.twoP
	h := len(x) / 3
	rho := m.root(len(x))
	w := m.pow(rho, uint64(h))
	w1, w2 := m.shoup(w), m.shoup(m.mul(w, w))
	t1, t2 := m.twists(rho, h), m.twists(m.mul(rho, rho), h)
	x0, x1, x2 := x[:h:h], x[h:2*h:2*h], x[2*h:3*h:3*h]
	x1, x2 = x1[:len(x0)], x2[:len(x0)]
	for j, a0 := range x0 {
		a1, a2 := x1[j], x2[j]
		s := a1 + a2
		if s >= twoP {
			s -= twoP
		}
		t := mulShoup(a1, w1, p) + mulShoup(a2, w2, p) // ω·a₁ + ω²·a₂
		if t >= twoP {
			t -= twoP
		}
		d := a0 - s + twoP
		if d >= twoP {
			d -= twoP
		}
		x0[j] = a0 + s
		x1[j] = t1.mul(a0+t, j, p)
		x2[j] = t2.mul(d-t+twoP, j, p) // ω²·a₁ + ω·a₂ = −(a₁ + a₂) − t
	}
}

// join3 undoes split3 up to a factor 3, from [0, 2p) to [0, 2p).
func (m *prime) join3(x []uint64) {
	p, twoP := m.p, m.twoP
	h := len(x) / 3
	rho := m.inv(m.root(len(x)))
	w := m.pow(rho, uint64(h)) // ω^−1
	w1, w2 := m.shoup(w), m.shoup(m.mul(w, w))
	t1, t2 := m.twists(rho, h), m.twists(m.mul(rho, rho), h)
	x0, x1, x2 := x[:h:h], x[h:2*h:2*h], x[2*h:3*h:3*h]
	x1, x2 = x1[:len(x0)], x2[:len(x0)]
	for j, b0 := range x0 {
		b1, b2 := t1.mul(x1[j], j, p), t2.mul(x2[j], j, p)
		s := b1 + b2
		if s >= twoP {
			s -= twoP
		}
		t := mulShoup(b1, w1, p) + mulShoup(b2, w2, p)
		if t >= twoP {
			t -= twoP
		}
		a0, a1 := b0+s, b0+t
		if a0 >= twoP {
			a0 -= twoP
		}
		if a1 >= twoP {
			a1 -= twoP
		}
		a2 := b0 - s + twoP
		if a2 >= twoP {
			a2 -= twoP
		}
		a2 += twoP - t
		if a2 >= twoP {
			a2 -= twoP
		}
		x0[j], x1[j], x2[j] = a0, a1, a2
	}
}

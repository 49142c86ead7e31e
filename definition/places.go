// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A stream is what a placed mechanism works on: it releases linear functions of a stream in which each record has its
// place. Only what record 0 moves is run: everything else in the stream is known to the adversary. The released values
// are given with Gaussian noise, one after the other, and what is put into the next step may depend on those that were
// seen.
type stream struct {
	reading
	site
	rows  [][]*big.Rat // by released value, how much of the value of each step it has; 0 for steps after it
	takes []int        // the steps in which record 0 takes part, or may
	drawn []int        // those of them in which it does
	sigma *big.Rat
	cuts  []masses.Cut
	merge bool // only the sum of all values, weighted by how far record 0 moves them, is looked at
}

func (m *stream) law(d data) masses.Law {
	sign := new(big.Rat)
	for _, r := range []byte(d.present()) {
		if m.first(r) { // of a group, each
			sign.Add(sign, big.NewRat(int64(1-2*value(r)), 1))
		}
	}
	if m.merge {
		return m.merged(sign)
	}
	var s masses.Sum
	values := make([]*big.Rat, len(m.rows[0]))
	m.run(&s, values, 0, 0, m.site, masses.Certain(0), sign)
	return s.Law()
}

// run adds what follows history, after so many released values.
func (m *stream) run(s *masses.Sum, values []*big.Rat, released, history int, at site, so masses.Law, sign *big.Rat) {
	if released == len(m.rows) {
		s.Share(big.NewRat(1, 1), so, func(int) int { return history })
		return
	}
	mean := new(big.Rat)
	for j, x := range m.rows[released] {
		if x.Sign() == 0 {
			continue
		}
		if values[j] == nil {
			values[j] = m.put(j, at, sign)
			defer func() { values[j] = nil }()
		}
		mean.Add(mean, new(big.Rat).Mul(x, values[j]))
	}
	cells := masses.Cells(m.Normal(mean, m.sigma), m.cuts)
	for y := range cells.Len() {
		var next masses.Sum
		next.Add(cells, y, so, func(int) int { return 0 })
		m.run(s, values, released+1, history*cells.Len()+y, at.at(y), next.Law(), sign)
	}
}

// put is what record 0 adds to a step: its sign, or the opposite one.
func (m *stream) put(step int, at site, sign *big.Rat) *big.Rat {
	switch {
	case !slices.Contains(m.drawn, step):
		return new(big.Rat)
	case at.at(-4).at(step).pick(4) == 1:
		return new(big.Rat).Neg(sign)
	}
	return sign
}

// moves is how far each released value moves.
func (m *stream) moves() []*big.Rat {
	out := make([]*big.Rat, len(m.rows))
	for i := range m.rows {
		out[i] = new(big.Rat)
		for j, x := range m.rows[i] {
			out[i].Add(out[i], new(big.Rat).Mul(x, m.put(j, m.site, big.NewRat(1, 1))))
		}
	}
	return out
}

// merged is the law of Σ m_i·y_i/√(Σ m_i²), where m_i is how far y_i moves if record 0 is in all steps: Gaussian noise
// about √(Σ m_i²) if it is.
func (m *stream) merged(sign *big.Rat) masses.Law {
	all := *m
	all.drawn = m.takes
	square, along := new(big.Rat), new(big.Rat)
	moves := m.moves()
	for i, x := range all.moves() {
		square.Add(square, new(big.Rat).Mul(x, x))
		along.Add(along, new(big.Rat).Mul(x, moves[i]))
	}
	if along.Sign() != 0 {
		along.Quo(along, square)
	}
	mean := masses.Working.Mul(masses.Working.Rat(along.Mul(along, sign)), masses.Working.Sqrt(masses.Working.Rat(square)))
	return masses.Cells(func(x masses.Cut) interval.Interval {
		return masses.Working.NormalCDF(masses.Working.Div(masses.Working.Sub(masses.Working.Rat(x.At), mean),
			masses.Working.Rat(m.sigma)))
	}, m.cuts)
}

func (m *stream) words(ds []data) string {
	return fmt.Sprintf("record 1 takes part in the steps %v, counted from 0, with a value of 1 or −1 chosen in view of "+
		"what was seen", m.takes)
}

func (m *stream) label(y int) string {
	if m.merge {
		return "the weighted sum " + masses.CellName(m.cuts, y)
	}
	return cellNames(m.cuts, len(m.rows), y)
}

// streamed completes a stream. Values that record 0 does not move are left out.
func (c reading) streamed(s site, rows [][]*big.Rat, takes []int, sigma *big.Rat) mech {
	m := &stream{reading: c, site: s.at(0), takes: takes, drawn: takes, sigma: sigma, merge: s.at(1).pick(4) < 2}
	square := new(big.Rat)
	for _, row := range rows {
		moves := false
		for _, t := range takes {
			if row[t].Sign() != 0 {
				moves = true
				square.Add(square, new(big.Rat).Mul(row[t], row[t]))
			}
		}
		if moves {
			m.rows = append(m.rows, row)
		}
	}
	if len(m.rows) == 0 {
		return constant{}
	}
	m.merge = m.merge || len(m.rows) > 4
	width, _ := sigma.Float64()
	move, _ := masses.Working.Sqrt(masses.Working.Rat(square)).Hi().Float64()
	if !m.merge {
		move = 1
	}
	// A distance of move between the values of record 0 is one of 1 in units of move.
	for _, x := range c.cuts(s.at(2), max(1, len(m.rows)*map[bool]int{true: 0, false: 1}[m.merge]), width/move,
		8*width/move+2, c.threshold(width*width/(move*move))) {
		m.cuts = append(m.cuts, masses.Cut{At: x.At.Mul(x.At, new(big.Rat).SetFloat64(move))})
	}
	return m
}

// tree has a node for each aligned block of 2^h steps that is complete, and releases the sums over these blocks. Record
// 0 is in one step of one tree.
func (c reading) tree(e mechanism.SingleEpochTreeAggregation, s site) mech {
	longest := 0
	for i, n := range e.StepCounts {
		if n > e.StepCounts[longest] {
			longest = i
		}
	}
	n := int(e.StepCounts[(longest+s.at(0).pick(len(e.StepCounts)))%len(e.StepCounts)])
	if n == 0 {
		return constant{}
	}
	var rows [][]*big.Rat
	for length := 1; length <= n; length *= 2 {
		for start := 0; start+length <= n; start += length {
			row := make([]*big.Rat, n)
			for i := range row {
				row[i] = big.NewRat(0, 1)
				if i >= start && i < start+length {
					row[i] = big.NewRat(1, 1)
				}
			}
			rows = append(rows, row)
		}
	}
	return c.streamed(s.at(1), rows, []int{s.at(2).pick(n)}, e.NoiseMultiplier)
}

// lastIterate is a point on a line, which each step brings nearer to 0 by the same factor, and moves by what the record
// of one batch has, with a little more noise than there is. Constrained points are the direction of the last step
// alone, of so many dimensions that projecting them says nothing.
func (c reading) lastIterate(e mechanism.LastIterate, s site) mech {
	n := int(e.Steps)
	if e.Diameter != nil {
		n = 1
	}
	row := make([]*big.Rat, n)
	weight, square := big.NewRat(1, 1), new(big.Rat)
	for k := n - 1; k >= 0; k-- {
		row[k] = new(big.Rat).Set(weight)
		square.Add(square, new(big.Rat).Mul(weight, weight))
		weight.Mul(weight, e.Contraction)
	}
	deviation, _ := masses.Working.Sqrt(masses.Working.Rat(square)).UpperRat()
	for _, x := range row {
		x.Quo(x, deviation)
	}
	var takes []int
	for k := s.at(0).pick(int(min(e.Batches, e.Steps))); k < n; k += int(min(e.Batches, e.Steps)) {
		takes = append(takes, k)
	}
	if takes == nil {
		return constant{}
	}
	return c.streamed(s.at(1), [][]*big.Rat{row}, takes, e.NoiseMultiplier)
}

// matrix releases the rows of a lower-triangular matrix times the values of the steps. Record 0 takes part in some
// steps, as far apart and as many as there may be.
func (c reading) matrix(e mechanism.MatrixMechanism, s site) mech {
	n := int(e.Strategy.Steps)
	rows := make([][]*big.Rat, n)
	for i := range rows {
		rows[i] = make([]*big.Rat, n)
		for j := range n {
			rows[i][j] = new(big.Rat)
			if k := i - j; k >= 0 && k < len(e.Strategy.Toeplitz) {
				rows[i][j] = e.Strategy.Toeplitz[k]
			}
		}
	}
	for _, x := range e.Strategy.Entries {
		rows[x.Row][x.Column] = x.Value
	}
	if e.Sampling != nil {
		return c.sampledStream(e, s, rows)
	}
	var takes []int
	for step := s.at(0).pick(min(n, int(e.MinSeparation))); step < n && int64(len(takes)) < e.MaxParticipations; {
		takes = append(takes, step)
		step += int(e.MinSeparation) + s.at(-1-step).pick(3)
	}
	return c.streamed(s.at(1), rows, takes, e.NoiseMultiplier)
}

// A sampledStream is a stream in which record 0 draws the steps that it takes part in.
type sampledStream struct {
	*stream
	patterns [][]int
	chances  []*big.Rat
}

func (m sampledStream) law(d data) masses.Law {
	var s masses.Sum
	for i, p := range m.patterns {
		x := *m.stream
		x.drawn = p
		s.Share(m.chances[i], x.law(d), same)
	}
	return s.Law()
}

func (m sampledStream) words(ds []data) string {
	return fmt.Sprintf("of its samples %v of steps, %s", m.patterns, m.stream.words(ds))
}

// sampledStream: of a cyclic sample, record 0 is in a group; of all other samplings, it draws all of its steps.
func (c reading) sampledStream(e mechanism.MatrixMechanism, s site, rows [][]*big.Rat) mech {
	size := int(e.Sampling.Size)
	turns := func(i int) (steps []int) { // those that are i modulo size
		for t := i; t < len(rows); t += size {
			steps = append(steps, t)
		}
		return steps
	}
	m := sampledStream{}
	add := func(steps []int, chance *big.Rat) {
		m.patterns, m.chances = append(m.patterns, steps), append(m.chances, chance)
	}
	// tossed adds all subsets of steps, each of them in by a coin.
	tossed := func(steps []int, chance *big.Rat) {
		for set := range 1 << len(steps) {
			in, out := subset(steps, set)
			p := powers(e.Sampling.Probability, len(in), len(out))
			add(in, p.Mul(p, chance))
		}
	}
	each := big.NewRat(1, int64(size))
	var all []int
	for t := range rows {
		all = append(all, t)
	}
	switch e.Sampling.Kind {
	case mechanism.PoissonCyclic:
		all = turns(s.at(0).pick(min(len(rows), size)))
		tossed(all, big.NewRat(1, 1))
	case mechanism.BallsInBins:
		for i := range size {
			add(turns(i), each)
		}
	case mechanism.RandomShift:
		for i := range size {
			tossed(turns(i), each)
		}
	case mechanism.RandomSteps:
		for set := range 1 << len(rows) {
			if in, _ := subset(all, set); len(in) == size {
				add(in, new(big.Rat).Inv(new(big.Rat).SetInt(new(big.Int).Binomial(int64(len(rows)), int64(size)))))
			}
		}
	case mechanism.MinSeparation:
		// Of many steps, each record waits for 0, …, size − 1 of them with the chances of the stationary law.
		q := e.Sampling.Probability
		free := new(big.Rat).Inv(new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(big.NewRat(int64(size-1), 1), q)))
		var from func(t int, in []int, chance *big.Rat)
		from = func(t int, in []int, chance *big.Rat) {
			if t >= len(rows) {
				add(append([]int(nil), in...), chance)
				return
			}
			from(t+1, in, new(big.Rat).Mul(chance, powers(q, 0, 1)))
			from(t+size, append(in, t), new(big.Rat).Mul(chance, q))
		}
		from(0, nil, free)
		for wait := 1; wait < size; wait++ {
			from(wait, nil, new(big.Rat).Mul(free, q))
		}
	}
	x, ok := c.streamed(s.at(1), rows, all, e.NoiseMultiplier).(*stream)
	if !ok {
		return constant{}
	}
	m.stream = x
	return m
}

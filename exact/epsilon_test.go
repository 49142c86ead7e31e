// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"testing"
	"time"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/profile"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestEpsilonOfGreatLosses: ε far beyond 2^40, where e^ε overflows. The values are roots of Balle & Wang 2018,
// Theorem 8, by mpmath with 250 digits: µ²/2 + µ·4.75342…
func TestEpsilonOfGreatLosses(t *testing.T) {
	for _, c := range []struct{ noise, want string }{
		{"1e-7", "50000047534242.088229227153083339562149501390216685175433"},
		{"1e-90", "5.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000475342430882289894819e+179"},
	} {
		noise, want := rat(c.noise), rat(c.want)
		q := Question{Event: mechanism.Gaussian{NoiseMultiplier: noise}}
		r, err := Epsilon(context.Background(), q, rat("1e-6"), 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		unit := new(big.Rat).Mul(want, rat("1e-48"))
		w := interval.Prec(500)
		truth := interval.Union(w.Rat(new(big.Rat).Sub(want, unit)), w.Rat(new(big.Rat).Add(want, unit)))
		if _, ok := interval.Intersect(r.Interval, truth); !ok || r.RelativeBits(200) < 55 {
			t.Errorf("noise %s: %s, want %s", c.noise, r.Interval, c.want)
		}
	}
}

// TestLeftOutDirections: a direction is left out only where its ε is at most the lower end of what is
// known, and ε of both directions is the greater one.
func TestLeftOutDirections(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ event, delta string }{
		{`{"class_name":"SelfComposedDpEvent","count":65536,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/100","event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}}}`, "1e-5"},
		{`{"class_name":"SelfComposedDpEvent","count":16,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"99/100","event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}}}`, "1/100"},
	} {
		q := Question{Event: event(t, c.event)}
		both, err := Epsilon(ctx, q, rat(c.delta), 23, 0)
		if err != nil {
			t.Fatal(err)
		}
		greater := negInf
		for _, q.Direction = range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			r, err := Epsilon(ctx, q, rat(c.delta), 23, 0)
			if err != nil {
				t.Fatal(err)
			}
			greater = interval.Max(greater, r.Interval)
		}
		if _, ok := interval.Intersect(both.Interval, greater); !ok || both.RelativeBits(40) < 20 {
			t.Errorf("ε(%s) of %s in %s, of its directions in %s", c.delta, c.event, both.Interval, greater)
		}
		p, err := Prepare(ctx, q, 0)
		if err != nil {
			t.Fatal(err)
		}
		w := interval.Prec(80)
		for _, b := range p.bounds {
			y, _, err := p.epsilon(ctx, b, rat(c.delta), accuracy{bits: 23})
			if err != nil {
				t.Fatal(err)
			}
			for _, known := range []struct {
				lower interval.Interval
				out   bool
			}{{w.Mul(y, w.Rat(rat("0.999"))), false}, {w.Mul(y, w.Rat(rat("1.001"))), true}, {w.Scale(y, 2), true}, {negInf, false}} {
				if out, err := p.leftOut(ctx, b, rat(c.delta), accuracy{bits: 23}, known.lower); err != nil || out != known.out {
					t.Errorf("%s, ε in %s: left out beside %s: %v, %v", b.Prod, y, known.lower, out, err)
				}
			}
		}
	}
}

// TestSearchesBeginAnywhere: a start that is far off, or at the searched ε, or none, changes no answer.
func TestSearchesBeginAnywhere(t *testing.T) {
	ctx := context.Background()
	q := Question{Event: event(t, `{"class_name":"SelfComposedDpEvent","count":65536,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/100","event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}}}`), Direction: mechanism.Remove}
	want, err := Epsilon(ctx, q, rat("1e-5"), 30, 0)
	if err != nil {
		t.Fatal(err)
	}
	inside, _, _ := interval.Prec(60).Mid(want.Interval).Rationals()
	for _, near := range []*big.Rat{inside, new(big.Rat).Mul(inside, rat("6/5")), rat("40"), nil} {
		p, err := Prepare(ctx, q, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.bounds[0].Sol.Short.Near = func(context.Context, *big.Rat) (*big.Rat, bool) { return near, near != nil }
		r, err := p.Epsilon(ctx, rat("1e-5"), 30)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := interval.Intersect(r.Interval, want.Interval); !ok || r.RelativeBits(60) < 27 {
			t.Errorf("from %v: ε in %s, want %s", near, r.Interval, want.Interval)
		}
	}
}

// TestLeftOutBeyondLosses: beyond its greatest loss a direction is left out without a value of its profile, and not
// below.
func TestLeftOutBeyondLosses(t *testing.T) {
	q := Question{Direction: mechanism.Add, Event: event(t, `{"class_name":"SelfComposedDpEvent","count":10,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/1000","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}}`)}
	p, err := Prepare(t.Context(), q, 0)
	if err != nil || len(p.bounds) != 1 {
		t.Fatal(len(p.bounds), err)
	}
	unasked := errors.New("a value was asked for")
	b := p.bounds[0]
	b.Sol.Short = method.Shortcuts{Above: func(interval.Real) interval.Interval { return interval.Int(1) }}
	b.Sol.Used = []method.Used{{F: func(context.Context, interval.Prec, interval.Real) (interval.Interval, error) {
		return profile.Unit(), unasked
	}}}
	w := interval.Prec(64)
	for _, c := range []struct {
		eps, delta string
		out        bool
		err        error
	}{{"0.01001", "1e-9", true, nil}, {"0.01", "1e-9", false, unasked}} {
		if out, err := p.leftOut(t.Context(), b, rat(c.delta), accuracy{bits: 20}, w.Rat(rat(c.eps))); out != c.out || !errors.Is(err, c.err) {
			t.Errorf("at ε = %s: left out %v, %v", c.eps, out, err)
		}
	}
}

// TestTinyDeltasOfInterest: the least δ that can be written is one of interest for every kind of method: it adds no
// more bits to precisions than there may be.
func TestTinyDeltasOfInterest(t *testing.T) {
	delta := rat("1e-100000")
	for _, text := range []string{
		`{"class_name":"ComposedDpEvent","events":[{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0},{"class_name":"EpsilonDeltaDpEvent","epsilon":"1/3","delta":0}]}`,
		`{"class_name":"RandomAllocationDpEvent","num_steps":3,"num_selected":1,"event":{"class_name":"GaussianPairEvent","sigma_p":1,"sigma_q":2,"shift":1}}`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := Prepare(ctx, Question{Event: event(t, text), Scale: delta}, 0)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestEpsilonToNoBits: any number of bits may be asked for, none included.
func TestEpsilonToNoBits(t *testing.T) {
	sampled := mechanism.PoissonSampled{SamplingProbability: rat("1/100"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}
	q := Question{Event: mechanism.SelfComposed{Event: sampled, Count: 100}}
	want, err := Epsilon(t.Context(), q, rat("1e-5"), 40, 0)
	if err != nil {
		t.Fatal(err)
	}
	for bits := range 4 {
		if y, err := Epsilon(t.Context(), q, rat("1e-5"), bits, 0); err != nil || !y.Encloses(want.Interval) {
			t.Errorf("to %d bits: %v, %v, want %v", bits, y.Interval, err, want.Interval)
		}
	}
}

// TestEpsilonToDigits: what is printed and quoted of an ε to so many digits is what far more bits have it be, and the
// enclosure is as narrow as the digits ask.
func TestEpsilonToDigits(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewSource(31))
	narrower := 0
	searches := testkit.Draws(15, 40, 40)
	for i := range searches {
		noise := big.NewRat(int64(40+r.Intn(300)), 100)
		var e mechanism.Event = mechanism.PoissonSampled{SamplingProbability: big.NewRat(int64(1+r.Intn(200)), 4000), Event: mechanism.Gaussian{NoiseMultiplier: noise}}
		if i%4 == 0 {
			e = mechanism.Gaussian{NoiseMultiplier: noise}
		}
		q := Question{Event: mechanism.SelfComposed{Event: e, Count: int64(20 + r.Intn(3000))}}
		delta := new(big.Rat).SetFrac64(1, int64(math.Pow(10, 1+8*r.Float64())))
		p, err := Prepare(ctx, q, 0)
		if err != nil {
			t.Fatal(err)
		}
		fine, err := p.Epsilon(ctx, delta, 50)
		if err != nil {
			t.Fatal(err)
		}
		for _, digits := range []int{1, 2, 4, 5, 7} {
			y, err := p.EpsilonTo(ctx, delta, digits)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, δ = %s, %d digits", mechanism.EncodeEvent(q.Event), delta, digits)
			if _, ok := interval.Intersect(y.Interval, fine.Interval); !ok {
				t.Errorf("%s: %s and %s", what, y.Interval, fine.Interval)
			}
			lo, hi := y.Decimal(digits)
			if l, h := fine.Decimal(digits); lo != l || hi != h {
				t.Errorf("%s: printed [%s, %s], want [%s, %s]", what, lo, hi, l, h)
			}
			_, quote := y.Decimal(number.QuotedDigits)
			if _, h := fine.Decimal(number.QuotedDigits); quote != h && y.Hi().Sign() > 0 && digits >= 4 {
				t.Errorf("%s: quoted as %s, want %s", what, quote, h)
			}
			const w = interval.Prec(64)
			h := y.Interval.Upper()
			if w.Sub(h, y.Interval.Lower()).LessEq(w.Mul(h.Abs(), w.Rat(number.PowerOfTen(-digits)))) != interval.True {
				t.Errorf("%s: %s is wide", what, y.Interval)
			}
			if y.RelativeBits(60) < DigitBits(digits) {
				narrower++
			}
		}
	}
	if narrower < searches/2 {
		t.Errorf("%d of the searches end by their digits", narrower)
	}
}

// TestSomeHitsOfLittleNoise: samples of so little noise that a line would take long have four digits of ε at effort 0.
func TestSomeHitsOfLittleNoise(t *testing.T) {
	for _, c := range []struct {
		rate, noise, delta string
		count              int64
	}{{"103/10000", "711/10000", "6.21e-5", 267}, {"462/100000", "121/1000", "8.61e-5", 4822}} {
		e := mechanism.PoissonSampled{SamplingProbability: rat(c.rate), Event: mechanism.Gaussian{NoiseMultiplier: rat(c.noise)}}
		p, err := Prepare(t.Context(), Question{Event: mechanism.SelfComposed{Event: e, Count: c.count}, Scale: rat(c.delta)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.EpsilonTo(t.Context(), rat(c.delta), 4)
		if err != nil {
			t.Fatal(err)
		}
		const w = interval.Prec(64)
		if h := y.Interval.Upper(); w.Sub(h, y.Interval.Lower()).LessEq(w.Mul(h, w.Rat(rat("1e-4")))) != interval.True {
			t.Errorf("%v: %v", c, y.Interval)
		}
	}
}

// TestAThousandDigits: ε of 1,000 steps to 1,000 digits. The digits are those of rules on strips that are as wide
// everywhere, which take four times as many nodes and have a proof of their own, on the same line.
func TestAThousandDigits(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("takes half a minute: DPVERIFY_LONG=1 runs it; TestMomentsToManyDigits in exact/inversion runs every day")
	}
	const digits = 1000
	want, ok := new(big.Rat).SetString("1.82823666651657684261443818323167301648010455958145568595813707119504869745463803294134784946522900" +
		"4100978613182278288728945328518895248744663303586512758408851787662507581770020668095449670650512229" +
		"5559092887067130519194888656849880590410527431236445986228977127662327801926919387737866672361605585" +
		"0718964161171937975194824758657485564189237859028363127702637113060972609309297160800365314209267901" +
		"5905122516265621584101098430549943797773563401877333582283881151599853024279334555980791646963063009" +
		"1308906344073513610387621346047224015173831162357107991567916970701398472009715597724815254615688123" +
		"7811307422709940342700997157811032095248829305864789476069878274813515243040217327171714776121335498" +
		"7806655414057372704886777289785136195902960698441994759359711080074894157628071468141795128675175351" +
		"3259929451430344060578224716965412574689423221276310227108312073388584629439489412603584881637530090" +
		"63332680753966915987297913424363060794195615801437722347597153537171768804797887207889475193456792077")
	if !ok {
		t.Fatal("no number")
	}
	e := mechanism.PoissonSampled{SamplingProbability: rat("1/100"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}
	p, err := Prepare(t.Context(), Question{Event: mechanism.SelfComposed{Event: e, Count: 1000}, Scale: rat("1e-5")}, 6)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.EpsilonTo(t.Context(), rat("1e-5"), digits)
	if err != nil {
		t.Fatal(err)
	}
	const w = interval.Prec(4000)
	unit := w.Rat(number.PowerOfTen(1 - digits)) // of the last digit
	truth := interval.Union(w.Rat(want), w.Add(w.Rat(want), unit))
	if _, ok := interval.Intersect(y.Interval, truth); !ok {
		t.Errorf("ε in %v, want %v", y.Interval, truth)
	}
	if width := w.Sub(y.Interval.Upper(), y.Interval.Lower()); width.LessEq(w.Scale(unit, 1)) != interval.True {
		t.Errorf("ε is known to %v", width)
	}
}

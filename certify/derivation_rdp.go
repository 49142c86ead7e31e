package certify

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

func (d *deriver) rdpMironov() (exact.Enclosure, error) { return d.rdp(renyi.Mironov) }

func (d *deriver) rdpCKS() (exact.Enclosure, error) { return d.rdp(renyi.CKS) }

// momentsAccountant goes by its own orders.
func (d *deriver) momentsAccountant() (exact.Enclosure, error) {
	return d.rdp(renyi.MomentsAccountant)
}

// realBits is the precision of an optimum over all real orders.
const realBits = interval.Prec(44)

// rdp converts the Rényi curve of the event, for a guarantee the stated one, at the
// claim's orders.
func (d *deriver) rdp(c renyi.Conversion) (exact.Enclosure, error) {
	curve, err := renyi.NewCurve(d.prob, d.claim.Direction)
	if err != nil {
		return exact.Enclosure{}, err
	}
	if d.claim.Statement.Delta.Sign() == 0 {
		return infinite(), nil // log(1/δ) = ∞
	}
	listed := curveOrders(d.prob.Product)
	steps := len(listed) > 0 || sampledGuarantee(d.prob.Product)
	if steps {
		c = c.Exhaustive()
	}
	stated := whileTime(d.ctx, curve.Stated)
	var y renyi.Converted
	switch {
	case d.claim.RealOrders && steps && len(listed) == 0:
		return exact.Enclosure{}, notModelled("a sampled guarantee has no optimum over real orders, want a list")
	case d.claim.RealOrders && len(listed) == 0:
		y = c.RealEpsilon(realBits, stated, d.delta())
	default:
		orders := d.claim.Orders
		if len(orders) == 0 {
			orders = listed
		}
		if len(orders) == 0 {
			orders = renyi.DefaultOrders()
		}
		y = c.Epsilon(derivationBits, stated, d.delta(), orders)
	}
	if y.Order != nil {
		d.note = "the best order is " + shortNumber(y.Order)
	}
	return enclosed(y.Interval), d.ctx.Err()
}

// whileTime returns f until the end of ctx. From then on all is unknown, so that no order
// is computed that nobody waits for.
func whileTime(ctx context.Context, f renyi.Divergence) renyi.Divergence {
	return func(p interval.Prec, alpha renyi.Order) interval.Interval {
		if ctx.Err() != nil {
			return interval.Max(interval.Int(0), interval.Entire())
		}
		return f(p, alpha)
	}
}

// sampledGuarantee reports whether a factor is a sample of a guarantee in Rényi divergences:
// what is known of it between integer orders need not be convex.
func sampledGuarantee(prod pair.Product) bool {
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.Sampled:
			if x.Base.IsGuarantee() {
				return true
			}
		case pair.Mixed:
			if sampledGuarantee(x.Base) {
				return true
			}
		case pair.Symmetric:
			if sampledGuarantee(pair.Product{{Pair: x.Pair, Count: 1}}) {
				return true
			}
		}
	}
	return false
}

// curveOrders returns the orders of a Rényi curve among the factors: between them it
// says no more than at the next, and nothing beyond.
func curveOrders(prod pair.Product) []*big.Rat {
	var out []*big.Rat
	add := func(c pair.RenyiCurve) { out = append(out, c.Orders...) }
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.RenyiCurve:
			add(x)
		case pair.Sampled:
			out = append(out, curveOrders(x.Base)...)
		case pair.Mixed:
			out = append(out, curveOrders(x.Base)...)
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// shortNumber writes a number in a few digits.
func shortNumber(r *big.Rat) string {
	if s := mechanism.FormatNumber(r); len(s) <= 8 {
		return s
	}
	lo, _ := interval.Prec(64).Rat(r).Decimal(5)
	return "about " + lo
}

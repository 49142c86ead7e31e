package certify

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/number"
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
	listed := curveOrders(d.prob.Dominating())
	steps := len(listed) > 0 || sampledGuarantee(d.prob.Dominating())
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
	switch {
	case y.Order == nil:
	case d.claim.RealOrders && y.Order.Cmp(big.NewRat(1<<40, 1)) > 0:
		d.note = "the larger the order, the less is derived"
	default:
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
	return slices.ContainsFunc(prod, func(t pair.Term) bool {
		if x, ok := t.Pair.(pair.Sampled); ok && x.Base.IsGuarantee() {
			return true
		}
		return slices.ContainsFunc(pair.Parts(t.Pair), sampledGuarantee)
	})
}

// curveOrders returns the orders of a Rényi curve among the factors: between them it
// says no more than at the next, and nothing beyond.
func curveOrders(prod pair.Product) []*big.Rat {
	var out []*big.Rat
	for _, t := range prod {
		if c, ok := t.Pair.(pair.RenyiCurve); ok {
			out = append(out, c.Orders...)
		}
		for _, part := range pair.Parts(t.Pair) {
			out = append(out, curveOrders(part)...)
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// shortNumber writes a number in a few digits.
func shortNumber(r *big.Rat) string {
	if s := number.Format(r); len(s) <= 8 {
		return s
	}
	lo, _ := interval.Prec(64).Rat(r).Decimal(5)
	return "about " + lo
}

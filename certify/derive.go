package certify

import (
	"context"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/pair"
)

// A Method is a derivation that this version models.
type Method struct {
	Name, Source string
	// Bound says that what it derives is proved to hold.
	Bound bool
	// Orders says that it goes by Rényi orders, some or all real ones.
	Orders bool
	// Formula says that it is one, and takes no time.
	Formula bool
}

// Methods lists the modelled derivations.
var Methods = []Method{
	{Name: "basic", Source: "Dwork et al. 2006", Bound: true, Formula: true},
	{Name: "advanced", Source: "Dwork, Rothblum & Vadhan 2010", Bound: true, Formula: true},
	{Name: "kov", Source: "Kairouz, Oh & Viswanath 2015", Bound: true},
	{Name: "moments-accountant", Source: "Abadi et al. 2016", Bound: true},
	{Name: "rdp-mironov", Source: "Mironov 2017", Bound: true, Orders: true},
	{Name: "rdp-cks", Source: "Canonne, Kamath & Steinke 2020", Bound: true, Orders: true},
	{Name: "zcdp-bs", Source: "Bun & Steinke 2016", Bound: true, Formula: true},
	{Name: "zcdp-cks", Source: "Canonne, Kamath & Steinke 2020", Bound: true, Formula: true},
	{Name: "gdp-clt", Source: "Bu, Dong, Long & Su 2020", Formula: true},
}

// Derive encloses the ε that a modelled derivation gives for an event at delta, by the
// default Rényi orders or by all real ones, and returns a note for people. The error is a
// NotModelledError, about the question, a bug of the engine or ctx's.
func Derive(ctx context.Context, q exact.Question, delta *big.Rat, name string, realOrders bool) (exact.Enclosure, string, error) {
	m, ok := methods[name]
	if !ok {
		return exact.Enclosure{}, "", notModelled("this version does not know the derivation")
	}
	prob, err := pair.Resolve(q.Event, q.Relation)
	if err != nil {
		return exact.Enclosure{}, "", err
	}
	c := &Claim{MorePrivate: q.Event, LessPrivate: q.Event, Relation: q.Relation, Direction: q.Direction,
		Statement: Statement{Delta: delta}, RealOrders: realOrders}
	d := deriver{ctx: ctx, claim: c, event: q.Event, prob: prob}
	e, err := m(&d)
	return e, d.note, err
}

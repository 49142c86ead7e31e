package certify

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/document"
	"dpverify/exact"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

// A Statement is what is claimed; exactly one of its forms is set.
type Statement struct {
	Epsilon, Delta *big.Rat               // δ(Epsilon) ≤ Delta
	Written        [2]string              // Epsilon and Delta, as written
	Rho            *big.Rat               // R_α ≤ Rho·α for all α > 1
	Renyi          []mechanism.RenyiPoint // R_α ≤ Value at each order
	PLD            string                 // the path of a serialised privacy-loss distribution that dominates
	Losses         *exact.Losses          // what PLD holds
}

// String is the statement in words, ε and δ as they are written; empty if it could not
// be read.
func (s Statement) String() string {
	switch {
	case s.Epsilon != nil && s.Delta != nil:
		return fmt.Sprintf("(ε, δ) = (%s, %s)", show.Cut(s.Written[0]), show.Cut(s.Written[1]))
	case s.Rho != nil:
		return "ρ = " + show.Cut(number.Format(s.Rho))
	case s.PLD != "":
		return "dominated by " + show.Name(show.Cut(s.PLD))
	}
	const most = 4
	var points []string
	for _, p := range s.Renyi {
		switch {
		case p.Order == nil || p.Value == nil:
			return ""
		case len(points) == most:
			return strings.Join(points, ", ") + fmt.Sprintf(" and %d more", len(s.Renyi)-most)
		}
		points = append(points, fmt.Sprintf("R(%s) ≤ %s", show.Cut(number.Format(p.Order)), show.Cut(number.Format(p.Value))))
	}
	return strings.Join(points, ", ")
}

// statement reads what is claimed.
func (d *claimDecoder) statement(n *document.Node) {
	const forms = "{epsilon: …, delta: …}, {rho: …}, {renyi: [[order, value], …]} or {pld: file}"
	if n.Kind != document.Mapping {
		d.invalid(n, "claim", forms)
		return
	}
	var keys []string
	for _, e := range n.Entries {
		keys = append(keys, show.Name(show.Cut(e.Key)))
	}
	s := &d.c.Statement
	switch {
	case len(keys) == 2 && n.Get("epsilon") != nil && n.Get("delta") != nil:
		s.Written = [2]string{n.Get("epsilon").Text, n.Get("delta").Text}
		s.Epsilon = d.number(n.Get("epsilon"), "claim.epsilon", number.Any)
		s.Delta = d.number(n.Get("delta"), "claim.delta", number.Probability)
	case len(keys) == 1 && n.Get("rho") != nil:
		s.Rho = d.number(n.Get("rho"), "claim.rho", number.NonNegative)
	case len(keys) == 1 && n.Get("renyi") != nil:
		d.renyi(n.Get("renyi"))
	case len(keys) == 1 && n.Get("pld") != nil:
		d.losses(n.Get("pld"))
	default:
		d.fail(&ClaimError{Line: n.Line, Field: "claim", Value: "{" + strings.Join(keys, ", ") + "}", Want: forms})
	}
}

func (d *claimDecoder) renyi(list *document.Node) {
	if list.Kind != document.Sequence || len(list.Items) == 0 {
		d.invalid(list, "claim.renyi", "a list of [order, value]")
		return
	}
	for i, item := range list.Items {
		field := fmt.Sprintf("claim.renyi[%d]", i)
		if item.Kind != document.Sequence || len(item.Items) != 2 {
			d.invalid(item, field, "[order, value]")
			return
		}
		d.c.Statement.Renyi = append(d.c.Statement.Renyi, mechanism.RenyiPoint{
			Order: d.number(item.Items[0], field+"[0]", number.AboveOne),
			Value: d.number(item.Items[1], field+"[1]", number.NonNegative),
		})
	}
}

// orders reads `real` or a list of orders.
func (d *claimDecoder) orders(n *document.Node) {
	if n.Kind == document.String && n.Text == "real" {
		d.c.RealOrders = true
		return
	}
	if n.Kind != document.Sequence || len(n.Items) == 0 {
		d.invalid(n, "orders", "real or a list of numbers > 1")
		return
	}
	for i, item := range n.Items {
		d.c.Orders = append(d.c.Orders, d.number(item, fmt.Sprintf("orders[%d]", i), number.AboveOne))
	}
}

var one = big.NewRat(1, 1)

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/document"
	"dpverify/mechanism"
)

func newImportOpenDP() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "opendp FILE…",
		Short: "Deployments of the registry of OpenDP, in YAML",
		Long: `Turn deployments of the registry of OpenDP (opendp/deployments-registry-data) into
claims. A deployment states parameters and describes its mechanism in words, so the
event is the guarantee that is stated, and the claim the same: verify certify says
STATED, as nothing can be verified. Put the mechanism in the event's place to test it.

What can be decided is decided: a deployment that states both ρ and (ε, δ) becomes the
claim that ρ-zCDP gives (ε, δ). So does a line of the details of its parameters that
states all three, and one that states the scale of Laplace noise, the sensitivity and ε
becomes a claim about that noise.

A parameter that is no number is never read as one. A deployment of which nothing is
left is left out, and standard error says why.`,
		Example: `  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			var claims []importedClaim
			for _, file := range files {
				d, err := readDeployment(c, file)
				if err != nil {
					return err
				}
				for _, warning := range d.warnings {
					fmt.Fprintf(c.ErrOrStderr(), "verify: %v\n", warning)
				}
				claims = append(claims, d.claims...)
			}
			if len(claims) == 0 {
				return errors.New("no deployment states its parameters")
			}
			return writeClaims(c.OutOrStdout(), output, claims)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// An importDomain is where a number that others state can be.
type importDomain struct {
	want     string
	contains func(*big.Rat) bool
}

var (
	nonNegative = importDomain{"a number >= 0", func(x *big.Rat) bool { return x.Sign() >= 0 }}
	probability = importDomain{"a number in [0, 1]", func(x *big.Rat) bool { return x.Sign() >= 0 && x.Cmp(big.NewRat(1, 1)) <= 0 }}
)

// A parameter is one of the parameters that a deployment states. It is absent if it has
// neither a value nor a problem.
type parameter struct {
	value   *big.Rat
	null    bool
	problem string // why the text is not such a number
	node    *document.Node
}

func (p parameter) String() string { return mechanism.FormatNumber(p.value) }

// newParameter reads a parameter; n is nil where there is none.
func newParameter(key string, n *document.Node, in importDomain) parameter {
	switch {
	case n == nil:
		return parameter{}
	case n.Kind == document.Null:
		return parameter{null: true}
	case n.Kind == document.Number || n.Kind == document.String:
		if x, err := (mechanism.Decoder{}).Number(n, key); err == nil && in.contains(x) {
			return parameter{value: x}
		}
	}
	return parameter{problem: fmt.Sprintf("%s = %s, want %s", key, shown(n), in.want), node: n}
}

// A deployment holds the claims of one file, and what had to be left out.
type deployment struct {
	claims   []importedClaim
	warnings []error
}

// readDeployment reads one deployment.
func readDeployment(c *cobra.Command, file string) (deployment, error) {
	var out deployment
	n, name, err := readDocument(c, file, nil)
	if err != nil {
		return out, err
	}
	d := n.Get("deployment")
	if d == nil {
		return out, at(name, n, "deployment is missing: not a deployment of the registry")
	}
	base := importedClaim{ID: baseName(file), Source: "OpenDP deployments registry"}
	if slug := n.Get("url_slug"); slug != nil && slug.Text != "" {
		base.ID = slug.Text
	}
	for _, section := range []string{"basic", "product"} {
		if v := prose(d.Get(section).Get("name")); v != "" {
			base.Source += ": " + v
			break
		}
	}
	loss := d.Get("privacy_loss")
	var notes []string
	if unit := prose(loss.Get("privacy_unit")); unit != "" {
		notes = append(notes, "privacy unit: "+unit)
	}
	s := newStatedParameters(loss.Get("privacy_parameters"))
	claim, more, problems := s.claim()
	left := "not read"
	if claim == nil {
		left = "left out"
	}
	for _, p := range problems {
		out.warnings = append(out.warnings, at(name, p.node, "%s: %s", p.problem, left))
	}
	switch {
	case claim != nil:
		claim.ID, claim.Source = base.ID, base.Source
		claim.Note = strings.Join(append(notes, more...), "; ")
		out.claims = append(out.claims, *claim)
	case len(problems) == 0:
		out.warnings = append(out.warnings, fmt.Errorf("%s: no numbers in deployment.privacy_loss.privacy_parameters: left out", certify.Printable(name)))
	}
	if v := loss.Get("privacy_parameters_details"); v != nil && v.Kind == document.String {
		for i, claim := range detailedClaims(v.Text) {
			claim.ID, claim.Source = fmt.Sprintf("%s-details-%d", base.ID, i+1), base.Source
			out.claims = append(out.claims, claim)
		}
	}
	return out, nil
}

// prose is a text on one line; nothing if n is no text.
func prose(n *document.Node) string {
	if n == nil || n.Kind != document.String {
		return ""
	}
	return strings.Join(strings.Fields(n.Text), " ")
}

// statedParameters are those of a deployment.
type statedParameters struct{ epsilon, delta, rho parameter }

func newStatedParameters(n *document.Node) statedParameters {
	return statedParameters{
		epsilon: newParameter("epsilon", n.Get("epsilon"), nonNegative),
		delta:   newParameter("delta", n.Get("delta"), probability),
		rho:     newParameter("rho", n.Get("rho"), nonNegative),
	}
}

const (
	statedOnly = "the registry describes the mechanism in words: the event is the stated guarantee; put the mechanism in its place to test the claim"
	statedBoth = "the registry states both: the event is the stated ρ-zCDP, the claim the stated (ε, δ)"
)

// claim returns the claim that the parameters make, notes for it, and what could not be read.
// It is nil if they make none. A δ that is not stated is 0; one that cannot be read is not.
func (s statedParameters) claim() (claim *importedClaim, notes []string, problems []parameter) {
	for _, p := range []parameter{s.rho, s.epsilon, s.delta} {
		if p.problem != "" {
			problems = append(problems, p)
			notes = append(notes, p.problem+" in the registry: not read")
		}
	}
	pair := s.epsilon.value != nil && s.delta.problem == ""
	if pair && s.delta.value == nil {
		what := "no delta is stated"
		if s.delta.null {
			what = "delta is null in the registry"
		}
		s.delta.value = new(big.Rat)
		notes = append(notes, what+": read as 0, pure differential privacy")
	}
	switch {
	case s.rho.value != nil && pair && s.delta.value.Sign() > 0:
		return concentrated(s.rho.value, s.epsilon, s.delta), append(notes, statedBoth), problems
	case s.rho.value != nil:
		if pair {
			notes = append(notes[:len(notes)-1:len(notes)-1], "epsilon = "+s.epsilon.String()+" is stated without a positive delta, and left out here")
		}
		return &importedClaim{
			Event: mechanism.EncodeEvent(mechanism.ZCDP{Rho: s.rho.value, Xi: new(big.Rat)}),
			Claim: map[string]string{"rho": s.rho.String()},
		}, append(notes, statedOnly), problems
	case pair:
		return &importedClaim{
			Event: mechanism.EncodeEvent(mechanism.EpsilonDelta{Epsilon: s.epsilon.value, Delta: s.delta.value}),
			Claim: pointClaim{s.epsilon.String(), s.delta.String()},
		}, append(notes, statedOnly), problems
	}
	return nil, nil, problems
}

// A pointClaim is the claim (ε, δ).
type pointClaim struct {
	Epsilon string `json:"epsilon"`
	Delta   string `json:"delta"`
}

// concentrated is the claim that ρ-zCDP gives (ε, δ).
func concentrated(rho *big.Rat, epsilon, delta parameter) *importedClaim {
	return &importedClaim{
		Event:      mechanism.EncodeEvent(mechanism.ZCDP{Rho: rho, Xi: new(big.Rat)}),
		Claim:      pointClaim{epsilon.String(), delta.String()},
		Derivation: "zcdp-cks",
	}
}

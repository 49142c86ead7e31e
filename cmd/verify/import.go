package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/document"
	"dpverify/mechanism"
)

func newImport() *cobra.Command {
	c := &cobra.Command{
		Use:   "import FORMAT FILE…",
		Short: "Turn what other programs write into a file of claims",
		Long: `Turn what other programs write into a file of claims, for "verify certify":

  opacus  the history of an accountant of Opacus
  opendp  deployments of the registry of OpenDP`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml
  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no FORMAT, want opacus or opendp")
			}
			return fmt.Errorf("unknown format %s, want opacus or opendp", quote(args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(newImportOpacus(), newImportOpenDP())
	return c
}

// An importedClaim is an entry of a claims file, its fields in their usual order.
type importedClaim struct {
	ID         string          `json:"id"`
	Source     string          `json:"source,omitempty"`
	Note       string          `json:"note,omitempty"`
	Event      json.RawMessage `json:"event"`
	Claim      any             `json:"claim"`
	Derivation string          `json:"derivation,omitempty"`
}

// writeClaims writes a claims file: YAML with one claim a line. It is read back first,
// so that what is written can be decided.
func writeClaims(w io.Writer, path string, claims []importedClaim) error {
	var b bytes.Buffer
	b.WriteString("version: 1\nclaims:\n")
	for _, c := range claims {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c); err != nil {
			return err
		}
		b.WriteString("  - ")
		b.Write(line.Bytes())
	}
	back, err := certify.Parse("claims.yaml", b.Bytes(), nil)
	if err != nil {
		return err
	}
	for _, c := range back {
		if c.Err != nil {
			return c.Err
		}
	}
	return writeOutput(w, path, b.Bytes())
}

// readDocument reads a JSON or YAML file; - is standard input.
func readDocument(c *cobra.Command, file string, rewrite func([]byte) []byte) (*document.Node, string, error) {
	var data []byte
	var err error
	name := file
	if file == "-" {
		name = "<stdin>"
		data, err = certify.Contents(name, c.InOrStdin(), maxEventBytes)
	} else {
		data, err = certify.FileContents(file, maxEventBytes)
	}
	if err != nil {
		return nil, name, err
	}
	if rewrite != nil {
		data = rewrite(data)
	}
	n, err := certify.ParseDocument(data)
	if err != nil {
		err = certify.Locate(name, err)
	}
	return n, name, err
}

// at names the place of an error in a file.
func at(file string, n *document.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", certify.Printable(file), n.Line, fmt.Sprintf(format, args...))
}

func newImportOpacus() *cobra.Command {
	var epsilon, delta, id, derivation, output string
	c := &cobra.Command{
		Use:   "opacus FILE --epsilon E --delta D",
		Short: "The history of an accountant of Opacus: [(noise_multiplier, sample_rate, steps), …]",
		Long: `Turn the history of an accountant of Opacus into a claim. FILE holds the list
[(noise_multiplier, sample_rate, steps), …] as Python prints it or as JSON, or the
accountant's state_dict as JSON, {"history": …, "mechanism": …}; - is standard input.

In Python: json.dump(privacy_engine.accountant.history, open("history.json", "w"))`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			for _, f := range []struct{ name, value string }{{"epsilon", epsilon}, {"delta", delta}} {
				if f.value == "" {
					return fmt.Errorf("--%s is missing, want a number >= 0", f.name)
				}
				if _, err := parseNumber(f.name, f.value, false); err != nil {
					return err
				}
			}
			claim, err := opacusClaim(c, args[0])
			if err != nil {
				return err
			}
			if id != "" {
				claim.ID = id
			}
			if derivation != "" {
				claim.Derivation = derivation
			}
			claim.Claim = map[string]string{"epsilon": epsilon, "delta": delta}
			return writeClaims(c.OutOrStdout(), output, []importedClaim{claim})
		},
	}
	fs := c.Flags()
	fs.StringVar(&epsilon, "epsilon", "", "the ε that is claimed")
	fs.StringVar(&delta, "delta", "", "the δ that is claimed")
	fs.StringVar(&id, "id", "", "id of the claim (default: the name of the file)")
	fs.StringVar(&derivation, "derivation", "", "how the claim was derived (default: that of the accountant, if the file names it)")
	fs.StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// opacusDerivations are the derivations of Opacus's accountants.
var opacusDerivations = map[string]string{"rdp": "rdp-cks", "gdp": "gdp-clt", "prv": "prv"}

// opacusClaim reads a history.
func opacusClaim(c *cobra.Command, file string) (importedClaim, error) {
	claim := importedClaim{ID: baseName(file), Source: "a history of Opacus"}
	// Python prints tuples in parentheses.
	n, name, err := readDocument(c, file, func(b []byte) []byte {
		return []byte(strings.NewReplacer("(", "[", ")", "]").Replace(string(b)))
	})
	if err != nil {
		return claim, err
	}
	if n.Kind == document.Mapping {
		if m := n.Get("mechanism"); m != nil {
			claim.Derivation = opacusDerivations[m.Text]
		}
	}
	const want = "[[noise_multiplier, sample_rate, steps], …]"
	switch {
	case n.Kind == document.Mapping && n.Get("history") == nil:
		return claim, at(name, n, "history is missing, want %s", want)
	case n.Kind == document.Mapping:
		n = n.Get("history")
	}
	if n.Kind != document.Sequence || len(n.Items) == 0 {
		return claim, at(name, n, "history = %s, want %s", shown(n), want)
	}
	var events []mechanism.Event
	for i, item := range n.Items {
		if item.Kind != document.Sequence || len(item.Items) != 3 {
			return claim, at(name, item, "history[%d] = %s, want [noise_multiplier, sample_rate, steps]", i, shown(item))
		}
		var x [3]*big.Rat
		for k, field := range []string{"noise_multiplier", "sample_rate", "steps"} {
			if x[k], err = (mechanism.Decoder{}).Number(item.Items[k], field); err != nil {
				return claim, at(name, item.Items[k], "history[%d]: %v", i, err)
			}
		}
		if !x[2].IsInt() || x[2].Sign() <= 0 || !x[2].Num().IsInt64() {
			return claim, at(name, item.Items[2], "history[%d]: steps = %s, want an integer >= 1", i, shorten(item.Items[2].Text))
		}
		var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: x[0]}
		if x[1].Cmp(big.NewRat(1, 1)) != 0 {
			e = mechanism.PoissonSampled{SamplingProbability: x[1], Event: e}
		}
		events = append(events, mechanism.SelfComposed{Event: e, Count: x[2].Num().Int64()})
	}
	event := events[0]
	if len(events) > 1 {
		event = mechanism.Composed{Events: events}
	}
	if err := mechanism.Validate(event); err != nil {
		return claim, at(name, n, "%v", err)
	}
	claim.Event = mechanism.EncodeEvent(event)
	return claim, nil
}

// baseName is the name of a file without its directory and ending.
func baseName(file string) string {
	if file == "-" {
		return "stdin"
	}
	b := filepath.Base(file)
	return strings.TrimSuffix(b, filepath.Ext(b))
}

func newImportOpenDP() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "opendp FILE…",
		Short: "Deployments of the registry of OpenDP, in YAML",
		Long: `Turn deployments of the registry of OpenDP (opendp/deployments-registry-data) into
claims. A deployment states parameters and describes its mechanism in words, so the
event is the weakest guarantee that is stated, and a note says so: put the mechanism
in its place to test the claim. A deployment that states both ρ and (ε, δ) becomes
the claim that ρ-zCDP gives (ε, δ).`,
		Example: `  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			var claims []importedClaim
			for _, file := range files {
				claim, err := deploymentClaim(c, file)
				var none *noParametersError
				if errors.As(err, &none) {
					fmt.Fprintf(c.ErrOrStderr(), "verify: %v: left out\n", err)
					continue
				}
				if err != nil {
					return err
				}
				claims = append(claims, claim)
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

// A noParametersError is a deployment that states no parameters as numbers.
type noParametersError struct{ file string }

func (e *noParametersError) Error() string {
	return certify.Printable(e.file) + ": no numbers in deployment.privacy_loss.privacy_parameters"
}

const deploymentNote = "the registry describes the mechanism in words: the event is the stated guarantee; put the mechanism in its place to test the claim"

// deploymentClaim reads one deployment.
func deploymentClaim(c *cobra.Command, file string) (importedClaim, error) {
	claim := importedClaim{ID: baseName(file)}
	n, name, err := readDocument(c, file, nil)
	if err != nil {
		return claim, err
	}
	d := n.Get("deployment")
	if d == nil {
		return claim, at(name, n, "deployment is missing: not a deployment of the registry")
	}
	if slug := n.Get("url_slug"); slug != nil && slug.Text != "" {
		claim.ID = slug.Text
	}
	claim.Source = "OpenDP deployments registry"
	if v := d.Get("product").Get("name"); v != nil && v.Text != "" {
		claim.Source += ": " + v.Text
	}
	var notes []string
	for _, f := range []struct{ label, field string }{{"privacy unit", "privacy_unit"}} {
		if v := d.Get("privacy_loss").Get(f.field); v != nil && v.Kind == document.String && v.Text != "" {
			notes = append(notes, f.label+": "+v.Text)
		}
	}
	params := make(map[string]*big.Rat)
	for _, key := range []string{"epsilon", "delta", "rho"} {
		v := d.Get("privacy_loss").Get("privacy_parameters").Get(key)
		if v == nil || v.Kind != document.Number && v.Kind != document.String {
			continue
		}
		if x, err := (mechanism.Decoder{}).Number(v, key); err == nil && x.Sign() >= 0 {
			params[key] = x
		}
	}
	epsilon, delta, rho := params["epsilon"], params["delta"], params["rho"]
	if epsilon != nil && delta == nil {
		delta = new(big.Rat)
	}
	switch {
	case rho != nil:
		claim.Event = mechanism.EncodeEvent(mechanism.ZCDP{Rho: rho, Xi: new(big.Rat)})
		if epsilon != nil && delta.Sign() > 0 {
			claim.Claim = map[string]string{"epsilon": mechanism.FormatNumber(epsilon), "delta": mechanism.FormatNumber(delta)}
			notes = append(notes, "the event is the stated ρ-zCDP")
		} else {
			claim.Claim = map[string]string{"rho": mechanism.FormatNumber(rho)}
			notes = append(notes, deploymentNote)
		}
	case epsilon != nil && delta.Cmp(big.NewRat(1, 1)) <= 0:
		claim.Event = mechanism.EncodeEvent(mechanism.EpsilonDelta{Epsilon: epsilon, Delta: delta})
		claim.Claim = map[string]string{"epsilon": mechanism.FormatNumber(epsilon), "delta": mechanism.FormatNumber(delta)}
		notes = append(notes, deploymentNote)
	default:
		return claim, &noParametersError{name}
	}
	claim.Note = strings.Join(notes, "; ")
	return claim, nil
}

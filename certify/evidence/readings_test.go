// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpverify/certify"
	"dpverify/certify/evidence/statement"
	"dpverify/exact/meaning"
	"dpverify/internal/testkit"
)

// readings are what the checker prints of the claims of a document: by claim, its statement, "" where it is not
// understood, and whether it is STATED. ok is false if it refuses the document.
func readings(checker, dir, text string) (ids []string, says map[string]string, stated map[string]bool, ok bool, err error) {
	file := filepath.Join(dir, "claims.yaml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return nil, nil, nil, false, err
	}
	var errs strings.Builder
	cmd := exec.Command(checker, "-v", file, dir)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if strings.Contains(errs.String()+string(out), "internal error") {
		return nil, nil, nil, false, fmt.Errorf("%s%s", errs.String(), out)
	} else if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return nil, nil, nil, false, nil
	} else if err != nil {
		return nil, nil, nil, false, err
	}
	says, stated = make(map[string]string), make(map[string]bool)
	id := ""
	for line := range strings.Lines(string(out)) {
		switch rest, more := strings.CutPrefix(line, "  "); {
		case !more && strings.HasPrefix(line, "NONE "):
			id = strings.TrimSuffix(strings.TrimPrefix(line, "NONE "), "\n")
			ids, says[id] = append(ids, id), ""
		case more && strings.HasPrefix(rest, "STATED"):
			stated[id] = true
		case more && !strings.HasPrefix(rest, "not understood"):
			says[id] += rest
		}
	}
	return ids, says, stated, true, nil
}

// compareReadings says where the checker reads a document in another way than this program: it may refuse more, and
// never take anything for something else.
func compareReadings(checker, dir, text string) (understood int, fault string) {
	ids, says, stated, ok, err := readings(checker, dir, text)
	if err != nil {
		return 0, err.Error()
	} else if !ok {
		return 0, ""
	}
	claims, err := certify.Parse("claims.yaml", []byte(text), nil)
	if err != nil {
		return 0, fmt.Sprintf("the checker reads %q, and it is refused: %v", ids, err)
	}
	if len(claims) != len(ids) {
		return 0, fmt.Sprintf("the checker reads %d claims, want %d", len(ids), len(claims))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for i, c := range claims {
		said, shown := says[ids[i]], fmt.Sprintf("%q", c.ID)
		if ids[i] != c.ID && ids[i] != shown {
			return 0, fmt.Sprintf("the claim %s is %s for the checker", shown, ids[i])
		}
		if said == "" {
			continue
		}
		understood++
		if c.Err != nil {
			return 0, fmt.Sprintf("%s is MALFORMED (%v), and for the checker %q", shown, c.Err, said)
		}
		o, _ := certify.Decide(ended, c, certify.Options{})
		if r, err := statement.Read(c.LessPrivate, c.Relation); err == nil {
			if p, ok := c.Point(); ok {
				if want := r.Statement(c.Direction, statement.PointText(p.Epsilon, p.Delta)); said != want {
					return 0, fmt.Sprintf("%s says %q, and for the checker %q", shown, want, said)
				}
			} else if text, ok := divergenceText(c.Statement); !ok || said != r.Statement(c.Direction, text) {
				return 0, fmt.Sprintf("%s says %v, and for the checker %q", shown, c.Statement, said)
			}
		}
		if err := meaningOf(c); o.Verdict == certify.Malformed || err != nil {
			return 0, fmt.Sprintf("%s is MALFORMED (%v, %v), and for the checker %q", shown, o.Err, err, said)
		}
		if stated[ids[i]] != (o.Verdict == certify.Stated) {
			return 0, fmt.Sprintf("%s is STATED: %v; for the checker: %v", shown, o.Verdict == certify.Stated, stated[ids[i]])
		}
	}
	return understood, ""
}

// TestTheCheckerReadsNothingDifferently: of documents drawn by chance, with mistakes in the text and in numbers, the
// checker understands only what this program understands, in the same way, and calls the same claims STATED and
// MALFORMED. DPVERIFY_LONG tries 100,000.
func TestTheCheckerReadsNothingDifferently(t *testing.T) {
	checker := BuildChecker(t)
	rounds := testkit.Draws(40, 200, 100_000)
	var mu sync.Mutex
	var wait sync.WaitGroup
	documents, claims, faults := 0, 0, 0
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			dir := t.TempDir()
			for i := w; i < rounds; i += workers {
				text := drawDocument(rand.New(rand.NewPCG(uint64(i), 7)))
				n, fault := compareReadings(checker, dir, text)
				mu.Lock()
				if n > 0 {
					documents++
				}
				if claims += n; fault != "" && faults < 20 {
					faults++
					t.Errorf("document %d: %s\n%s", i, fault, text)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if t.Logf("%d documents, %d with %d claims that the checker understands", rounds, documents, claims); documents < rounds/10 {
		t.Errorf("%d of %d documents are understood, want more", documents, rounds)
	}
}

// weird are numbers, words and other values of fields; most are wrong for most.
var weird = strings.Fields(`0 1 -1 2 3 0.5 1/2 1e-5 .5 5. 1e2 1E+2 +5 -0 00 010 0x10 0o17 0b11 1_000 1,000 12:30 1/3/5 1/0 1/-2 --1 e5 5e-400 1e400 1e99999 1e-9999 1e1000001 0.1e-9
	10000000000000000000000 1000000000000 1000000000001 1099511627776 549755813889 9007199254740993 0.1 1/10 inf -inf .inf .nan nan NaN Infinity true false True yes no on y null ~ Null "1" '2' "1e-5" "" '' "x"
	[1] [1,2] [[2,1]] [] {} {a:1} 2001-01-01 é １ *a <<  "a\u0062" "\x41" 'it''s' [1,[2]] !!str ! real [2,3] [1] [0.5,2]`)

var relations = []string{"ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL", "replace_one", "REPLACE"}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// number is a good one, as a rule.
func drawNumber(r *rand.Rand, good ...string) string {
	if r.IntN(25) == 0 {
		return weird[r.IntN(len(weird))]
	}
	return pick(r, good...)
}

// drawEvent draws an event in flow style, with few mistakes.
func drawEvent(r *rand.Rand, depth int) string {
	field := func(name, value string) string { return name + ": " + value }
	event := func(class string, fields ...string) string {
		parts := append([]string{field("class_name", class)}, fields...)
		if r.IntN(8) == 0 {
			parts = append(parts, field("module_name", pick(r, "dp_accounting", "dpverify", "x", "5", "true", `"5"`, "null", "~", "a.b", "[]", "y")))
		}
		if r.IntN(40) == 0 {
			parts = append(parts, field(pick(r, "epsilon", "delta", "more", "sigma"), "1"))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ", ") + "}"
	}
	positive := func() string { return drawNumber(r, "1", "2", "0.5", "1/3", "1e-3", "10", "3e2", "7") }
	rate := func() string { return drawNumber(r, "0.5", "1", "1/3", "1e-2", "1.0") }
	whole := func() string {
		return drawNumber(r, "1", "2", "3", "1e1", "500000000000", "4", "1.0")
	}
	small := func() string { return drawNumber(r, "2", "3", "1e1", "4", "2.0") }
	lists := func() (string, string) {
		if r.IntN(8) == 0 {
			return pick(r, "[1]", "[0.25, 0.25, 0.5]", "[]", "[0.5, 0.4]"), pick(r, "[1]", "[0.5, 0.25, 0.25]", "[0.5, 0.6]")
		}
		return pick(r, "[0.5, 0.5]", "[1/3, 2/3]", "[0, 1]", "[0.1, 0.9]"), pick(r, "[0.5, 0.5]", "[2/3, 1/3]", "[1, 0]", "[0.9, 0.1]", "[0.2, 0.8]")
	}
	if depth > 0 {
		switch r.IntN(8) {
		case 0, 1:
			return event("SelfComposedDpEvent", field("count", whole()), field("event", drawEvent(r, depth-1)))
		case 2, 3:
			var parts []string
			for range r.IntN(4) {
				parts = append(parts, drawEvent(r, depth-1))
			}
			return event("ComposedDpEvent", field("events", "["+strings.Join(parts, ", ")+"]"))
		case 6:
			return event("SampledWithoutReplacementDpEvent", field("source_dataset_size", whole()), field("sample_size", whole()), field("event", drawEvent(r, depth-1)))
		case 4, 5:
			return event("PoissonSampledDpEvent", field("sampling_probability", rate()), field("event", drawEvent(r, depth-1)))
		}
	}
	switch r.IntN(16) {
	case 15:
		return event("TruncatedSubsampledGaussianDpEvent", field("dataset_size", drawNumber(r, "1", "20", "100", "2e6")), field("sampling_probability", rate()),
			field("truncated_batch_size", drawNumber(r, "0", "1", "20", "50", "2.5")), field("noise_multiplier", positive()))
	case 11:
		fields := []string{field(pick(r, "variance", "sigma"), positive()), field("sensitivity", drawNumber(r, "1", "2", "3/2", "30", "400"))}
		if r.IntN(3) > 0 {
			fields = append(fields, field("dimension", pick(r, "1", "1", "1", "2", "null")))
		}
		return event("DiscreteGaussianDpEvent", fields...)
	case 0:
		return event("NoOpDpEvent")
	case 1:
		return event("GaussianDpEvent", field("noise_multiplier", positive()))
	case 2:
		return event("LaplaceDpEvent", field("noise_multiplier", positive()))
	case 3:
		return event("PermuteAndFlipDpEvent", field("epsilon", positive()))
	case 4:
		return event("ExponentialMechanismDpEvent", field("epsilon", positive()))
	case 5:
		return event("ClampedLaplaceEvent", field("location", drawNumber(r, "20", "1", "-3", "0", "1/2")), field("scale", positive()), field("shift", positive()),
			field("order", pick(r, "clamp-then-shift", "shift-then-clamp")))
	case 6:
		return event("DiscreteLaplaceDpEvent", field("noise_parameter", positive()), field("sensitivity", small()))
	case 7:
		return event("RandomizedResponseDpEvent", field("noise_parameter", rate()), field("num_buckets", small()))
	case 8:
		_, q := lists()
		return event("MixtureOfGaussiansDpEvent", field("standard_deviation", positive()), field("sensitivities", pick(r, "[0, 1]", "[0, 1]", "[0, 1, 2]", "[2, 3]", "[-1, 1]")), field("sampling_probs", q))
	case 9:
		p, q := lists()
		return event("FinitePairEvent", field("p", p), field("q", q))
	case 10:
		if r.IntN(4) > 0 {
			break
		}
		return event(pick(r, "ZCDpEvent", "ZCDpEvent", "GroupEvent", "UnsupportedDpEvent", "gaussian"), field("rho", positive()))
	}
	return event("EpsilonDeltaDpEvent", field("epsilon", drawNumber(r, "0", "1", "1/3", "0.5", "1e5")), field("delta", drawNumber(r, "0", "1e-5", "0.1", "1")))
}

// drawClaim draws the fields of a claim.
func drawClaim(r *rand.Rand, id string) []string {
	out := []string{"id: " + id, "event: " + drawEvent(r, r.IntN(4))}
	switch r.IntN(8) {
	case 0:
		out = append(out, "claim: {rho: "+drawNumber(r, "0.5", "1", "0", "2e-3")+"}")
	case 1:
		out = append(out, "claim: {renyi: "+pick(r, "[[2, 1]]", "[[3/2, 0.5], [8, 4]]", "[[2, 1], [2, 2]]", "[[1, 2]]", "[]", "[[2]]", "[2, 1]", "[[2, -1]]", "[[1.0000001, 0]]")+"}")
	default:
		fields := []string{"epsilon: " + drawNumber(r, "1", "0", "0.5", "3", "100000", "-1", "1/3"), "delta: " + drawNumber(r, "1e-5", "0", "0.1", "1")}
		r.Shuffle(2, func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		out = append(out, "claim: {"+strings.Join(fields, ", ")+"}")
	}
	more := func(often int, key string, values ...string) {
		if r.IntN(often) == 0 {
			out = append(out, key+": "+drawNumber(r, values...))
		}
	}
	more(2, "relation", relations[r.IntN(len(relations))], relations[r.IntN(3)], relations[r.IntN(3)], relations[2], relations[1])
	more(3, "direction", "both", "remove", "add", "remove", "add")
	more(6, "number_format", "decimal", "binary64", "binary64")
	more(8, "source", "a text", "5", "x y", "true", "''")
	more(8, "note", "a text: not", "'quoted: text'", "a", "b c", "~", "yes", "y")
	more(12, "note", "\"a\n"+strings.Repeat(" ", r.IntN(8))+pick(r, "b", "---", "...", "--- x", "# c", "b\n\n  c", "\x01")+"\"", "'a\n"+strings.Repeat(" ", r.IntN(8))+pick(r, "b", "---\nc", "...\n")+"'",
		pick(r, "|", ">", "|-", ">+", "|2", "| # c")+pick(r, "\n", "\n\n", "\n          \n", "\n   \n")+strings.Repeat(" ", r.IntN(12))+"x\n"+strings.Repeat(" ", r.IntN(12))+pick(r, "y", "# y", "---", "..."),
		"a\n"+strings.Repeat(" ", r.IntN(12))+pick(r, "b", "---", "...", "# c", "b: c"))
	more(8, "derivation", "exact", "rdp-cks", "5", "no", "false")
	more(10, "orders", "real", "[2, 3.5]", "[3]", "[1]", "'real'")
	more(8, "expect", "verified", "refuted", "stated", "stated", "VERIFIED")
	more(40, "weight", "1")
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// tokens are pieces of text that mean something to YAML.
var tokens = []string{"\t", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\x0b", "\x0c", "\x01", "\x1b", "\x7f", "\u0080", "\u0085", "\u2028", "\ufeff", "\ufffe", "---\n", "\n---\n", "\n...\n", "--- ", "...",
	"#", " # c\n", " #", "'", "\"", "''", "\\", "|", ">", "|-\n", ">+\n", "|2\n", "|\n\n   \n  x\n", ">-\n\n      \n  x\n", ": ", ":", ",", "-", "- ", "? ", "[", "]", "{", "}", "&a ", "*a", "&a", "!!str ", "! ", "%", "@", "`", "<<: ", "~", "null", "true", "\"a\n b\"", "'a\nb'", "\"a\n---\nb\"", "[1,\n...\n2]", "'a\n\n b'", "\\u0041", "\\x41", "é", "1", "0", "e"}

// drawDocument draws a document of a few claims in some style, with mistakes in most.
func drawDocument(r *rand.Rand) string {
	var b strings.Builder
	json := r.IntN(6) == 0
	indent := strings.Repeat(" ", r.IntN(4))
	b.WriteString(pick(r, "", "", "", "# a comment\n", "---\n", "--- # c\n") + pick(r, "version: 1\n", "version: 1\n", "version: 1\n", "version: 1\n", "version: 1\n", "version: 1\n", "version: '1'\n", "version: 1.0\n") + "claims:\n")
	for i := range 1 + r.IntN(3) {
		id := pick(r, "a", "b-c", "d", "h/i", "j", "7", "1e3", "yes", "k") + fmt.Sprint(i)
		if r.IntN(10) == 0 {
			id = pick(r, "a", "'d e'", "\"f\\u0067\"", "true", "~", "' '", "k")
		}
		lines := drawClaim(r, id)
		if r.IntN(3) == 0 {
			b.WriteString(indent + "- {" + strings.Join(lines, ","+pick(r, " ", "\n"+indent+"   ", "\n"+indent+" ")) + "}\n")
			continue
		}
		for k, l := range lines {
			lead := indent + "  "
			if k == 0 {
				lead = indent + "- "
			}
			b.WriteString(lead + l + pick(r, "\n", "\n", "\n", " # c\n", "\n\n", "\n# c\n"))
		}
	}
	text := b.String()
	if json {
		text = jsonish(text)
	}
	for range max(0, r.IntN(5)-2) {
		text = mutate(r, text)
	}
	return text
}

// jsonish puts keys and words in double quotes, so that much of the text is JSON.
func jsonish(text string) string {
	var b strings.Builder
	word := ""
	flush := func() {
		if _, isWord := strings.CutPrefix(word, "-"); word != "" && !isWord && strings.Trim(word, "0123456789.eE+") != "" && word != "true" && word != "null" {
			word = `"` + word + `"`
		}
		b.WriteString(word)
		word = ""
	}
	for _, c := range text {
		if strings.ContainsRune(" \n{}[],:\"'#&*", c) {
			flush()
			b.WriteRune(c)
		} else {
			word += string(c)
		}
	}
	flush()
	return b.String()
}

// mutate makes one mistake in a text.
func mutate(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	lines := strings.SplitAfter(text, "\n")
	k := r.IntN(len(lines))
	switch r.IntN(9) {
	case 0, 1, 2:
		return text[:at] + tokens[r.IntN(len(tokens))] + text[at:]
	case 3:
		return text[:at] + text[min(len(text), at+1+r.IntN(4)):]
	case 4:
		lines[k] = strings.Repeat(" ", r.IntN(6)) + strings.TrimLeft(lines[k], " ")
	case 5:
		lines = slices.Insert(lines, k, lines[r.IntN(len(lines))])
	case 6:
		lines = slices.Delete(lines, k, k+1)
	case 7:
		words := strings.Fields(text)
		if len(words) == 0 {
			return text
		}
		return strings.Replace(text, words[r.IntN(len(words))], weird[r.IntN(len(weird))], 1)
	case 8: // a value of its own lines
		return strings.Replace(text, pick(r, ": ", ", ", "- ", "{", "["), pick(r, ": ", ", ", "- ", "{", "[")+pick(r, "\n", "\n  ", "\n      ", " &a ", "&a\n  "), 1+r.IntN(2))
	}
	return strings.Join(lines, "")
}

// BuildChecker builds the checker, which is a module of its own.
func BuildChecker(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "checker.exe")
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", path, ".")
	cmd.Dir = "../../checker"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// meaningOf is why a claim has no meaning.
func meaningOf(c *certify.Claim) error {
	p, err := meaning.Resolve(c.LessPrivate, c.Relation)
	if err == nil {
		_, err = p.Profile(c.Direction)
	}
	return err
}

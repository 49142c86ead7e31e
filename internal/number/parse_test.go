// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"errors"
	"math/big"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"dpverify/internal/show"
	"dpverify/internal/testkit"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
)

func TestParseMeansWhatIsWritten(t *testing.T) {
	testkit.SkipShort(t)
	tenTo := func(e int64) string {
		return new(big.Int).Exp(big.NewInt(10), big.NewInt(e), nil).String()
	}
	tests := []struct{ in, want string }{
		{"0", "0/1"}, {"-0", "0/1"}, {"+0.000e-5", "0/1"}, {"0e100000", "0/1"}, {"0/3", "0/1"},
		{"1", "1/1"}, {"+1", "1/1"}, {"-1", "-1/1"}, {"007", "7/1"},
		{"0.1", "1/10"}, {"1.50", "3/2"}, {".5", "1/2"}, {"5.", "5/1"}, {"-.25", "-1/4"},
		{"1e3", "1000/1"}, {"1E3", "1000/1"}, {"1e+03", "1000/1"}, {"1e-05", "1/100000"}, {"2.5e-1", "1/4"}, {"5.e1", "50/1"}, {".5e1", "5/1"},
		{"1e000000000005", "100000/1"},
		{"256/60000", "8/1875"}, {"1/3", "1/3"}, {"-1/3", "-1/3"}, {"1.5/.5", "3/1"}, {"1e-5/1e-3", "1/100"}, {"1e2/3e1", "10/3"},
		{"1.1102230246251565e-16", "11102230246251565/" + tenTo(32)},
		{"1e100000", tenTo(100000) + "/1"}, {"1e-100000", "1/" + tenTo(100000)},
		{"1e100000/1e-100000", tenTo(200000) + "/1"},
		{strings.Repeat("9", 10000), strings.Repeat("9", 10000) + "/1"},
	}
	for _, test := range tests {
		got, err := Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%.40q): %v", test.in, err)
			continue
		}
		if want := testkit.Rat(test.want); got.Cmp(want) != 0 {
			t.Errorf("Parse(%.40q) = %.40s, want %.40s", test.in, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const syntax = ", want a number"
	const exponent = ", want an exponent of at most 100000 in absolute value"
	tests := []struct{ in, want string }{
		{"", `""` + syntax}, {"+", `"+"` + syntax}, {".", `"."` + syntax}, {"e5", `"e5"` + syntax}, {".e5", `".e5"` + syntax},
		{"1e", `"1e"` + syntax}, {"1e+", `"1e+"` + syntax}, {"1e1.5", `"1e1.5"` + syntax}, {"1e--1", `"1e--1"` + syntax},
		{"--1", `"--1"` + syntax}, {"1-", `"1-"` + syntax}, {"1.2.3", `"1.2.3"` + syntax}, {"1,5", `"1,5"` + syntax},
		{" 1", `" 1"` + syntax}, {"1 ", `"1 "` + syntax}, {"1 /2", `"1 /2"` + syntax}, {"1_000", `"1_000"` + syntax},
		{"0x10", `"0x10"` + syntax}, {"0b1", `"0b1"` + syntax}, {"1p3", `"1p3"` + syntax},
		{"inf", `"inf"` + syntax}, {"-Infinity", `"-Infinity"` + syntax}, {"NaN", `"NaN"` + syntax}, {".nan", `".nan"` + syntax},
		{"/", `"/"` + syntax}, {"1/", `"1/"` + syntax}, {"/2", `"/2"` + syntax}, {"1/-2", `"1/-2"` + syntax}, {"1/+2", `"1/+2"` + syntax}, {"1/2/3", `"1/2/3"` + syntax},
		{"١", `"١"` + syntax}, {"1\x00", `"1\x00"` + syntax},
		{"1/0", "1/0, want a denominator other than 0"}, {"0/0.00e7", "0/0.00e7, want a denominator other than 0"},
		{"1e100001", "1e100001" + exponent}, {"1e-100001", "1e-100001" + exponent}, {"1/1e100001", "1/1e100001" + exponent},
		{"0e999999999999999999999", "0e999999999999999999999" + exponent},
		{strings.Repeat("9", 10001), strings.Repeat("9", 60) + "…, want at most 10000 characters"},
		{strings.Repeat("é", 5001), `"` + strings.Repeat("é", 60) + `…", want at most 10000 characters`},
		// 5^13500·10^200000: by itself it has a text of 9450 characters, but with the
		// exponent of the factors of five it takes far more.
		{new(big.Int).Exp(big.NewInt(5), big.NewInt(13500), nil).String() + "e100000/1e-100000", "want a number that can be written with 10000 characters"},
	}
	for _, test := range tests {
		r, err := Parse(test.in)
		var typed *Error
		if !errors.As(err, &typed) {
			t.Errorf("Parse(%.40q) = %.40s, %v, want a *Error", test.in, r, err)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, "number = ") || !strings.HasSuffix(got, test.want) {
			t.Errorf("Parse(%.40q):\ngot  %s\nwant %s", test.in, got, test.want)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0/1", "0"}, {"1/1", "1"}, {"-7/1", "-7"}, {"100/1", "100"}, {"1/10", "0.1"}, {"-1/8", "-0.125"}, {"3/2", "1.5"}, {"1205/100", "12.05"},
		{"1/10000", "0.0001"}, {"1/100000", "1e-5"}, {"125/10000000", "1.25e-5"},
		{"1" + strings.Repeat("0", 20) + "/1", "1" + strings.Repeat("0", 20)}, {"1" + strings.Repeat("0", 21) + "/1", "1e21"},
		{"123" + strings.Repeat("0", 20) + "/1", "1.23e22"},
		{"1/3", "1/3"}, {"-256/60000", "-8/1875"}, {"1/3" + strings.Repeat("0", 9), "1/3e9"}, {"2" + strings.Repeat("0", 9) + "/3", "2e9/3"},
		{"3602879701896397/36028797018963968", "0.1000000000000000055511151231257827021181583404541015625"},
		{"1/1" + strings.Repeat("0", 400), "1e-400"},
	}
	for _, test := range tests {
		if got := Format(testkit.Rat(test.in)); got != test.want {
			t.Errorf("Format(%.40s) = %s, want %s", test.in, got, test.want)
		}
	}
	for _, text := range []string{"1e100000", "1e-100000", "3e100000/7e-100000", "7e-100000/3e100000", "1/3e90000", "-1.5e-99999"} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(r); got != text {
			t.Errorf("Format of %s is %s", text, got)
		}
	}
}

// Format writes a number such that Parse reads it back, also where
// powers of two, five and ten meet the limits.
func genRat(p *gopter.GenParameters) *gopter.GenResult {
	return gopter.NewGenResult(testkit.RandomRat(p.Rng), gopter.NoShrinker)
}

func TestFormatRoundTrip(t *testing.T) {
	params := gopter.DefaultTestParametersWithSeed(1)
	params.MinSuccessfulTests = 3000
	properties := gopter.NewProperties(params)
	properties.Property("Parse(Format(r)) = r", prop.ForAll(func(r *big.Rat) string {
		return roundTrip(r)
	}, genRat))
	properties.TestingRun(t)
}

func TestFormatRoundTripAtTheLimits(t *testing.T) {
	two33000 := new(big.Int).Lsh(big.NewInt(1), 33000).String() // 9935 digits
	five14000 := new(big.Int).Exp(big.NewInt(5), big.NewInt(14000), nil).String()
	for _, text := range testkit.Few(4, []string{
		"1e100000/" + two33000, "1e-100000/" + two33000, two33000 + "e100000", two33000 + "e-100000",
		"1e100000/" + five14000, five14000 + "e-100000", five14000 + "e100000",
		"1e-100000/1" + strings.Repeat("0", 3000) + "e100000", "0." + strings.Repeat("0", 3000) + "1e-100000/7e100000",
		strings.Repeat("7", 5000) + "/" + strings.Repeat("3", 4998) + "1", strings.Repeat("7", 9995) + "e-99", strings.Repeat("5", 10000),
	}) {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%.20s…: %v", text, err)
			continue
		}
		if fault := roundTrip(r); fault != "" {
			t.Errorf("%.20s…: %s", text, fault)
		}
	}
}

func roundTrip(r *big.Rat) string {
	text := Format(r)
	back, err := Parse(text)
	if err != nil {
		return err.Error()
	}
	if back.Cmp(r) != 0 {
		return "reads back as another number: " + show.Cut(text)
	}
	return ""
}

func TestSplitFives(t *testing.T) {
	for k := 0; k < 70; k++ {
		for _, y := range []int64{1, 2, 3, 4, 6, 24, 26, 1 << 40} {
			x := new(big.Int).Mul(big.NewInt(y), pow(5, k))
			if gotY, gotK := splitFives(x); gotK != k || gotY.Int64() != y {
				t.Errorf("splitFives(%d·5^%d) = %s, %d", y, k, gotY, gotK)
			}
		}
	}
}

func TestBinary64(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0.1", "3602879701896397/36028797018963968"},
		{"-0.1", "-3602879701896397/36028797018963968"},
		{"1/3", "6004799503160661/18014398509481984"},
		{"1e-400", "0"},
		{"9007199254740993", "9007199254740992"}, // 2^53 + 1, a tie to even
		{"9007199254740995", "9007199254740996"},
		{"4.9e-324", "1/" + new(big.Int).Lsh(big.NewInt(1), 1074).String()},
		{"1.7976931348623157e308", new(big.Int).Lsh(big.NewInt(1<<53-1), 971).String()},
	}
	for _, test := range tests {
		x, err := Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Binary64(x)
		if err != nil || got.Cmp(testkit.Rat(test.want)) != 0 {
			t.Errorf("Binary64(%s) = %v, %v, want %.40s", test.in, got, err, test.want)
		}
	}
	for _, text := range []string{"1.8e308", "-1e100000"} {
		x, _ := Parse(text)
		got, err := Binary64(x)
		var typed *Error
		if !errors.As(err, &typed) {
			t.Errorf("Binary64(%s) = %v, %v, want a *Error", text, got, err)
		}
	}
}

// strconv reads a decimal to the nearest float64 with an algorithm of its own.
func TestBinary64AgreesWithStrconv(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 20_000 {
		text := strconv.FormatInt(rng.Int63(), 10) + "." + strconv.FormatInt(rng.Int63(), 10) + "e" + strconv.Itoa(rng.Intn(680)-360)
		f, err := strconv.ParseFloat(text, 64)
		x, parseErr := Parse(text)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		got, gotErr := Binary64(x)
		if err != nil || gotErr != nil {
			if (err == nil) != (gotErr == nil) {
				t.Errorf("%s: strconv says %v, Binary64 says %v", text, err, gotErr)
			}
			continue
		}
		if got.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			t.Errorf("Binary64(%s) = %s, want %v", text, got, f)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0", "-1.50e-7", "256/60000", ".5", "5.", "1e100000", "1e-100000/3", "1/0", "nan", "1_0", "0x1p3", "+", "1e99999999999", "/", "1/2/3", "5e100000/1e-100000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse(s)
		if err != nil {
			var typed *Error
			if !errors.As(err, &typed) || len(err.Error()) > 600 {
				t.Fatalf("Parse(%q): %v", s, err)
			}
			return
		}
		num, den, isFraction := strings.Cut(s, "/")
		want := testkit.Rat(num)
		if isFraction {
			want.Quo(want, testkit.Rat(den))
		}
		if r.Cmp(want) != 0 {
			t.Fatalf("Parse(%q) = %s, want %s", s, r, want)
		}
		if fault := roundTrip(r); fault != "" {
			t.Fatalf("%q: %s", s, fault)
		}
	})
}

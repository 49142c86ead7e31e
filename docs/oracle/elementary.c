// elementary prints values of elementary functions, computed by GNU MPFR.
//
//	cc -O2 -o elementary elementary.c -lmpfr -lgmp
//	./elementary FUNC SET >../../testdata/golden/oracle/elementary/FUNC.txt
//
// FUNC is exp, expm1, log, log1p, sqrt, sin, cos, atan, erf, erfc, normal_cdf or
// normal_tail.
// SET is main (65 digits), high (320 digits) or extreme (3050 digits).
// The arguments come from a fixed pseudo-random sequence, so the output is
// the same on every run.
//
// How a line is made. MPFR rounds each function correctly in a direction. At
// working precision p we take z = f(x) rounded toward zero and a = f(x)
// rounded away from zero, so |z| <= |f(x)| <= |a|, and strictly so on both
// sides unless MPFR reports an exact result. Let D be z truncated to the
// printed digits. If |a| <= D + 1 unit then D is f(x) truncated; otherwise p
// is doubled. The normal distribution is erfc(y)/2 for y = x/sqrt(2): the
// irrational y is enclosed at precision p, erfc is taken at both ends and is
// monotone.
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t rnd(void) { // splitmix64
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static long between(long lo, long hi) { return lo + (long)(rnd() % (uint64_t)(hi - lo + 1)); }

// Functions.

typedef int (*mpfr_fn)(mpfr_t, const mpfr_t, mpfr_rnd_t);

static int is_normal, normal_sign; // erfc(normal_sign * x / sqrt 2) / 2
static mpfr_fn fn;

// eval sets z and a to f(x) rounded toward and away from zero; it returns 1 if
// both are exactly f(x).
static int eval(mpfr_t z, mpfr_t a, const mpfr_t x) {
	if (!is_normal) {
		int t = fn(z, x, MPFR_RNDZ);
		fn(a, x, MPFR_RNDA);
		return t == 0;
	}
	if (mpfr_zero_p(x)) {
		mpfr_set_d(z, 0.5, MPFR_RNDN);
		mpfr_set_d(a, 0.5, MPFR_RNDN);
		return 1;
	}
	mpfr_prec_t p = mpfr_get_prec(z) + 96;
	mpfr_t r, lo, hi;
	mpfr_inits2(p, r, lo, hi, (mpfr_ptr)0);
	// |y| between lo and hi
	mpfr_sqrt_ui(r, 2, MPFR_RNDU);
	mpfr_div(lo, x, r, MPFR_RNDZ);
	mpfr_sqrt_ui(r, 2, MPFR_RNDD);
	mpfr_div(hi, x, r, MPFR_RNDA);
	if (normal_sign < 0) {
		mpfr_neg(lo, lo, MPFR_RNDN);
		mpfr_neg(hi, hi, MPFR_RNDN);
	}
	if (mpfr_cmp(lo, hi) > 0)
		mpfr_swap(lo, hi);
	mpfr_erfc(z, hi, MPFR_RNDD);
	mpfr_erfc(a, lo, MPFR_RNDU);
	mpfr_div_2ui(z, z, 1, MPFR_RNDN);
	mpfr_div_2ui(a, a, 1, MPFR_RNDN);
	mpfr_clears(r, lo, hi, (mpfr_ptr)0);
	return 0;
}

// next increments a string of n decimal digits; on overflow it becomes
// 10...0 and the decimal exponent grows by one.
static void next(char *s, int n, mpfr_exp_t *e) {
	for (int i = n - 1; i >= 0; i--) {
		if (s[i] != '9') {
			s[i]++;
			return;
		}
		s[i] = '0';
	}
	s[0] = '1';
	++*e;
}

static void print(int digits, const mpfr_t x) {
	for (mpfr_prec_t p = (mpfr_prec_t)(digits * 3.33) + 80;; p *= 2) {
		if (p > 4000000) {
			fprintf(stderr, "gave up\n");
			exit(1);
		}
		mpfr_t z, a;
		mpfr_init2(z, p);
		mpfr_init2(a, p);
		int exact = eval(z, a, x), done = 0;
		if (exact && mpfr_zero_p(z)) {
			printf("0!\n");
			mpfr_clears(z, a, (mpfr_ptr)0);
			return;
		}
		if (!mpfr_regular_p(z) || !mpfr_regular_p(a)) {
			fprintf(stderr, "not a regular number\n");
			exit(1);
		}
		int neg = mpfr_signbit(z);
		mpfr_abs(z, z, MPFR_RNDN);
		mpfr_abs(a, a, MPFR_RNDN);
		mpfr_exp_t ez, ea, en;
		char *sz = mpfr_get_str(NULL, &ez, 10, digits, z, MPFR_RNDZ);
		char *sa = mpfr_get_str(NULL, &ea, 10, digits, a, MPFR_RNDU);
		char *sn = strdup(sz);
		en = ez;
		next(sn, digits, &en);
		int finite = exact && ez == ea && strcmp(sz, sa) == 0;
		if (finite || (en == ea && strcmp(sn, sa) == 0)) {
			done = 1;
			int n = digits;
			if (finite)
				while (n > 1 && sz[n - 1] == '0')
					n--;
			printf("%s%c", neg ? "-" : "", sz[0]);
			if (n > 1)
				printf(".%.*s", n - 1, sz + 1);
			printf("e%ld%s\n", (long)ez - 1, finite ? "!" : "");
		}
		mpfr_free_str(sz);
		mpfr_free_str(sa);
		free(sn);
		mpfr_clears(z, a, (mpfr_ptr)0);
		if (done)
			return;
	}
}

// Arguments: m * 2^e, emitted once each.

static int digits_wanted, emitted;
static int (*domain)(const mpfr_t);
static char **seen;
static const size_t seen_size = 1 << 18;

static int is_new(const char *s) {
	uint64_t h = 14695981039346656037u;
	for (const char *p = s; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	size_t i = h & (seen_size - 1);
	for (; seen[i]; i = (i + 1) & (seen_size - 1))
		if (strcmp(seen[i], s) == 0)
			return 0;
	seen[i] = strdup(s);
	return 1;
}

static void emit(const mpz_t m0, long e) {
	mpz_t m;
	mpz_init_set(m, m0);
	if (mpz_sgn(m) == 0)
		e = 0;
	else {
		mp_bitcnt_t t = mpz_scan1(m, 0);
		mpz_tdiv_q_2exp(m, m, t);
		e += (long)t;
	}
	mpfr_t x;
	size_t bits = mpz_sizeinbase(m, 2);
	mpfr_init2(x, bits < 2 ? 2 : bits);
	if (mpfr_set_z_2exp(x, m, e, MPFR_RNDN) != 0)
		abort();
	char *s;
	gmp_asprintf(&s, "%Zdp%ld", m, e);
	if (domain(x) && is_new(s)) {
		printf("%s ", s);
		print(digits_wanted, x);
		emitted++;
	}
	free(s);
	mpfr_clear(x);
	mpz_clear(m);
}

static void emit_si(long m, long e) {
	mpz_t z;
	mpz_init_set_si(z, m);
	emit(z, e);
	mpz_clear(z);
}

static void both_si(long m, long e) {
	emit_si(m, e);
	emit_si(-m, e);
}

// rounded emits x rounded down and up to the given number of bits.
static void rounded(const mpfr_t x, long bits) {
	mpfr_t r;
	mpz_t m;
	mpz_init(m);
	mpfr_init2(r, bits < 2 ? 2 : bits);
	for (int up = 0; up < 2; up++) {
		mpfr_set(r, x, up ? MPFR_RNDU : MPFR_RNDD);
		if (mpfr_zero_p(r)) {
			emit_si(0, 0);
			continue;
		}
		long e = (long)mpfr_get_z_2exp(m, r);
		emit(m, e);
	}
	mpfr_clear(r);
	mpz_clear(m);
}

static void rounded_str(const char *s, long bits) {
	mpfr_t x;
	mpfr_init2(x, 4000);
	mpfr_set_str(x, s, 10, MPFR_RNDN);
	rounded(x, bits);
	mpfr_clear(x);
}

// random_bits sets m to an odd number of exactly the given number of bits.
static void random_bits(mpz_t m, long bits) {
	mpz_set_ui(m, 0);
	for (long got = 0; got < bits; got += 64) {
		uint64_t w = rnd();
		mpz_mul_2exp(m, m, 64);
		mpz_add_ui(m, m, (unsigned long)w);
	}
	mpz_fdiv_r_2exp(m, m, bits);
	mpz_setbit(m, bits - 1);
	mpz_setbit(m, 0);
}

// random_args emits n random numbers, magnitude log-uniform in [2^elo, 2^ehi).
static void random_args(int n, long elo, long ehi, int maxbits) {
	mpz_t m;
	mpz_init(m);
	for (int i = 0; i < n; i++) {
		long bits = between(1, maxbits);
		random_bits(m, bits);
		if (rnd() & 1)
			mpz_neg(m, m);
		emit(m, between(elo + 1, ehi) - bits);
	}
	mpz_clear(m);
}

// uniform_args emits n numbers uniform in [lo, hi], of 1..maxbits bits.
static void uniform_args(int n, double lo, double hi, int maxbits) {
	mpfr_t x, u;
	mpfr_init2(x, 260);
	mpfr_init2(u, 260);
	mpz_t m;
	mpz_init(m);
	for (int i = 0; i < n; i++) {
		random_bits(m, 250);
		mpz_clrbit(m, 249);
		mpfr_set_z_2exp(u, m, -249, MPFR_RNDN); // [0, 1)
		mpfr_set_d(x, hi - lo, MPFR_RNDN);
		mpfr_mul(x, x, u, MPFR_RNDN);
		mpfr_add_d(x, x, lo, MPFR_RNDN);
		mpfr_prec_round(x, between(2, maxbits), MPFR_RNDN);
		if (mpfr_regular_p(x) && mpfr_cmp_d(x, lo) >= 0 && mpfr_cmp_d(x, hi) <= 0) {
			long e = (long)mpfr_get_z_2exp(m, x);
			emit(m, e);
		}
		mpfr_set_prec(x, 260);
	}
	mpfr_clear(x);
	mpfr_clear(u);
	mpz_clear(m);
}

// one_plus emits c + s 2^-k.
static void one_plus(long c, int s, long k) {
	mpz_t m;
	mpz_init_set_si(m, c);
	mpz_mul_2exp(m, m, k);
	if (s > 0)
		mpz_add_ui(m, m, 1);
	else
		mpz_sub_ui(m, m, 1);
	emit(m, -k);
	mpz_clear(m);
}

static const long lengths[] = {8, 24, 53, 64, 65, 113, 128, 200};
enum { NLEN = sizeof lengths / sizeof *lengths };

static void common_args(void) {
	emit_si(0, 0);
	for (long k = 1; k <= 300; k++) {
		both_si(1, -k);
		one_plus(1, 1, k);
		one_plus(1, -1, k);
		one_plus(-1, 1, k);
		one_plus(-1, -1, k);
	}
	static const long tiny[] = {350, 500, 700, 999, 1000, 1022, 1074, 1075, 2000, 5000, 10000, 16445, 20000, 50000, 65536, 99999, 100000};
	for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
		both_si(1, -tiny[i]);
		both_si(3, -tiny[i]);
		both_si(12345, -tiny[i]);
	}
	for (long j = 1; j <= 64; j++)
		both_si(j, -3);
	for (long j = 1; j <= 40; j++)
		both_si(j, 0);
	static const char *dec[] = {"0.1", "0.2", "0.3", "0.333333333333333333333333333333333333333333333333333333333333333333333333333333",
		"0.01", "0.001", "1e-5", "1e-10", "1e-15", "1e-16", "1e-21", "1e-100", "1e-300", "4.9406564584124654e-324", "2.2250738585072014e-308",
		"0.7", "0.9", "0.99", "1.1", "1.5", "2.71828182845904523536028747135266249775724709369995957496696763", "3.14159265358979323846264338327950288419716939937510582097494459"};
	for (size_t i = 0; i < sizeof dec / sizeof *dec; i++)
		for (int l = 0; l < NLEN; l++) {
			char s[128];
			rounded_str(dec[i], lengths[l]);
			snprintf(s, sizeof s, "-%s", dec[i]);
			rounded_str(s, lengths[l]);
		}
}

// near_multiples emits numbers next to k*c, for c = ln 2 or ln 10.
static void near_multiples(long base, const long *ks, int n) {
	mpfr_t c, x;
	mpfr_init2(c, 4000);
	mpfr_init2(x, 4000);
	mpfr_set_si(c, base, MPFR_RNDN);
	mpfr_log(c, c, MPFR_RNDN);
	for (int i = 0; i < n; i++) {
		mpfr_mul_si(x, c, ks[i], MPFR_RNDN);
		if (!mpfr_zero_p(x))
			rounded(x, i < 40 ? lengths[i % NLEN] : between(2, 200));
	}
	mpfr_clear(c);
	mpfr_clear(x);
}

static void exp_args(void) {
	long ks[800];
	int n = 0;
	for (long k = 1; k <= 150; k++)
		ks[n++] = k, ks[n++] = -k;
	for (long j = 8; j < 26; j++)
		for (int i = 0; i < 6; i++)
			ks[n++] = between(1L << j, (1L << (j + 1)) - 1) * (i & 1 ? 1 : -1);
	ks[n++] = 1024, ks[n++] = -1022, ks[n++] = -1074, ks[n++] = -1075;
	near_multiples(2, ks, n);
	near_multiples(10, ks, 200);
	uniform_args(600, -745.14, -734.75, 200);
	uniform_args(150, 709, 710, 200);
	uniform_args(300, -760, -700, 200);
	uniform_args(300, 700, 760, 200);
	for (long j = 1; j <= 17; j++) { // numbers that halving brings into that window
		mpfr_t x;
		mpfr_init2(x, 200);
		for (int i = 0; i < 12; i++) {
			mpfr_set_d(x, -734.76 - 0.9425 * i, MPFR_RNDN);
			mpfr_mul_2si(x, x, j, MPFR_RNDN);
			mpfr_sub_d(x, x, 1.0 / 3, MPFR_RNDN);
			rounded(x, i < 8 ? lengths[i] : between(20, 200));
		}
		mpfr_clear(x);
	}
	static const char *dec[] = {"709.782712893383973096206318587", "709.782712893384", "710", "744.4400719213812", "745.133219101941", "745.13321910194122", "746", "734.76", "735", "740", "708.396418532264106224", "11356.523406294143949491931077970765", "11399.4985314888605581", "88.722839", "103.972084", "87.3365447505531"};
	for (size_t i = 0; i < sizeof dec / sizeof *dec; i++)
		for (int l = 0; l < NLEN; l++) {
			char s[64];
			rounded_str(dec[i], lengths[l]);
			snprintf(s, sizeof s, "-%s", dec[i]);
			rounded_str(s, lengths[l]);
		}
	long p = 1;
	for (int k = 0; k <= 8; k++, p *= 10)
		for (long d = -2; d <= 2; d++) {
			both_si(p + d, 0);
			both_si(3 * p + d, -2);
		}
	for (long k = 0; k <= 26; k++) { // powers of two up to 2^26 < 1e8
		both_si(1, k);
		both_si((1L << 53) + 1, k - 53);
		both_si((1L << 53) - 1, k - 53);
	}
	both_si(99999999, 0);
	both_si(33333333, 0);
}

static void log_args(int plus) {
	for (long k = -1100; k <= 1100; k += k > -80 && k < 80 ? 1 : 13) {
		emit_si(1, k);
		long b = lengths[(k + 1100) % NLEN];
		if (b > 60)
			b = 53;
		emit_si((1L << b) + 1, k - b);
		emit_si((1L << b) - 1, k - b);
	}
	for (long k = 1000; k <= 100000; k += 4500) {
		emit_si(1, k), emit_si(1, -k), emit_si(3, k), emit_si(3, -k);
		emit_si((1L << 53) - 1, k), emit_si((1L << 53) + 1, -k);
	}
	emit_si(1, 100000);
	mpfr_t x;
	mpfr_init2(x, 4000);
	for (long k = -100; k <= 100; k++) { // near e^k - plus
		mpfr_set_si(x, k, MPFR_RNDN);
		mpfr_exp(x, x, MPFR_RNDN);
		mpfr_sub_si(x, x, plus, MPFR_RNDN);
		if (!mpfr_zero_p(x))
			rounded(x, between(4, 200));
		mpfr_set_si(x, 10, MPFR_RNDN);
		mpfr_pow_si(x, x, k, MPFR_RNDN);
		rounded(x, between(4, 200));
	}
	mpfr_clear(x);
	if (plus)
		uniform_args(700, -1, 1, 200);
	else
		uniform_args(700, 0, 2, 200);
	uniform_args(300, 0.999, 1.001, 200);
	uniform_args(300, 0, 100, 200);
}

static void sqrt_args(void) {
	mpz_t n, q;
	mpz_init(n);
	mpz_init(q);
	for (long bits = 1; bits <= 150; bits++)
		for (int i = 0; i < 8; i++) {
			random_bits(n, bits);
			long e = 2 * between(-200, 200);
			mpz_mul(q, n, n);
			emit(q, e);
			if (i < 4) { // +- 1 ulp at the square's length, or 1 ulp of a longer format
				long g = i < 2 ? 0 : between(1, 60);
				mpz_mul_2exp(q, q, g);
				mpz_add_ui(q, q, 1);
				emit(q, e - g);
				mpz_sub_ui(q, q, 2);
				emit(q, e - g);
			} else { // half-way: (n + 1/2)^2 +- 1 ulp, and odd exponents
				mpz_mul_2exp(n, n, 1);
				mpz_add_ui(n, n, 1);
				mpz_mul(q, n, n);
				emit(q, e - 2);
				mpz_add_ui(q, q, 1);
				emit(q, e - 2);
				mpz_sub_ui(q, q, 2);
				emit(q, e - 1);
			}
		}
	for (long k = -300; k <= 300; k++) {
		emit_si(1, k);
		emit_si(9, k);
		if (k % 5 == 0) {
			emit_si((1L << 53) + 1, k);
			emit_si((1L << 53) - 1, k);
		}
	}
	for (long k = 1; k <= 400; k++)
		emit_si(k, 0);
	for (long k = 10000; k <= 100000; k += 9999) {
		emit_si(1, k), emit_si(1, -k), emit_si(5, k), emit_si(5, -k);
	}
	mpz_clear(n);
	mpz_clear(q);
}

static void tail_args(double scale) { // dense in [0, 30 scale], both signs
	uniform_args(3500, 0, 30 * scale, 200);
	uniform_args(700, -30 * scale, 0, 200);
	uniform_args(400, -6, 6, 60);
	uniform_args(300, 0, 2, 200);
	uniform_args(200, 26 * scale, 28 * scale, 200);
	for (long j = 1; j <= 240; j++)
		both_si(j, -3);
	static const char *dec[] = {"26.5432", "27.226017111108362", "27.2260171111083", "38.48", "37.5193793471445", "8.2923610758", "5.9", "0.476936276204469873381418353643", "0.84375", "1.25", "2.857142857", "6.0", "28", "10000", "9999.99999999", "7071.0678118654752440084436210485", "10000.000000001", "100", "1000", "5000", "1024", "4096", "8191.5"};
	for (size_t i = 0; i < sizeof dec / sizeof *dec; i++)
		for (int l = 0; l < NLEN; l++) {
			char s[64];
			rounded_str(dec[i], lengths[l]);
			snprintf(s, sizeof s, "-%s", dec[i]);
			rounded_str(s, lengths[l]);
		}
	uniform_args(300, 30 * scale, 10000, 200);
	uniform_args(100, -10000, -30 * scale, 200);
}

// trig_args emits numbers next to the multiples of pi/4, and arguments of all sizes.
static void trig_args(void) {
	mpfr_t c, x;
	mpfr_init2(c, 4000);
	mpfr_init2(x, 4000);
	mpfr_const_pi(c, MPFR_RNDN);
	mpfr_div_2ui(c, c, 2, MPFR_RNDN);
	for (long k = -200; k <= 200; k++) {
		mpfr_mul_si(x, c, k, MPFR_RNDN);
		if (!mpfr_zero_p(x))
			rounded(x, lengths[(k + 200) % NLEN]);
	}
	for (long j = 8; j < 26; j++)
		for (int i = 0; i < 8; i++) {
			mpfr_mul_si(x, c, between(1L << j, (1L << (j + 1)) - 1) * (i & 1 ? 1 : -1), MPFR_RNDN);
			rounded(x, between(2, 200));
		}
	mpfr_clear(c);
	mpfr_clear(x);
	uniform_args(800, -7, 7, 200);
	uniform_args(800, -100, 100, 200);
	uniform_args(300, -1.001, 1.001, 200);
}

// A few arguments for the sets high and extreme.
static void small_set(const char *f, int n) {
	int ex = !strcmp(f, "exp") || !strcmp(f, "expm1");
	int lg = !strcmp(f, "log") || !strcmp(f, "log1p") || !strcmp(f, "sqrt");
	if (n < 50) {
		static const long l[][2] = {{1, 0}, {1, -1}, {3, -2}, {-3, -2}, {3, 0}, {1, -64}, {-1, -64}, {12345, -10}, {-12345, -10}, {1, -1000}};
		for (size_t i = 0; i < sizeof l / sizeof *l; i++)
			emit_si(l[i][0], l[i][1]);
	} else {
		emit_si(0, 0);
		for (long j = 1; j <= 12; j++)
			both_si(j, -2);
		for (long k = 1; k <= 64; k += 9) {
			one_plus(1, 1, 4 * k);
			one_plus(1, -1, 4 * k);
			one_plus(-1, 1, 4 * k);
			both_si(1, -5 * k);
		}
		both_si(1, -100000);
		both_si(3, -1000);
		rounded_str("0.1", 53), rounded_str("1e-21", 53);
		rounded_str("0.1", 1000), rounded_str("-0.1", 1000);
		rounded_str("0.3333333333333333333333333333333333333", 113);
	}
	int want = n;
	if (ex) {
		rounded_str("-740.123", 53), rounded_str("709.782712893384", 53);
		emit_si(-100000000, 0), emit_si(99999999, 0);
	} else if (lg) {
		emit_si(1, 100000), emit_si(5, -100000), emit_si(1000003, 0);
		one_plus(1, -1, 300), one_plus(4, 1, 400);
	} else {
		emit_si(27, 0), emit_si(-6, 0), emit_si(10000, 0), emit_si(100, 0), emit_si(-27, 0);
	}
	while (emitted < want) {
		if (ex) {
			random_args(2, -40, 26, 200);
			uniform_args(1, -745.13, -734.76, 200);
			uniform_args(1, -30, 30, 1000);
		} else if (lg) {
			random_args(2, -200, 200, 1000);
			uniform_args(1, 0.5, 2, 200);
		} else {
			uniform_args(2, -30, 30, 200);
			random_args(1, -40, 13, 1000);
		}
	}
}

static int is_trig(const char *f) { return !strcmp(f, "sin") || !strcmp(f, "cos") || !strcmp(f, "atan"); }

static int everything(const mpfr_t x) { return mpfr_cmpabs(x, x) == 0; }
static int limit_exp(const mpfr_t x) { return mpfr_cmp_si(x, 100000000) <= 0 && mpfr_cmp_si(x, -100000000) >= 0; }
static int positive(const mpfr_t x) { return mpfr_sgn(x) > 0; }
static int nonnegative(const mpfr_t x) { return mpfr_sgn(x) >= 0; }
static int above_minus_one(const mpfr_t x) { return mpfr_cmp_si(x, -1) > 0; }
static int limit_erfc(const mpfr_t x) { return mpfr_cmp_si(x, 20000) <= 0 && mpfr_cmp_si(x, -20000) >= 0; }

int main(int argc, char **argv) {
	if (argc != 3) {
		fprintf(stderr, "usage: elementary FUNC main|high|extreme\n");
		return 2;
	}
	const char *f = argv[1], *set = argv[2], *def;
	mpfr_set_emin(mpfr_get_emin_min());
	mpfr_set_emax(mpfr_get_emax_max());
	seen = calloc(seen_size, sizeof *seen);
	domain = everything;
	if (!strcmp(f, "exp"))
		fn = mpfr_exp, domain = limit_exp, def = "e^x";
	else if (!strcmp(f, "expm1"))
		fn = mpfr_expm1, domain = limit_exp, def = "e^x - 1";
	else if (!strcmp(f, "log"))
		fn = mpfr_log, domain = positive, def = "natural logarithm";
	else if (!strcmp(f, "log1p"))
		fn = mpfr_log1p, domain = above_minus_one, def = "natural logarithm of 1 + x";
	else if (!strcmp(f, "sqrt"))
		fn = mpfr_sqrt, domain = nonnegative, def = "square root";
	else if (!strcmp(f, "sin"))
		fn = mpfr_sin, domain = limit_exp, def = "sine";
	else if (!strcmp(f, "cos"))
		fn = mpfr_cos, domain = limit_exp, def = "cosine";
	else if (!strcmp(f, "atan"))
		fn = mpfr_atan, domain = limit_exp, def = "inverse tangent";
	else if (!strcmp(f, "erf"))
		fn = mpfr_erf, domain = limit_erfc, def = "2/sqrt(pi) times the integral of exp(-t^2) from 0 to x";
	else if (!strcmp(f, "erfc"))
		fn = mpfr_erfc, domain = limit_erfc, def = "1 - erf(x)";
	else if (!strcmp(f, "normal_cdf"))
		is_normal = 1, normal_sign = -1, domain = limit_erfc, def = "Pr[Z <= x] for a standard normal Z";
	else if (!strcmp(f, "normal_tail"))
		is_normal = 1, normal_sign = 1, domain = limit_erfc, def = "Pr[Z > x] for a standard normal Z";
	else {
		fprintf(stderr, "unknown function %s\n", f);
		return 2;
	}
	state = 20240501;
	for (const char *p = f; *p; p++)
		state = state * 1000003 + (unsigned char)*p;
	int high = !strcmp(set, "high"), extreme = !strcmp(set, "extreme");
	digits_wanted = extreme ? 3050 : high ? 320 : 65;
	printf("# %s: %s\n", f, def);
	printf("# Program: docs/oracle/elementary.c, GNU MPFR %s, GMP %s.\n", mpfr_get_version(), gmp_version);
	printf("# Command: ./elementary %s %s\n", f, set);
	printf("# Each line: the argument m*2^e, exact, written as <m>p<e> with decimal m and e; a space; the value.\n");
	printf("# The value is truncated toward zero at %d significant digits: |printed| <= |true| < |printed| + 1 unit of the last printed digit.\n", digits_wanted);
	printf("# A trailing ! marks a value that is exact (its trailing zeros are dropped).\n");
	printf("# Policy: outside values, never rewritten from the project's own output.\n");
	if (high) {
		small_set(f, 200);
		return 0;
	}
	if (extreme) {
		small_set(f, 15);
		return 0;
	}
	common_args();
	int tail = !strncmp(f, "erf", 3) || is_normal;
	if (!strncmp(f, "exp", 3))
		exp_args();
	else if (!strcmp(f, "log"))
		log_args(0);
	else if (!strcmp(f, "log1p"))
		log_args(1);
	else if (!strcmp(f, "sqrt"))
		sqrt_args();
	else if (is_trig(f))
		trig_args();
	else
		tail_args(is_normal ? 1.41421356 : 1);
	while (emitted < 10200) {
		if (!strncmp(f, "exp", 3)) {
			random_args(3, -60, 26, 200);
			random_args(1, -400, 26, 200);
			uniform_args(2, -800, 800, 200);
		} else if (is_trig(f)) {
			random_args(2, -60, 26, 200);
			random_args(1, -400, 5, 200);
		} else if (tail) {
			random_args(2, -60, 13, 200);
			random_args(1, -400, 5, 200);
		} else {
			random_args(2, -300, 300, 200);
			random_args(1, -100000, 100000, 200);
			random_args(1, -20, 20, 200);
		}
	}
	return 0;
}

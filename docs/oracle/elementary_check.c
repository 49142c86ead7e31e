// elementary_check compares the files made by elementary.c with Arb, a second
// and independent implementation.
//
//	cc -O2 -o elementary_check elementary_check.c -lflint-arb -lflint -lmpfr -lgmp
//	./elementary_check FUNC <FILE
//
// With f(x) the Arb enclosure and D the printed value it asserts
// 0 <= |f(x)| - |D| < 1 unit of the last printed digit. Where |f(x)| - |D| is
// too close to an end to be separated from it at 20000 bits, the line counts
// as touching; lines marked ! must touch 0.
#include <arb.h>
#include <arb_hypgeom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void eval(arb_t f, const char *fn, const arb_t x, slong p) {
	if (!strcmp(fn, "exp"))
		arb_exp(f, x, p);
	else if (!strcmp(fn, "expm1"))
		arb_expm1(f, x, p);
	else if (!strcmp(fn, "log"))
		arb_log(f, x, p);
	else if (!strcmp(fn, "log1p"))
		arb_log1p(f, x, p);
	else if (!strcmp(fn, "sqrt"))
		arb_sqrt(f, x, p);
	else if (!strcmp(fn, "sin"))
		arb_sin(f, x, p);
	else if (!strcmp(fn, "cos"))
		arb_cos(f, x, p);
	else if (!strcmp(fn, "atan"))
		arb_atan(f, x, p);
	else if (!strcmp(fn, "erf"))
		arb_hypgeom_erf(f, x, p);
	else if (!strcmp(fn, "erfc"))
		arb_hypgeom_erfc(f, x, p);
	else if (!strcmp(fn, "normal_cdf") || !strcmp(fn, "normal_tail")) {
		arb_t r;
		arb_init(r);
		arb_sqrt_ui(r, 2, p);
		arb_div(r, x, r, p);
		if (fn[7] == 'c')
			arb_neg(r, r);
		arb_hypgeom_erfc(f, r, p);
		arb_mul_2exp_si(f, f, -1);
		arb_clear(r);
	} else
		abort();
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	static char line[1 << 20];
	long n = 0, touching = 0, bad = 0;
	while (fgets(line, sizeof line, stdin)) {
		if (line[0] == '#')
			continue;
		char *arg = strtok(line, " "), *val = strtok(NULL, "\n");
		char *pp = strchr(arg, 'p');
		*pp = 0;
		fmpz_t m, e;
		fmpz_init(m);
		fmpz_init(e);
		fmpz_set_str(m, arg, 10);
		fmpz_set_str(e, pp + 1, 10);
		int exact = val[strlen(val) - 1] == '!';
		if (exact)
			val[strlen(val) - 1] = 0;
		long digits = 0, ex = 0;
		for (char *c = val; *c && *c != 'e'; c++)
			digits += *c >= '0' && *c <= '9';
		char *ec = strchr(val, 'e');
		if (ec)
			ex = atol(ec + 1);
		arb_t x, f, d, u, t;
		arb_init(x), arb_init(f), arb_init(d), arb_init(u), arb_init(t);
		arb_set_fmpz_2exp(x, m, e);
		int state = 0; // 1 good, 2 touching, -1 bad
		slong start = digits * 4 + 200;
		for (slong p = start; state == 0; p *= 4) {
			eval(f, argv[1], x, p);
			arb_set_str(d, val, p);
			if (arb_is_negative(d) || (arb_is_zero(d) && arb_is_negative(f)))
				arb_neg(d, d), arb_neg(f, f);
			arb_set_ui(u, 10);
			arb_pow_ui(u, u, labs(ex - (digits - 1)), p);
			if (ex - (digits - 1) < 0)
				arb_inv(u, u, p);
			arb_sub(t, f, d, p);
			arb_div(t, t, u, p); // in units of the last digit
			arb_t one;
			arb_init(one);
			arb_one(one);
			if (arb_is_negative(t) || arb_gt(t, one))
				state = -1;
			else if (arb_is_positive(t) && arb_lt(t, one))
				state = exact ? -1 : 1;
			else if (p > 5000 && p >= 4 * start) {
				arf_t r;
				arf_init(r);
				arb_get_ubound_arf(r, t, 64);
				if (exact && arf_cmpabs_2exp_si(r, -400) > 0)
					state = -1;
				else
					state = 2;
				arf_clear(r);
			}
			arb_clear(one);
		}
		n++;
		if (state == 2)
			touching++;
		if (state == -1) {
			bad++;
			printf("%s: WRONG %sp%s %s\n", argv[1], arg, pp + 1, val);
		}
		arb_clear(x), arb_clear(f), arb_clear(d), arb_clear(u), arb_clear(t);
		fmpz_clear(m), fmpz_clear(e);
	}
	printf("%s: %ld lines, %ld touching, %ld wrong\n", argv[1], n, touching, bad);
	return n == 0 || bad != 0;
}

#!/bin/sh
# elementary.sh rebuilds testdata/golden/oracle/elementary and checks it with Arb.
# Debian: apt-get install gcc libmpfr-dev libflint-arb-dev libflint-dev libgmp-dev
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../testdata/golden/oracle/elementary}
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
cc -O2 -o "$bin/elementary" "$here/elementary.c" -lmpfr -lgmp
cc -O2 -o "$bin/check" "$here/elementary_check.c" -lflint-arb -lflint -lmpfr -lgmp
mkdir -p "$out"
for f in exp expm1 log log1p sqrt sin cos atan erf erfc normal_cdf normal_tail; do
	"$bin/elementary" $f main >"$out/$f.txt"
	"$bin/elementary" $f high >"$out/$f.high.txt"
	"$bin/elementary" $f extreme >"$out/$f.extreme.txt"
	for s in "" .high .extreme; do
		"$bin/check" $f <"$out/$f$s.txt"
	done
done

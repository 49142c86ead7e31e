# The targets that people and CI use. `make check` is what CI runs.

FUZZTIME ?= 60s
PYTHON ?= python3

.PHONY: check test thorough long peers race machines golden bench field samplers cliffs corpus coverage lines deadcode mutants mutants-changed mutants-evidence evidence-table fuzz vectors wheels dist browser beam proofs

check:
	./.ci/run

test:
	go test ./...

# As many random cases as the listed mutants need.
thorough:
	DPVERIFY_THOROUGH=1 go test -timeout 30m ./...

# The tests that take long, too.
long:
	DPVERIFY_LONG=1 go test -timeout 120m ./...
	$(MAKE) browser peers

# The Python package beside dp_accounting, Opacus, jax_privacy and prv_accountant, which pip installs into a cache.
peers:
	PYTHON=$(PYTHON) ./python/peers/run

# The documentation of the Python package, made of its docstrings, into dist/python.
.PHONY: python-page conformance
python-page:
	PYTHON=$(PYTHON) ./python/peers/run page

# How many answers of the accountants that are installed are below the truth, by flag of the test vectors: a table in
# Markdown. EACH=6 asks fewer.
EACH ?= 0

conformance:
	@dir=$$(mktemp -d) && go build -o $$dir/verify ./cmd/verify && \
	DPVERIFY_BINARY=$$dir/verify $(PYTHON) adapters/conformance.py --each $(EACH); status=$$?; rm -r $$dir; exit $$status

# The whole suite under the race detector.
race:
	go test -race -timeout 60m ./...

# The same digits from builds without assembly, for 32-bit words and for arm64.
machines:
	./.ci/machines

# The golden files. UPDATE=1 rewrites testdata/golden/snapshot, and nothing else.
golden:
ifdef UPDATE
	DPVERIFY_LONG=1 go test ./certify -run '^TestPublishedClaims$$' -update
endif
	go test -count=1 -run 'Golden|Oracle|Published|Snapshot' ./...

# Every benchmark, and beside another accountant where it is installed.
bench:
	go test -run '^$$' -bench . -benchmem ./...
	$(MAKE) field

# The command beside dp_accounting, on published configurations.
field:
	@dir=$$(mktemp -d) && go build -o $$dir/verify ./cmd/verify && \
	$(PYTHON) adapters/field.py $$dir/verify && $(PYTHON) adapters/field.py $$dir/verify --digits 10; \
	status=$$?; rm -r $$dir; exit $$status

# The command beside other accountants, on samplers of trainings: the tables of docs/performance.md.
samplers:
	@dir=$$(mktemp -d) && go build -o $$dir/verify ./cmd/verify && \
	$(PYTHON) adapters/samplers.py $$dir/verify --write docs/performance.md; \
	status=$$?; rm -r $$dir; exit $$status

# 500 questions of all classes and extremes: what became slower or wider than the table in tools/corpus. UPDATE=1 writes it anew,
# RUN='^sgd' asks fewer.
corpus:
	go run ./tools/corpus $(if $(UPDATE),-update) -run '$(RUN)'

# Parameters in steps of 3 %, and where the time jumps by more than a factor of 5. Takes an hour; RUN='^laplace' for fewer,
# STRIDE=8 where both ends of so many steps cost about the same.
STRIDE ?= 1

cliffs:
	go run ./tools/corpus -cliffs -stride $(STRIDE) -run '$(RUN)'

# The share of the statements of exact/ that tests reach, and whether docs/coverage.md
# lists all others. Takes minutes.
coverage:
	DPVERIFY_LONG=1 go run ./tools/coverage

# How much Go there is, beside the commit FROM, at equal function: tools/lines says how it counts.
lines:
	go run ./tools/lines $(FROM)

# Functions that no program reaches, but for helpers of tests; the functions of the page are for its
# WebAssembly.
deadcode:
	@dir=$$(mktemp -d) && GOBIN=$$dir go install golang.org/x/tools/cmd/deadcode@v0.51.0 && \
	{ $$dir/deadcode ./... | grep -v '^tools/page/\|^internal/drawn/\|^internal/testkit/'; \
	GOOS=js GOARCH=wasm $$dir/deadcode -filter '^dpverify/tools/page' ./tools/page/wasm; } > $$dir/dead; \
	cat $$dir/dead; ! test -s $$dir/dead; status=$$?; rm -r $$dir; exit $$status

mutants:
	go run ./tools/mutants

# Those of what changed, the most telling ones first, for MUTANTTIME.
MUTANTTIME ?= 4m

mutants-changed:
	go run ./tools/mutants -changed -budget $(MUTANTTIME)

# The program with each mistake writes evidence, which the checker must not accept for a wrong verdict. Takes hours;
# RUN='grid-|leaf-' and EVIDENCETIME for fewer.
RUN ?= .
EVIDENCETIME ?= 12h

mutants-evidence:
	go run ./tools/mutants -evidence -run '$(RUN)' -budget $(EVIDENCETIME)

# What the evidence for each decided claim costs, beside deciding it: a table in Markdown. CLAIMS='FILE…' for other
# files than the published ones; COQ=1 has coqc check the closed forms, too.
evidence-table:
	go run ./certify/evidence/table $(if $(COQ),-coq) $(CLAIMS)

# Every fuzz target for FUZZTIME. Minimizing what is merely interesting would eat
# that time, so it is cut short.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "+ go test $$pkg -run '^$$' -fuzz ^$$target\$$ -fuzztime $(FUZZTIME)"; \
			go test $$pkg -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x; \
		done; \
	done

# The test vectors. ALL=1 computes all of them anew, which takes minutes.
vectors:
	go run ./cmd/verify vectors generate $(if $(ALL),--all) vectors/v1

# Python wheels with the program inside, for six platforms, into dist.
wheels:
	go run ./tools/release -only wheels

# Everything that people install, into dist: the same bytes for the same sources.
dist:
	go run ./tools/release

# The machine-checked statements, and that they rest on no axiom but Coq's reals; and that files for Coq are tied to
# their claims. Needs coqc 8.16 (Debian: coq, libcoq-mathcomp-algebra, libcoq-mathcomp-algebra-tactics,
# libcoq-coquelicot, libcoq-bignums). The files for claims of every kind, some with libcoq-interval: make long.
proofs:
	@export DPVERIFY_PROOFS=$$(mktemp -d); ./proofs/check && \
	DPVERIFY_LONG=1 go test -count=1 -timeout 60m ./certify/evidence -run '^TestCoqFilesAreTied$$'; \
	status=$$?; rm -r $$DPVERIFY_PROOFS; exit $$status

# The checker that Coq makes of its theory (proofs/extracted), as the program extracted-checker: it needs OCaml and Zarith besides.
extracted-checker: $(wildcard proofs/theory/*.v proofs/extracted/*.ml) proofs/compile proofs/extract
	./proofs/extract $@

# The pages in a headless Chromium, a module of its own.
browser:
	cd internal/browser && go vet ./... && go test ./...

# The tests of the Beam pipeline, a module of its own: its dependencies are many.
beam:
	cd examples/beam && go vet ./... && go test ./...

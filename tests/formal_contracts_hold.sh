#!/usr/bin/env bash
# Every core's contract holds on its emitted Verilog, and the fault planted into each is found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p out/test
out=$(mktemp -d out/test/formal.XXXXXX)
trap 'rm -rf "$out"' EXIT
"$METAROCE" formal --out "$out"

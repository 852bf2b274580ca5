#!/usr/bin/env bash
# Contracts of cores hold on their emitted Verilog, and the fault planted into each is found.
# The short form proves those that take seconds; METAROCE_LONG=1 all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cores=(axi_lite burst_splitter find_first forwarded_table frame_fifo next_in_turn path_table
    ram_bypass retransmit_queue sack_table shift_queue skid_buffer)
[[ -z ${METAROCE_LONG:-} ]] || cores=()
mkdir -p out/test
out=$(mktemp -d out/test/formal.XXXXXX)
trap 'rm -rf "$out"' EXIT
"$METAROCE" formal ${cores[@]+"${cores[@]}"} --out "$out"

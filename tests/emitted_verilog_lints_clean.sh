#!/usr/bin/env bash
# Every size of the NIC, as `metaroce emit` writes it: both Verilators have nothing to say
# of it without a waiver, yosys makes registers and gates of every module (of sizes medium and
# wide in the long form, of size large never), and a second run writes the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p out/test
folder=$(mktemp -d out/test/emit.XXXXXX)
trap 'rm -rf "$folder"' EXIT

sizes=$("$METAROCE" emit --help | sed -n 's/.*possible values: \(.*\)\].*/\1/p' | tr -d ,)
[[ -n $sizes ]] || { echo "emit --help names no size" && exit 1; }
for size in $sizes; do
    "$METAROCE" emit --size "$size" --out "$folder/$size" >/dev/null
    "$METAROCE" emit --size "$size" --out "$folder/again" >/dev/null
    diff <(cat "$folder/$size"/*.v | sha256sum) <(cat "$folder/again"/*.v | sha256sum)
    for verilator in .venv/bin/verilator /usr/bin/verilator; do
        # Not its own statistics, which come on lines that begin with `- `.
        said=$("$verilator" --lint-only -Wall -F "$folder/$size/files.f" 2>&1 | grep -v '^- ') || true
        [[ -z $said ]] || { echo "$verilator on size $size: $said" && exit 1; }
        echo "$size: $verilator prints nothing"
    done
    # Sizes differ in constants alone, and in their planes, of which `cores_synthesis` makes netlists; of medium and wide yosys takes
    # many minutes and gigabytes, and of large's tables of 4 million words it makes nothing.
    [[ $size != large ]] || continue
    [[ ! $size =~ ^(medium|wide)$ || -n ${METAROCE_LONG:-} ]] || continue
    files=("$folder/$size"/*.v)
    yosys -q -p "read_verilog -sv ${files[*]}; hierarchy -check -top metaroce_$size; proc; opt_clean; \
        select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr; check -assert"
    echo "$size: yosys makes registers and gates of it: no latch, no loop, no drivers that fight"
done

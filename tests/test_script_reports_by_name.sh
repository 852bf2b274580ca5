#!/usr/bin/env bash
# ./test knows its checks by name, and a name that it does not know is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=$(./test --list)
grep -qx cargo-test <<<"$names"
grep -qx setup_is_quick_when_done <<<"$names"
output=$(./test no-such-check) && { echo "an unknown check passed" && exit 1; }
grep -qx '0 passed, 1 failed, 0 skipped' <<<"$output" || { echo "found: $output" && exit 1; }

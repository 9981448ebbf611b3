#!/usr/bin/env bash
# What only a GPU can show: every CUDA lab on fresh random inputs, each element held against a 64-bit reference, in a table.
#
#   tests/gpu/check.sh [gpu_runner]            needs a built gpu_runner, a GPU with NVIDIA's driver, and nothing else
#   BACKEND=cpu tests/gpu/check.sh [gpu_runner]  tries this script where there is no GPU
#
# Ends with 0 where all was right, 1 where something was wrong, 2 without a program, and 77 where there is no GPU: then it says
# skipped. Takes less than four minutes.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
runner=${1:-${GPU_RUNNER_BIN:-$here/target/release/gpu_runner}}
backend=${BACKEND:-cuda}
most_seconds=210

# Sizes beside each lab's defaults: the smallest, primes, what no block divides, and rows longer than a block.
awkward=(
    "rmsnorm rows=1 hidden=1"
    "rmsnorm rows=13 hidden=1021"
    "rmsnorm rows=1000 hidden=257"
    "rmsnorm rows=1048576 hidden=1"
    "rmsnorm rows=3 hidden=65536"
    "rmsnorm rows=8192 hidden=4096"
    "memory-bandwidth elements=1"
    "memory-bandwidth elements=4099"
    "memory-bandwidth elements=16777213"
    "kv-quant tokens=1 heads=1 head_dim=8 outliers=0"
    "kv-quant tokens=67 heads=3 head_dim=136"
    "kv-quant tokens=4095 heads=8 head_dim=128"
)

[ -x "$runner" ] || {
    echo "check.sh: no program at $runner: build it with cargo build --release -p gpu_runner, or name it" >&2
    exit 2
}

devices=$("$runner" devices 2>&1)
echo "$devices"
if [ "$backend" = cuda ] && ! grep -q '^cuda .*: GPU evidence$' <<<"$devices"; then
    echo "skipped: no CUDA device here gives GPU evidence"
    exit 77
fi

# Lines of "lab", and of "lab parameter".
known=$("$runner" labs | awk -v backend="$backend" '
    $2 == "on" { lab = ($3 == backend ":") ? $1 : ""; if (lab) print lab }
    $1 == "--param" && lab { split($2, pair, "="); print lab, pair[1] }')
cases=()
for lab in $(awk 'NF == 1' <<<"$known"); do
    cases+=("$lab")
    for line in "${awkward[@]}"; do
        [ "${line%% *}" = "$lab" ] && cases+=("$line")
    done
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The candidates of a report: name, status, milliseconds, largest relative error.
# shellcheck disable=SC2016
candidates='
    /^  "candidates": \[/ { inside = 1 }
    /^  \]/ { inside = 0 }
    !inside { next }
    /^      "name":/ { if (name) print name, status, ms, error; name = $2; status = "ok"; ms = "-"; error = "-" }
    /^      "status":/ { status = $2 }
    /^        "time_ms":/ { ms = $2 }
    /^        "max_rel_error":/ { error = $2 }
    END { if (name) print name, status, ms, error }'

short() { [ "$2" = - ] && echo - || printf "$1" "$2"; }
line() { printf '%-44s %-14s %-8s %12s %14s\n' "$@"; }
line "lab and parameters" variant status ms "largest error"
right=0 wrong=0
for case in "${cases[@]}"; do
    read -r lab params <<<"$case"
    if [ "$SECONDS" -ge "$most_seconds" ]; then
        line "$case" - "no time" - -
        wrong=$((wrong + 1))
        continue
    fi
    args=()
    for param in $params; do args+=(--param "$param"); done
    grep -qx "$lab seed" <<<"$known" && args+=(--param "seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')")
    grep -qx "$lab seconds" <<<"$known" && args+=(--param seconds=2)
    grep -qx "$lab samples" <<<"$known" && args+=(--param samples=50)
    report=$folder/report.json
    rm -f "$report"
    timeout 60 "$runner" run "$lab" --backend "$backend" --out "$report" "${args[@]}" >/dev/null 2>"$folder/said"
    if [ ! -s "$report" ]; then
        line "$case" - failed - -
        tail -n 3 "$folder/said" | sed 's/^/    /'
        wrong=$((wrong + 1))
        continue
    fi
    ok=1
    grep -q "\"backend\": \"$backend\"" "$report" || ok=0
    rows=$(awk "$candidates" "$report" | tr -d '",')
    [ -n "$rows" ] || ok=0
    while read -r name status ms error; do
        [ "$status" = ok ] || ok=0
        line "$case" "$name" "$status" "$(short %.4f "$ms")" "$(short %.1e "$error")"
    done <<<"$rows"
    if [ "$ok" = 1 ]; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
done

if [ "$wrong" -gt 0 ] || [ "$right" -eq 0 ]; then
    echo "failed: $wrong of $((right + wrong)) cases are not right"
    exit 1
fi
if [ "$backend" = cuda ]; then
    echo "passed: $right cases in $SECONDS s"
else
    echo "tried: $right cases on the backend $backend, which says nothing about a GPU"
fi

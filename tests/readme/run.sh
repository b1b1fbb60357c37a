#!/usr/bin/env bash
# Plays the README's game against a running service: every bash block after `<!-- tested -->` must succeed, every one
# after `<!-- refused -->` must be refused with a problem document. Usage: tests/readme/run.sh http://127.0.0.1:8080
set -euo pipefail

project=$(cd "$(dirname "$0")/../.." && pwd)
readme=$project/README.md
# The README writes what it fetches beside itself; here it has a folder of its own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export BROADSIDE=${BROADSIDE:-"cargo run --quiet --manifest-path $project/Cargo.toml --"}
export API=${1:?the address of a running service, such as http://127.0.0.1:8080}

# One script of all blocks, since later ones use what earlier ones have set.
script=$(awk '
    /^<!-- (tested|refused) -->$/ { kind = $2; next }
    !kind && /^```bash$/          { print "echo \"a bash block in the README is not marked\" >&2; exit 1" }
    kind && /^```bash$/           { inside = 1; blocks++; if (kind == "refused") print "refused <<\"BLOCK\""; next }
    inside && /^```$/             { if (kind == "refused") print "BLOCK"; print "done_with " blocks; inside = 0; kind = ""; next }
    inside                        { print }
    END                           { if (blocks < 5) print "echo \"the README has only " blocks + 0 " tested blocks\" >&2; exit 1" }
' "$readme")

# The README's `curl -s` is silent about a refusal; here it has to fail.
curl() { command curl --fail-with-body --show-error "$@"; }

# Runs a block that must be answered with a problem document.
refused() {
    local block answer
    block=$(cat)
    if answer=$(eval "$block" 2>/dev/null); then
        echo "not refused: $answer" >&2
        exit 1
    fi
    [[ $answer == *'"code":"'* ]] || { echo "no problem document: $answer" >&2; exit 1; }
}

done_with() { printf '\nok: block %s\n' "$1"; }

eval "$script" | { grep '^ok: ' || true; }
echo "the README's game was played against $API"

#!/usr/bin/env bash
# Plays the README's game, or what another page shows, against a running service: every bash block after
# `<!-- tested -->` must succeed, every one after `<!-- refused -->` must be refused. A text block after
# `<!-- printed -->` is what the bash block before it prints; `…` stands for any part of a line. A text or JSON block
# that isn't compared is marked with `<!-- cut -->`.
# Usage: tests/readme/run.sh http://127.0.0.1:8080 [FILE]
set -euo pipefail

project=$(cd "$(dirname "$0")/../.." && pwd)
readme=$(realpath "${2:-$project/README.md}")
# The README writes what it fetches beside itself; here it has a folder of its own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export BROADSIDE=${BROADSIDE:-"cargo run --quiet --manifest-path $project/Cargo.toml --"}
export API=${1:?the address of a running service, such as http://127.0.0.1:8080}

# One script of all blocks, since later ones use variables of earlier ones.
script=$(awk '
    function bad(what) { print "echo \"" what "\" >&2; exit 1" }
    /^<!-- (tested|refused|printed|cut) -->$/ { kind = $2; next }
    !inside && /^```(bash|text|json)$/ {
        runs = $0 == "```bash"
        if (!kind || runs != (kind == "tested" || kind == "refused")) { bad("line " NR ": the block is not marked"); next }
        inside = kind; kind = ""
        if (runs) blocks++
        if (inside == "tested") print "{"
        if (inside == "refused") print "refused <<\"BLOCK\""
        if (inside == "printed") { compared++; print "printed " blocks " <<\"BLOCK\"" }
        next
    }
    inside && /^```$/ {
        if (inside == "tested") print "} >printed-" blocks
        if (inside == "refused") print "BLOCK"
        if (inside == "refused") print "mv refused printed-" blocks
        if (inside == "printed") print "BLOCK"
        if (inside ~ /tested|refused/) print "done_with " blocks
        inside = ""; next
    }
    inside && inside != "cut" { print }
    END { if (blocks < 5 || compared < 3) bad("this file has only " blocks + 0 " tested blocks, and " compared + 0 " compared ones") }
' "$readme")

# The README's `curl -s` is silent about a refusal; here it must fail.
curl() { command curl --fail-with-body --show-error "$@"; }

# Runs a block that must be refused, with its output in the file `refused`.
refused() {
    local block
    block=$(cat)
    if (eval "$block") >refused 2>error; then
        echo "not refused: $(cat refused)" >&2
        exit 1
    fi
    grep -q 'The requested URL returned error: 4' error || { echo "no refusal: $(cat error refused)" >&2; exit 1; }
}

# Compares a block's output with the README.
printed() {
    python3 -c '
import re, sys

said, wanted = (text.strip().splitlines() for text in (open(sys.argv[1]).read(), sys.stdin.read()))
pattern = lambda line: ".*".join(map(re.escape, line.split("…")))
for number in range(max(len(said), len(wanted))):
    was, line = (lines[number] if number < len(lines) else None for lines in (said, wanted))
    if was is None or line is None or not re.fullmatch(pattern(line), was):
        sys.exit(f"the page says:    {line}\nbut was printed:  {was}")
' "printed-$1" || exit 1
}

done_with() { printf 'ok: block %s\n' "$1"; }

eval "$script"
echo "${readme##*/} was played against $API"

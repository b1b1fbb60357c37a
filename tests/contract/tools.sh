# Shared by `run` and `play`: the pinned tools, the program that was built, and a line for each check. To be sourced,
# with `here` set.
# Not in here: which tools are run; that is `run` and `play`.

tools=$here/.tools
bin=$tools/node_modules/.bin
venv=$tools/venv/bin
target=$(realpath -m "${CARGO_TARGET_DIR:-$here/../../target}")
built=$target/debug/broadside
failed=0

install() {
  local stamp
  stamp=$(cat "$here/package-lock.json" "$here/requirements.txt" | sha256sum | cut -d' ' -f1)
  [[ -f $tools/stamp && $(cat "$tools/stamp") == "$stamp" ]] && return
  printf 'installing the pinned tools into %s\n' "$tools"
  mkdir -p "$tools"
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$tools/"
  (cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  [[ -x $venv/python ]] || python3 -m venv "$tools/venv"
  "$venv/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  printf '%s' "$stamp" >"$tools/stamp"
}

# check NAME COMMAND…: runs it in a shell of its own, with -e, and prints one line if it passes, its whole output if it
# fails.
check() {
  local name=$1 log start=$SECONDS status
  log=$(mktemp -p "$out")
  shift
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  if ((status == 0)); then
    printf 'ok     %s (%d s)\n' "$name" $((SECONDS - start))
  else
    printf 'FAILED %s (%d s)\n' "$name" $((SECONDS - start))
    sed 's/^/       /' "$log"
    failed=1
  fi
  rm "$log"
}

checks() { PYTHONDONTWRITEBYTECODE=1 python3 "$here/checks.py" "$@"; }

# generated GENERATOR DOCUMENT FOLDER: nothing was dropped, and everything has a type.
generated() { PYTHONDONTWRITEBYTECODE=1 python3 "$here/generated.py" "$@"; }

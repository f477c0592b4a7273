#!/usr/bin/env bash
# Runs the first command block of README.md in a fresh clone, with no key, no server and no standard input,
# and expects a checked answer.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet "$root" "$work/sonde"
cd "$work/sonde"
command=$(awk '/^```sh$/ { on = 1; next } /^```$/ { if (on) exit } on' README.md)
printf '%s\n' "$command"
env -u ANTHROPIC_API_KEY -u OPENAI_API_KEY SONDE_HOME="$work/home" bash -euo pipefail -c "$command" </dev/null >"$work/out" 2>"$work/err" ||
  { cat "$work/err" "$work/out"; exit 1; }
tail -n 40 "$work/out"
grep -qE '^.*[A-Za-z_./-]+\.[a-z]+:[0-9]+' "$work/out" || { echo 'no citation in the answer'; exit 1; }

#!/usr/bin/env bash
# Packs the package as npm would publish it, installs the tarball elsewhere, and asks it something.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
npm run --silent build
npm run --silent lint:package
npm pack --silent --pack-destination "$work" >/dev/null
mkdir "$work/user" && cd "$work/user"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit "$work"/sonde-*.tgz
printf 'export function lowerPressure(valve) {\n  return valve.close();\n}\n' >valve.js
PATH="$root/node_modules/.bin:$PATH" SONDE_HOME="$work/home" npx sonde ask 'What lowers the pressure?' . --json </dev/null >answer.json
grep -q '"path":"valve.js"' answer.json || { cat answer.json; exit 1; }
echo "installed from the tarball: $(wc -c <answer.json) bytes of answer"
echo 'print(sum(range(10)))' >cell.py
[ "$(PATH="$root/node_modules/.bin:$PATH" SONDE_HOME="$work/home" npx sonde python cell.py </dev/null)" = 45 ]
echo "import { ask } from 'sonde'; const { citations } = await ask('What lowers the pressure?', { root: '.' }); if (citations[0]?.path !== 'valve.js') process.exit(1);" >use.mjs
SONDE_HOME="$work/home" "$root/node_modules/.bin/node" use.mjs
echo 'sandbox and library work from the tarball'

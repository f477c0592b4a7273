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
npm pkg set type=module
npm install --silent --no-fund --no-audit "$work"/sonde-*.tgz
[ -s node_modules/sonde/dist/web/index.html ] || { echo 'the page is not in the package'; exit 1; }
printf 'export function lowerPressure(valve) {\n  return valve.close();\n}\n' >valve.js
PATH="$root/node_modules/.bin:$PATH" SONDE_HOME="$work/home" npx sonde ask 'What lowers the pressure?' . --json </dev/null >answer.json
grep -q '"path":"valve.js"' answer.json || { cat answer.json; exit 1; }
echo "installed from the tarball: $(wc -c <answer.json) bytes of answer"
echo 'print(sum(range(10)))' >cell.py
[ "$(PATH="$root/node_modules/.bin:$PATH" SONDE_HOME="$work/home" npx sonde python cell.py </dev/null)" = 45 ]
echo "import { ask } from 'sonde'; const { citations } = await ask('What lowers the pressure?', { root: '.' }); if (citations[0]?.path !== 'valve.js') process.exit(1);" >use.mjs
SONDE_HOME="$work/home" "$root/node_modules/.bin/node" use.mjs
echo 'sandbox and library work from the tarball'

# The types of the public entry points, as a strict program of somebody else sees them.
# Nothing but Node's own types is installed beside it: what its declarations need comes with it.
npm install --silent --no-fund --no-audit --save-dev @types/node@26 zod >/dev/null
node -p "Object.keys(require('sonde/package.json').exports).filter((door) => !door.includes('package.json'))
  .map((door, nth) => 'export type * as door' + nth + ' from \"sonde' + door.slice(1) + '\";').join('\n')" >doors.mts
cp "$root/scripts/strict-program.ts" typed.mts
"$root/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck false --noUncheckedIndexedAccess \
  --target esnext --module nodenext --types node typed.mts doors.mts
echo 'the types of the library hold for a strict program'

# The programs of the documentation, which assert what they say, in a folder that is not the repository.
cp -r "$root/examples" programs
for program in first-program own-parts world ask investigate langgraph chat incident; do
  "$root/node_modules/.bin/node" "programs/$program.ts" >"$program.out" 2>&1 ||
    { echo "examples/$program.ts fails against the package:"; tail -20 "$program.out"; exit 1; }
done
echo 'the example programs run against the package'

// What the compiler leaves behind: prompts, guest programs and other files that modules read beside themselves.
import { copyFileSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const assets = globSync('src/**/*.{md,py,sql,json,wasm}', {
  cwd: root,
  // What only tests read stays out of the package.
  exclude: ['src/**/hostile/**', 'src/**/testbed/**', 'src/**/test_*.py'],
});
for (const asset of assets) {
  const target = join(root, asset.replace(/^src/, 'dist'));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, asset), target);
}
console.log(`${assets.length} assets copied`);

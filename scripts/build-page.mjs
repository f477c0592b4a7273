// Builds the page in a browser from web/ into dist/web, after `npm ci`: it works from then on without the network. What is
// installed without the tools of developers, such as the published package, has it built already.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
if (!existsSync(join(root, 'web')) || !existsSync(join(root, 'node_modules', 'vite')))
  console.log('The page is not built here: web/ or vite is missing.');
else {
  const { build } = await import('vite');
  await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' });
}

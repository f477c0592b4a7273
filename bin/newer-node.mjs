// Imported first by each entry of the library: an old Node meets a sentence, not an error of its own about our files.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { engines } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
);
const oldest = Number.parseInt(engines.node.replace(/^\D+/, ''), 10);

if (Number.parseInt(process.versions.node, 10) < oldest) {
  const error = new Error(
    `Sonde needs Node ${oldest} or newer, and this is Node ${process.versions.node}. Run your program with one: npm i node@${oldest}, then npx node FILE`,
  );
  // Node prints the stack of what nobody catches.
  error.stack = `Error: ${error.message}`;
  throw error;
}

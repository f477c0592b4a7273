// Each entry point of the library imports this first, so that an old Node reports a clear error, not a syntax error.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { engines } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
);
const oldestMajor = Number.parseInt(engines.node.replace(/^\D+/, ''), 10);

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  const error = new Error(
    `Sonde needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}. Run your program with one: npm i node@${oldestMajor}, then npx node FILE`,
  );
  // Node prints the stack of an uncaught error; here only the message helps.
  error.stack = `Error: ${error.message}`;
  throw error;
}

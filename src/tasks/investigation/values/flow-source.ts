/** The Python that follows what flows into a value: one module, a file for each part of it, in this order. */
import { readFileSync } from 'node:fs';

const parts = [
  ...['origins', 'streams', 'running', 'calls', 'texts', 'containers', 'matches', 'methods', 'functions'],
  ...['helpers', 'parts', 'expressions', 'invocations', 'targets', 'statements', 'failures', 'generators'],
  ...['cases', 'classes', 'told'],
];

export const flowSource: string = parts
  .map((name) => readFileSync(new URL(`../guest/flow/${name}.py`, import.meta.url), 'utf8'))
  .join('\n\n');

/** The Python that traces what flows into a value: one module made of these files, in this order. */
import { readFileSync } from 'node:fs';

const moduleNames = [
  ...['origins', 'streams', 'running', 'calls', 'texts', 'containers', 'matches', 'methods', 'functions'],
  ...['helpers', 'parts', 'expressions', 'invocations', 'targets', 'statements', 'failures', 'generators'],
  ...['cases', 'classes', 'told'],
];

export const flowSource: string = moduleNames
  .map((name) => readFileSync(new URL(`../guest/flow/${name}.py`, import.meta.url), 'utf8'))
  .join('\n\n');

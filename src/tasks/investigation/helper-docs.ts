/** The guest's side of the helpers, and what it says of itself. */
import { readFileSync } from 'node:fs';
import type { SandboxOptions } from '../../sandbox/index.ts';

const source = readFileSync(new URL('./guest/investigation.py', import.meta.url), 'utf8');

/** For `createSandbox`: a sandbox without it can't run an investigation. */
export const investigationHelpers: NonNullable<SandboxOptions['helpers']> = Object.freeze([
  Object.freeze({ name: 'investigation', source }),
]);

const definition = /^def ([A-Za-z]\w*)\((.*)\):\n {4}"""([\s\S]*?)"""/gm;

/** Signature and docstring of each helper, as the code inside would read them. */
export const helperDocs: string = [...source.matchAll(definition)]
  .map(
    ([, name = '', parameters = '', text = '']) =>
      `- \`${name}(${parameters})\`: ${text.replace(/\s+/g, ' ').trim()}`,
  )
  .join('\n');

/** The Python side of the helpers, with its documentation. */
import { readFileSync } from 'node:fs';
import type { SandboxOptions } from '../../../sandbox/index.ts';

const source = readFileSync(new URL('../guest/investigation.py', import.meta.url), 'utf8');

/** Given to `createSandbox`: an investigation needs these helpers in its sandbox. */
export const investigationHelpers: NonNullable<SandboxOptions['helpers']> = Object.freeze([
  Object.freeze({ name: 'investigation', source }),
]);

const definition = /^def ([A-Za-z]\w*)\((.*)\):\n {4}"""([\s\S]*?)"""/gm;

const documented = [...source.matchAll(definition)].map(([, name = '', parameters = '', text = '']) => ({
  name,
  line: `- \`${name}(${parameters})\`: ${text.replace(/\s+/g, ' ').trim()}`,
}));
const toolCall = 'call_tool';

/** Signature and docstring of each helper, for the prompt. */
export const helperDocs: string = documented
  .filter(({ name }) => name !== toolCall)
  .map(({ line }) => line)
  .join('\n');

/** The documentation of `call_tool`, shown only if there are tools to call. */
export const toolCallDocs: string = documented.find(({ name }) => name === toolCall)!.line;

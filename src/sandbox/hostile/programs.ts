import { existsSync, readFileSync } from 'node:fs';

/**
 * The expected outcome of a hostile program. `denied`: it fails. `limited`: a limit ends it. `stopped`: either.
 * `truncated`: its output is cut. `killed`: the cell is rolled back. `kept`: it is not rolled back.
 * `contained`: any of these, or it succeeds. `ruins`: it breaks its own interpreter, so that later cells of
 * its session may fail as well. suite.ts checks what holds for all programs.
 */
export const expectations = [
  'denied',
  'limited',
  'stopped',
  'truncated',
  'killed',
  'kept',
  'contained',
  'ruins',
] as const;
export type Expectation = (typeof expectations)[number];

export interface HostileProgram {
  readonly category: string;
  readonly name: string;
  readonly expect: Expectation;
  readonly code: string;
}

export const categories = [
  'files',
  'network',
  'processes',
  'bridges',
  'introspection',
  'computing',
  'memory',
  'recursion',
  'output',
  'forgery',
  'helpers_attacked',
  'interpreter',
] as const;

/** The programs of one category: a file of Python with a line `# === name :: expectation` before each. */
export function programsOf(category: string): readonly HostileProgram[] {
  const text = readFileSync(new URL(`./${category}.py`, import.meta.url), 'utf8');
  return text
    .split(/^# === /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      const [name = '', expect = ''] = part.slice(0, end).split(' :: ');
      if (!(expectations as readonly string[]).includes(expect)) {
        throw new RangeError(`${category}.py: ${name} expects ${expect}`);
      }
      return { category, name, expect: expect as Expectation, code: part.slice(end + 1) };
    });
}

export const helperModule = {
  name: 'hostile_helpers',
  source: readFileSync(new URL('./helpers.py', import.meta.url), 'utf8'),
};

/** The expectations of the shared data set, mapped to those here. */
const expectationOf: Readonly<Record<string, Expectation>> = {
  denied: 'denied',
  killed_by_limit: 'stopped',
  contained: 'contained',
  truncated: 'contained',
  state_intact: 'kept',
  no_forgery: 'contained',
  helper_intact: 'kept',
  answer_ok: 'kept',
};

/** The programs of a data folder that is not part of the project, or null if it is absent. */
export function readSharedPrograms(dataFolder: string): readonly HostileProgram[] | null {
  const file = `${dataFolder}/hostile-python/hostile-python-tune.jsonl`;
  if (!existsSync(file)) return null;
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { id, category, code, expect } = JSON.parse(line) as Record<string, string>;
      const meaning = expectationOf[expect!];
      if (!meaning) throw new RangeError(`${id} expects ${expect}`);
      return { category: category!, name: id!, expect: meaning, code: code! };
    });
}

/** What is the same for every kind of run asks none by its name: that is said in its definition, and nowhere else. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from '../src/app/kinds/kinds.ts';

const root = join(import.meta.dirname, '..');
const shapes = [...Object.keys(kinds), 'turn'];
const named = `(['"\`])(?:${shapes.join('|')})\\1`;

/** Where a kind is defined: what it is, how the program has it, and the turns of conversations, which are no such kind. */
const definitions = new RegExp(`^src/(?:tasks/(?:${shapes.join('|')})/|app/kinds/|session/)`);

/** The names of kinds in other words, and the one comparison that all kinds share. */
const others: Readonly<Record<string, string>> = {
  'src/tasks/run-row.ts': 'a run is opened as the kind that it is',
  'src/app/incident/evidence.ts': 'questions about an incident are asked of incidents alone',
  'src/app/incident/chat.ts': 'an incident that has come to no end is said to have none',
  'src/app/investigation/proposals.ts': 'the name under which proposals are written',
  'src/app/cli/setup/init.ts': 'the name of a command that sets up for incidents',
  'src/app/http/visible-runs.ts': 'a list of runs may be of one kind alone',
  'src/app/http/routes/incidents.ts': 'incidents have addresses of their own over HTTP',
  'src/store/queue/choose-jobs.ts': 'limits of a team may be for one shape of work',
  'src/store/memory/memory-queue.ts': 'limits of a team may be for one shape of work',
  'src/app/worker/team-queue.ts': 'limits of a team may be for one shape of work',
  'src/store/postgres/sessions/postgres-places.ts': 'a column of leases has the name',
  'src/app/serve/schedule-spending.ts': 'the turns of a schedule are what it spent on',
  'src/app/runs/run-trails.ts': 'the turns of one conversation',
  'src/app/http/threads/workspace-threads.ts': 'the turns of one conversation',
  'src/app/http/routes/run-control.ts': 'what may be begun over HTTP, each with its own parameters',
  'src/app/worker/worker.ts': 'what may be queued, each with its own parameters',
  'src/app/http/client/operations.ts': 'addresses of incidents, generated from the document',
  'src/app/http/chat/chat-talkers.ts': 'a question to code:NAME is a research',
  'src/app/cli/agent/schedule.ts': 'a word of what it prints',
  'src/app/chat/commands.ts': 'a word of what it prints',
  'src/app/library.ts': 'the functions that are named after what they do',
};

const asks: Readonly<Record<string, RegExp>> = {
  'compares the shape of a run':
    /\bshape\b[\])]*\s*[!=]==?(?!=|\s*(?:['"`]|undefined|null))|[!=]==?\s*[\w.]*\bshape\b/,
  'branches on the shape of a run': /\bswitch \([^)]*\bshape\b/,
  'names a kind of run': new RegExp(named),
  'tells a kind by what its end holds':
    /\bincident\s*[!=]==?\s*(?:undefined|null)|\binvestigation\s*[!=]==?\s*(?:undefined|null)/,
};

/** Without what is said of it: sentences name kinds as they like. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

function found(path: string, text: string): readonly string[] {
  if (definitions.test(path) || Object.hasOwn(others, path)) return [];
  const code = codeOf(text);
  return Object.keys(asks).filter((what) => asks[what]!.test(code));
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter(
  (path) => !/\.(?:test|contract)\.ts$/.test(path),
);

it('no file but its definition asks a run for its kind', () => {
  expect(sources.length).toBeGreaterThan(800);
  const asking = sources.flatMap((path) =>
    found(path, readFileSync(join(root, path), 'utf8')).map((what) => `${path} ${what}`),
  );
  expect(asking).toEqual([]);
  for (const path of Object.keys(others)) expect(sources).toContain(path);
});

describe('one that does is refused', () => {
  it.each([
    [`if (row.shape === 'incident') return incidentText(row);`],
    [`if ('incident' === row.shape) return incidentText(row);`],
    ['if (shape !== incidentRun.shape) refuse();'],
    ['return researchRun.shape === found ? 1 : 2;'],
    [`switch (row.shape) { default: return null; }`],
    [`const show = { research: 1 }['research'];`],
    [`kinds[row.shape] ?? kinds["research"]`],
    ['if (result.incident === undefined) return print(result.answer);'],
    ['if (end.investigation != null) return end.investigation.sources;'],
  ])('%s', (code) => {
    expect(found('src/app/anywhere.ts', code).length).toBeGreaterThan(0);
    expect(found('src/app/kinds/incident.ts', code)).toEqual([]);
  });

  it('and what is no such question is not', () => {
    for (const code of [
      `if (onset.shape === 'ramp') return start;`,
      `/** An 'incident' is not asked for. */`,
      `// row.shape === 'turn'\nconst a = row.shape;`,
      'if (asked.shape === undefined) return null;',
    ])
      expect(found('src/app/anywhere.ts', code)).toEqual([]);
  });
});

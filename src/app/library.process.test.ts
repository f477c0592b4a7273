/** The library by its name, the launcher on an old Node, and two examples; the others are in library.long. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as door from '../index.ts';
import { environmentOf, launcher } from './testbed/run-sonde.ts';
import { createSmallTree } from './testbed/small-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

describe('the library', () => {
  it.each([
    ['ask.ts', /^ok$/],
    ['first-program.ts', /^ok: /],
  ])('runs its example %s', async (name, last) => {
    const { stdout } = await run(process.execPath, [join(root, 'examples', name)], {
      env: environmentOf({}),
    });
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(last);
  });

  it('throws what its errors say', async () => {
    await expect(door.ask('why?', { root: '/nonexistent/folder' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('/nonexistent/folder'),
    });
    await expect(door.ask('why?', { root, settings: { steps: 99 } })).rejects.toMatchObject({
      code: 'bad_argument',
    });
  });
});

it('a turn sends nothing to LangSmith, whatever the environment says', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const program = `
    const { chat } = await import(${JSON.stringify(join(root, 'bin', 'library.mjs'))});
    await using talk = await chat({ workspace: 'main', settings: { model: 'extractive' } });
    console.log((await talk.send('What is a budget?')).status);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    env: environmentOf({
      env: {
        LANGSMITH_TRACING: 'true',
        LANGSMITH_API_KEY: 'key',
        LANGSMITH_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      },
    }),
  });
  server.close();
  expect(stdout).toMatch(/^answered$/m);
  expect(requests).toBe(0);
});

it('a run by its shape takes a model and a tool of the program', async () => {
  const asked: string[] = [];
  const owner = door.tool({
    name: 'owner_of',
    description: 'Who owns a file.',
    parameters: z.object({ path: z.string() }),
    run: ({ path }) => {
      asked.push(path);
      return 'the release team';
    },
  });
  const call = '<call name="owner_of">\n<arg name="path">src/delivery.ts</arg>\n</call>';
  const script = [call, 'It is owned.', 'It is owned.'];
  const { model } = await door.run('research', {
    question: 'Who retries a delivery?',
    root: createSmallTree(),
    model: door.scriptedModel(script),
    tools: [owner],
  });
  expect([model, asked]).toEqual(['scripted:memory', ['src/delivery.ts']]);
});

describe('several at once in one process', () => {
  it('share the runs and the index without getting into the way of each other', async () => {
    const tree = createSmallTree();
    const options = { root: tree, settings: { model: 'extractive' } };
    const results = await Promise.all(
      [1, 2, 3, 4].map((n) => door.ask(`Who retries a delivery? ${n}`, options)),
    );
    expect(new Set(results.map(({ run_id }) => run_id)).size).toBe(4);
    for (const { status, citations } of results) {
      expect(status).not.toBe('unverified');
      expect(citations.map(({ path }) => path)).toContain('src/delivery.ts');
    }
  });
});

describe('the launcher', () => {
  const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
    (path) =>
      existsSync(path) &&
      Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 26,
  );

  it.skipIf(old === undefined)('goes over to the Node that came with the package', async () => {
    const { stdout } = await run(old!, [launcher, '--version'], { env: environmentOf({}) });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const failed = await run(old!, [launcher, 'show', 'run-nowhere'], { env: environmentOf({}) }).catch(
      (error) => error,
    );
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('run-nowhere') });
  });

  it.each(['library', 'langgraph', 'signals', 'client', 'bench'])(
    'and %s of the library says which Node it needs',
    async (entry) => {
      const asOld = `data:text/javascript,${encodeURIComponent(
        "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });",
      )}`;
      const program = `import ${JSON.stringify(join(root, 'bin', `${entry}.mjs`))};`;
      const args = [`--import=${asOld}`, '--input-type=module', '--eval', program];
      const failed = await run(process.execPath, args, { env: environmentOf({}) }).catch((error) => error);
      expect(failed).toMatchObject({ code: 1 });
      expect(failed.stderr.match(/^.*Sonde needs.*$/m)?.[0]).toBe(
        '[Error: Sonde needs Node 26 or newer, and this is Node 20.0.0. Run your program with one: npm i node@26, then npx node FILE]',
      );
    },
  );
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Fixture, folderFixture } from '../git/repository-fixture.ts';
import { wordFiles } from '../grep/word-files.ts';
import { symbolReader } from '../symbol-reader.ts';
import { syntaxReader } from '../syntax/reader.ts';
import { treeReader } from '../tree-reader.ts';
import { type LanguageServersOptions, languageServers } from './language-servers.ts';
import type { UsesQuestion } from './server.ts';

const fake = join(import.meta.dirname, 'fake-server.contract.ts');
const text = 'def load():\n  return 1\n';
const tree = { 'a.py': text, 'b.py': 'from a import load\nload()\n' };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function opened(
  how: string,
  options: Partial<LanguageServersOptions> = {},
  files: Record<string, string> = tree,
) {
  const place: Fixture = folderFixture(files);
  const folder = mkdtempSync(join(tmpdir(), 'sonde-servers-'));
  const pids = join(folder, 'pids');
  const servers = languageServers({
    root: place.root,
    wishes: { python: { command: [process.execPath, fake, how, pids] } },
    folder,
    searchPath: '',
    home: folder,
    isTrusted: true,
    pause: async () => {},
    ...options,
  });
  ends.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => place.remove(),
    () => servers.close(),
  );
  const uses = (more: Partial<UsesQuestion> = {}) =>
    servers.uses({ path: 'a.py', line: 1, column: 4, text, candidates: new Map(), known: [], ...more });
  const started = (): readonly number[] =>
    existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
  return { place, servers, uses, started };
}

const runs = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const all = {
  kind: 'answered',
  places: [{ path: 'a.py' }, { path: 'b.py', line: 1, column: 14 }, { path: 'b.py', line: 2, column: 0 }],
};

describe('a server of a language', () => {
  it('is started once, answers, and is ended with what it started', async () => {
    const { servers, uses, started } = opened('child');
    expect(await uses()).toMatchObject(all);
    expect(await uses()).toMatchObject(all);
    expect(await servers.hover({ path: 'a.py', line: 1, column: 4, text })).toMatchObject({
      type: '(function) def f() -> int',
    });
    expect(await servers.check('python')).toMatchObject({ kind: 'answered', version: 'fake 1' });
    const [pid] = started();
    expect(started()).toHaveLength(1);
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    expect([runs(pid!), runs(child!)]).toEqual([true, true]);
    await servers.close();
    await vi.waitUntil(() => !runs(pid!) && !runs(child!));
    expect(await uses()).toMatchObject({ kind: 'missing', why: 'it was closed' });
  });

  it('that has not read everything is asked until it has', async () => {
    const { uses } = opened('growing');
    expect(await uses()).toMatchObject(all);
  });

  it.each([
    ['dies', 'it ended'],
    ['dies-late', 'it ended'],
    ['slow', 'it gave no answer in 0.05 s'],
    ['garbled', /no message/],
    ['shapeless', 'what it answers has no shape that is known'],
    ['unsteady', /no two of its answers agreed/],
    ['floods', 'it sent more than 1000000 bytes'],
  ])('that %s is missing, and is left alone in the end', async (how, why) => {
    let time = 0;
    const { uses, started } = opened(how, {
      limits: { failures: 2, askMs: how === 'slow' ? 50 : 60_000, bytes: 1_000_000, firstMs: 1_000 },
      now: () => time,
      pause: async (ms) => {
        time += ms;
      },
    });
    for (let nth = 0; nth < 2; nth += 1)
      expect(await uses()).toMatchObject({
        kind: 'missing',
        why: typeof why === 'string' ? why : expect.stringMatching(why),
      });
    const before = started();
    expect(await uses()).toMatchObject({ why: expect.stringMatching(/^it failed 2 times; the last: /) });
    expect(started()).toEqual(before);
    await vi.waitUntil(() => before.every((pid) => !runs(pid)));
  });

  it('that was killed is missing once, and then started again', async () => {
    const { uses, started } = opened('steady');
    expect(await uses()).toMatchObject(all);
    process.kill(started()[0]!, 'SIGKILL');
    await vi.waitUntil(() => !runs(started()[0]!));
    const next = await uses();
    if (next.kind === 'missing') expect(next.why).toBe('it ended');
    expect(await uses()).toMatchObject(all);
    expect(started()).toHaveLength(2);
  });

  it('names nothing outside of the folder', async () => {
    const { uses } = opened('lies');
    const found = await uses();
    expect(found.kind === 'answered' && [...new Set(found.places.map(({ path }) => path))]).toEqual([
      'a.py',
      'b.py',
      'gone.py',
    ]);
    expect(found).toMatchObject({ outside: 6 });
  });

  it('knows a text as it was read here, and what changed on the disk since', async () => {
    const { uses, place } = opened('steady');
    const moved = `\n${text}`;
    expect(await uses({ text: moved, line: 2 })).toMatchObject({
      places: [{ path: 'a.py', line: 2 }, {}, {}],
    });
    // It was shown for that question alone.
    expect(await uses()).toMatchObject({ places: [{ path: 'a.py', line: 1 }, {}, {}] });
    place.write('b.py', 'from a import load\n');
    expect(await uses({ candidates: new Map([['b.py', 'from a import load\n']]) })).toMatchObject({
      places: [{ path: 'a.py' }, { path: 'b.py', line: 1 }],
    });
  });

  it('is ended when nobody asks, and when the tree is another', async () => {
    let stamp = 'one';
    const { uses, started } = opened('steady', { stamp: () => stamp, limits: { idleMs: 1 } });
    expect(await uses()).toMatchObject(all);
    await vi.waitUntil(() => !runs(started()[0]!));
    const other = opened('steady', { stamp: () => stamp });
    await other.uses();
    stamp = 'two';
    expect(await other.uses()).toMatchObject(all);
    expect(other.started()).toHaveLength(2);
  });

  it('is not waited for by who has gone', async () => {
    const { uses } = opened('slow', { limits: { askMs: 600_000 } });
    const off = new AbortController();
    const asked = uses({ signal: off.signal });
    off.abort();
    expect(await asked).toMatchObject({ kind: 'missing', why: 'it was not waited for' });
  });
});

describe('programs that are no servers here', () => {
  it.each([
    ['is not installed', ['nowhere-to-be-found'], true, 'nowhere-to-be-found is not installed'],
    [
      'is not installed, in a folder that is not trusted',
      ['nowhere-to-be-found'],
      false,
      'nowhere-to-be-found is not installed',
    ],
    ['may not be run', [join(import.meta.dirname, 'programs.ts')], true, /programs\.ts is not executable$/],
    ['is no whole path', ['./server'], true, './server is no whole path'],
    [
      'is not known, where the folder is not trusted',
      [process.execPath, fake],
      false,
      /it is not known that .* runs nothing/,
    ],
  ])('%s', async (_, command, isTrusted, why) => {
    const { uses } = opened('steady', { wishes: { python: { command } }, isTrusted });
    expect(await uses()).toMatchObject({
      kind: 'missing',
      why: typeof why === 'string' ? why : expect.stringMatching(why),
    });
  });

  it('lies in the folder that it is to read', async () => {
    const { place, uses, servers } = opened('steady');
    const planted = join(place.root, 'pyright-langserver');
    writeFileSync(planted, `#!/bin/sh\ntouch ${place.root}/canary\n`, { mode: 0o755 });
    for (const [command, searchPath] of [
      [[planted], ''],
      [['pyright-langserver'], `relative:${place.root}`],
    ] as const) {
      const own = languageServers({
        root: place.root,
        wishes: { python: { command } },
        folder: join(place.root, '..', 'none'),
        searchPath,
        home: '',
        isTrusted: true,
      });
      expect(
        await own.uses({ path: 'a.py', line: 1, column: 4, text, candidates: new Map(), known: [] }),
      ).toMatchObject({
        why: expect.stringMatching(/lies in the folder itself$/),
      });
    }
    expect(existsSync(join(place.root, 'canary'))).toBe(false);
    await uses();
    await servers.close();
  });

  it('could run what an untrusted folder holds: refused, with the remedy', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-programs-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'rust-analyzer'), '#!/bin/sh\n', { mode: 0o755 });
    const { servers } = opened('steady', { wishes: { rust: {} }, searchPath: folder, isTrusted: false });
    expect(await servers.check('rust')).toMatchObject({
      why: expect.stringMatching(/^rust-analyzer could run what the folder holds/),
      remedy: expect.stringContaining('trusted_projects'),
    });
  });
});

it('a server that dies in the middle of a listing leaves what syntax knows', async () => {
  const { place, servers } = opened('dies-late', {}, tree);
  const syntax = syntaxReader();
  ends.push(() => syntax.close());
  const { root } = place;
  const reader = symbolReader({
    root,
    reader: treeReader({ root }),
    words: wordFiles({ root }),
    syntax,
    servers,
    limitMs: 600_000,
  });
  expect(await reader.references({ symbol: 'a.py#load' })).toMatchObject({
    kind: 'listed',
    completeness: 'complete',
    why: [expect.stringMatching(/gave no answer: it ended$/)],
    rows: [
      { path: 'b.py', line: 1, sure: true },
      { path: 'b.py', line: 2, sure: true },
    ],
  });
});

it('its process ends by itself once the server is closed', () => {
  const { place } = opened('steady');
  const folder = mkdtempSync(join(tmpdir(), 'sonde-servers-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const options = {
    root: place.root,
    wishes: { python: { command: [process.execPath, fake, 'child'] } },
    folder,
    searchPath: '',
    home: folder,
    isTrusted: true,
  };
  const question = { path: 'a.py', line: 1, column: 4, text, known: [] };
  const code = `
    import { languageServers } from ${JSON.stringify(join(import.meta.dirname, 'language-servers.ts'))};
    const servers = languageServers(${JSON.stringify(options)});
    const { kind } = await servers.uses({ ...${JSON.stringify(question)}, candidates: new Map() });
    await servers.close();
    console.log(kind);`;
  // One whose await never settles ends with 13.
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })).toBe(
    'answered\n',
  );
});

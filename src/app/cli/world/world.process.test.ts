/** The commands of the world as real processes: a vault in and out, the person's own edits, the author's desk. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../core/index.ts';
import { type WriteRequest, worldWrite } from '../../../world/index.ts';
import { launcher, newHome, startSonde } from '../../testbed/run-sonde.ts';
import { sonde } from '../../testbed/sonde-here.ts';
import { type OpenWorkspace, openWorkspace } from '../../workspace/workspace.ts';

const notes = {
  'Plan.md': '---\ntags: [work]\n---\n# Plan\n\nShip the parcel on Friday.\r\n\nSee [[Team/Ann]].\n',
  'Team/Ann.md': '# Ann\n\nKnows the [[Plan]]. #people\n',
  'Team/日本.md': '東京 ![](photo.png)\n',
  'Team/photo.png': 'PNG',
};

function folderOf(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-notes-')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const textsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

interface Desk {
  readonly home: string;
  readonly root: string;
  /** Standard output of a command that must end well. */
  run(...args: string[]): Promise<string>;
  json(...args: string[]): Promise<ReturnType<typeof JSON.parse>>;
  inside<Value>(work: (open: OpenWorkspace) => Value): Promise<Value>;
}

async function desk(files: Readonly<Record<string, string>> = notes): Promise<Desk> {
  const home = newHome();
  const root = folderOf(files);
  const run = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await sonde(['world', ...args], { home });
    expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({ args, status: 0, stderr: '' });
    return stdout;
  };
  await run('import', root);
  return {
    home,
    root,
    run,
    json: async (...args) => JSON.parse(await run(...args, '--json')),
    async inside(work) {
      const open = await openWorkspace(join(home, 'data', 'workspaces', 'main.db'), { make: false });
      try {
        return work(open);
      } finally {
        open.close();
      }
    },
  };
}

const agent: Caller = { kind: 'agent', name: 'helper', device: 'd', thread: null, channel: null };

function submit(
  { world }: OpenWorkspace,
  request: Omit<WriteRequest, 'caller' | 'source' | 'idempotencyKey'>,
) {
  const result = world.submit(
    worldWrite({ caller: agent, source: 'test', idempotencyKey: null, ...request }),
  );
  if (result.kind === 'refused') throw new Error(result.message);
  return result;
}

/** An editor: a script that is given the file. */
function editor(script: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'sonde-editor-')), 'editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const errorOf = async (args: string[], around: { home: string; env?: Record<string, string> }) => {
  const { status, stdout } = await sonde(['world', ...args, '--json'], around);
  return { status, ...JSON.parse(stdout).error };
};

describe('a vault', () => {
  it('is analysed without a trace, brought in, listed, read, and written back byte for byte', async () => {
    const home = newHome();
    const root = folderOf(notes);
    const before = readdirSync(home);
    const planned = await sonde(['world', 'import', root, '--dry-run', '--json'], { home });
    expect(JSON.parse(planned.stdout)).toMatchObject({
      pages: { new: 3 },
      attachments: { new: 1 },
      links: { resolved: 3, unresolved: 0 },
    });
    expect(readdirSync(home)).toEqual(before);
    const said = (await sonde(['world', 'import', root, '--dry-run'], { home })).stdout;
    expect(said).toMatch(/3 would be new[\s\S]*Nothing was written/);

    const done = JSON.parse((await sonde(['world', 'import', root, '--json'], { home })).stdout);
    expect(done).toMatchObject({ run: expect.stringMatching(/^imp-/), pages: { new: 3 }, problems: [] });
    const listed = JSON.parse((await sonde(['world', 'ls', '--json'], { home })).stdout);
    expect(listed.map(({ path }: { path: string }) => path)).toEqual(['Plan', 'Team/Ann', 'Team/日本']);
    expect((await sonde(['world', 'ls', 'Team', '--tag', '#people'], { home })).stdout).toMatch(
      /^Draft +pg-\w+ {2}Team\/Ann\n$/,
    );
    expect((await sonde(['world', 'ls', '--tags'], { home })).stdout).toMatch(/1\t#people\n1\t#work/);
    expect((await sonde(['world', 'read', 'Ann'], { home })).stdout).toBe(
      '# Ann\n\nKnows the [[Plan]]. #people\n',
    );
    expect((await sonde(['world', 'read', 'Plan', '--links'], { home })).stdout).toMatch(
      /Team\/Ann -> Team\/Ann\n.*link here: 1\n {2}Team\/Ann/,
    );
    const [hit] = JSON.parse((await sonde(['world', 'search', 'parcel friday', '--json'], { home })).stdout);
    expect(hit).toMatchObject({
      path: 'Plan',
      lifecycle: 'Draft',
      snippet: expect.stringContaining('Friday'),
    });

    const to = join(newHome(), 'out');
    expect((await sonde(['world', 'export', to], { home })).stdout).toContain('3 pages written');
    expect(textsOf(to)).toEqual(textsOf(root));
    expect(await errorOf(['export', to], { home })).toMatchObject({ status: 2, code: 'bad_argument' });
  });

  it('again brings in what changed; an import can be taken back', async () => {
    const { root, run, json } = await desk();
    expect(await run('import', root)).toContain('Nothing had changed.');
    writeFileSync(join(root, 'Plan.md'), 'Other.\n');
    const { run: id, pages } = await json('import', root);
    expect(pages).toMatchObject({ changed: 1, unchanged: 2 });
    expect(await run('read', 'Plan')).toBe('Other.\n');
    expect(await run('undo')).toContain(id);
    expect(await run('undo', id)).toContain('1 restored');
    expect(await run('read', 'Plan')).toContain('Ship the parcel');
    expect((await json('undo')).map(({ undone }: { undone: number | null }) => undone !== null)).toContain(
      true,
    );
  });

  it('Ctrl-C ends an import with what was brought in; the same command goes on', async () => {
    const home = newHome();
    const root = folderOf(
      Object.fromEntries(
        Array.from({ length: 1500 }, (_, n) => [`n${n % 40}/${n}.md`, `# ${n}\n\ntext\n\nmore\n`]),
      ),
    );
    const started = startSonde(['world', 'import', root, '--json'], { home });
    const database = join(home, 'data', 'workspaces', 'main.db-wal');
    // The first transactions are there.
    await started.waitFor(() => existsSync(database) && statSync(database).size >= 700_000);
    started.child.kill('SIGINT');
    const { status, stdout } = await started.ended;
    const first = JSON.parse(stdout);
    expect([status, first.interrupted]).toEqual([130, true]);
    const second = JSON.parse((await sonde(['world', 'import', root, '--json'], { home })).stdout);
    expect(second).toMatchObject({ run: first.run, resumed: true, interrupted: false });
    expect(second.pages.new + first.pages.new).toBe(1500);
    expect(second.pages.unchanged).toBe(first.pages.new);
  });
});

describe('which workspace', () => {
  it('by name, by path, by the environment', async () => {
    const home = newHome();
    const root = folderOf({ 'a.md': 'a' });
    const file = join(newHome(), 'mine.db');
    await sonde(['world', 'import', root, '--workspace', 'second world'], { home });
    await sonde(['world', 'import', root, '--workspace', file], { home });
    expect(existsSync(join(home, 'data', 'workspaces', 'second world.db'))).toBe(true);
    expect(statSync(file).mode & 0o077).toBe(0);
    const listed = await sonde(['world', 'ls'], { home, env: { SONDE_WORKSPACE: file } });
    expect(listed.stdout).toMatch(/ a\n$/);
  });

  it.each([
    [['ls'], 2, 'not_found', /main\.db yet/],
    [['ls', '--workspace', '../..'], 1, 'store_unusable', /./],
    [['ls', '--workspace', 'a|b'], 2, 'bad_argument', /not a valid workspace name/],
    [['ls', '--limit', '0'], 2, 'bad_argument', /--limit/],
    [['import', '/nonexistent/notes'], 2, 'not_found', /nonexistent/],
    [['inbox', '--limit', 'many'], 2, 'bad_argument', /many/],
    [['nonsense'], 2, 'bad_argument', /nonsense/],
    [['read'], 2, 'bad_argument', /page/],
  ])('%j', async (args, status, code, message) => {
    const found = await errorOf(args, { home: newHome() });
    expect(found).toMatchObject({ status, code, message: expect.stringMatching(message) });
    expect(found.remedy).not.toBe('');
  });

  it('names that are not there', async () => {
    const { home } = await desk();
    for (const args of [
      ['read', 'Nowhere'],
      ['history', 'Nowhere'],
      ['promote', 'Nowhere'],
      ['inbox', 'dv-none'],
      ['undo', 'imp-none'],
      ['export', '/tmp/x', '--under', 'Nowhere'],
    ])
      expect(await errorOf(args, { home })).toMatchObject({ status: 2, code: 'not_found' });
    expect(await errorOf(['resolve', 'dv-none', '--keep'], { home })).toMatchObject({ status: 2 });
    expect(await errorOf(['resolve', 'dv-none'], { home })).toMatchObject({
      status: 2,
      code: 'bad_argument',
    });
  });
});

it('a note that the workspace refuses has its reason, and is not told as one of another page', async () => {
  const { run } = await desk();
  const root = folderOf({ 'Long.md': 'x'.repeat(4_000_001), 'Short.md': 'Short.' });
  const told = await run('import', root);
  expect(told).toContain('1 were refused: the notes say why');
  expect(told).toMatch(/Long\.md: refused: .* 4000001 characters/);
  expect(told).not.toContain('another page');
});

describe('a person edits', () => {
  it('from a file: the page is theirs, Canonical, and made where it is not there', async () => {
    const { home, root, run, json } = await desk();
    const text = join(root, '..', `${root.slice(-6)}.txt`);
    writeFileSync(text, '# Plan\n\nShip on Monday.\n');
    expect(await json('edit', 'Plan', '--from', text)).toMatchObject({ path: 'Plan', change: 'updated' });
    expect(await json('edit', 'Plan', '--from', text)).toMatchObject({ change: 'unchanged' });
    expect(await json('edit', 'New/Page', '--from', text)).toMatchObject({ change: 'created' });
    expect(await json('edit', 'Ann', '--from', text)).toMatchObject({ path: 'Team/Ann', change: 'updated' });
    expect(await json('edit', '/Ann', '--from', text)).toMatchObject({ path: 'Ann', change: 'created' });
    const pages = await json('ls');
    expect(
      pages.map((page: Record<string, string>) => `${page['path']} ${page['origin']} ${page['lifecycle']}`),
    ).toEqual([
      'Ann Authored Canonical',
      'New/Page Authored Canonical',
      'Plan Imported Canonical',
      'Team/Ann Imported Canonical',
      'Team/日本 Imported Draft',
    ]);
    const history = await run('history', 'Plan', '--diff');
    expect(history).toMatch(/update_page {2}user .*sonde world edit\n/);
    expect(history).toMatch(/create_page {2}import vault {2}imp-\w+:Plan\.md/);
    writeFileSync(join(root, 'Plan.md'), 'From the file.\n');
    expect(await run('import', root)).toMatch(/1 changed in the workspace too, and wait for you/);
    expect(await run('read', 'Plan')).toContain('Monday');
    // The end of the page stays as it is, though what `read` prints ends with a newline.
    writeFileSync(text, 'No end');
    await json('edit', 'End', '--from', text);
    const piped = { home, input: 'New end\n' };
    expect((await sonde(['world', 'edit', 'End', '--from', '-'], piped)).stdout).toBe('End: saved\n');
    writeFileSync(text, 'New end');
    expect(await json('edit', 'End', '--from', text)).toMatchObject({ change: 'unchanged' });
  });

  it('in the editor that the environment names', async () => {
    const { home, run } = await desk();
    const env = { EDITOR: editor('sed -i "s/Friday/Tuesday/" "$1"') };
    const saved = await sonde(['world', 'edit', 'Plan'], { home, env });
    expect(saved).toMatchObject({ status: 0, stdout: 'Plan: saved\n' });
    expect(await run('read', 'Plan')).toContain('on Tuesday');
    expect((await sonde(['world', 'edit', 'Plan'], { home, env })).stdout).toBe('Plan: nothing changed\n');
    const words = { VISUAL: `${editor('printf made > "$2"')} --wait` };
    expect((await sonde(['world', 'edit', 'A/New one'], { home, env: words })).stdout).toBe(
      'A/New one: made\n',
    );
    expect(await errorOf(['edit', 'Plan'], { home })).toMatchObject({ status: 1, code: 'tool_missing' });
    expect(await errorOf(['edit', 'Plan'], { home, env: { EDITOR: editor('exit 3') } })).toMatchObject({
      status: 1,
      code: 'tool_failed',
    });
    expect(await errorOf(['edit', 'Other'], { home, env: { EDITOR: 'true' } })).toMatchObject({ status: 2 });
  });

  it('a text that was typed while the page changed waits, and is not lost', async () => {
    const { home, run } = await desk();
    const other = join(newHome(), 'other.md');
    writeFileSync(other, 'Meanwhile.\n');
    const env = {
      EDITOR: editor(
        `"${process.execPath}" "${launcher}" world edit Plan --from "${other}" && printf 'Typed.\\n' > "$1"`,
      ),
    };
    const { stdout } = await sonde(['world', 'edit', 'Plan'], { home, env });
    expect(stdout).toMatch(/your text waits: sonde world resolve dv-/);
    expect(await run('read', 'Plan')).toBe('Meanwhile.\n');
    expect(await run('inbox')).toContain('{+Typed+}');
  });
});

describe("the author's desk", () => {
  it('shows what waits with its difference, and does what is decided', async () => {
    const { home, run, json, inside } = await desk();
    await run('promote', 'Plan');
    const made = await inside((open) => {
      const [plan, ann] = [open.world.page('Plan')!.id, open.world.page('Ann')!.id];
      const line = open.world.read(plan)!.blocks.find(({ text }) => text.includes('Friday'))!.id;
      return {
        summary: submit(open, {
          operation: { op: 'create_page', path: 'Summary', text: 'Parcel on Friday.\n' },
          derivedFrom: [plan, ann],
        }).content_ids[0]!,
        rubbish: submit(open, { operation: { op: 'create_page', path: 'Rubbish', text: 'x' } })
          .content_ids[0]!,
        held: [1, 2, 3].map(
          (n) =>
            submit(open, {
              operation: { op: 'update_block', block: line, text: `Ship ${n} parcels on Friday.\n\n` },
            }).deviation_ids[0]!,
        ),
      };
    });
    const inbox = await run('inbox');
    expect(inbox).toContain('{+1+}');
    for (const id of [made.summary, made.rubbish, ...made.held]) expect(inbox).toContain(id);
    const items = await json('inbox');
    const standings = items.map(({ standing }: { standing: number }) => standing);
    expect(standings).toEqual([...standings].sort((a: number, b: number) => b - a));
    expect(await run('read', 'Plan')).toContain('Ship the parcel');

    await run('reject', made.rubbish);
    const summary = items.find(({ id }: { id: string }) => id === made.summary);
    const named = `${made.summary}@${summary.revision}`;
    expect(await json('promote', named)).toMatchObject([{ content: made.summary, applied: true }]);
    expect((await json('ls')).map(({ path }: { path: string }) => path)).toContain('Summary');
    const text = join(newHome(), 'text.md');
    writeFileSync(text, 'Ship all parcels on Friday.\n\n');
    await run('resolve', made.held[0]!, '--keep', '--note', 'one is enough');
    expect(await run('read', 'Plan')).toContain('Ship the parcel');
    await run('inbox', made.held[1]!);
    expect(await json('resolve', made.held[1]!, '--accept')).toMatchObject({ decision: 'accepted' });
    expect(await errorOf(['resolve', made.held[2]!, '--accept'], { home })).toMatchObject({
      status: 2,
      code: 'stale',
    });
    expect(await run('read', 'Plan')).toContain('Ship 2 parcels');
    await run('resolve', made.held[2]!, '--text', text);
    expect(await run('read', 'Plan')).toContain('Ship all parcels');

    const [flag] = await json('inbox');
    expect(flag).toMatchObject({ kind: 'flag', content_id: made.summary, path: 'Summary' });
    expect(await run('inbox', flag.id)).toContain('which it derives from, was changed');
    await run('resolve', flag.id);
    expect(await json('inbox')).toEqual([]);
    const decided = await inside(({ world }) => world.deviations().map(({ resolution }) => resolution));
    expect(decided).toEqual(['keep: one is enough', 'accept', 'text']);
  });

  it('an act on what is not there, or is done, is an error', async () => {
    const { home, run } = await desk();
    await run('promote', 'Plan');
    expect(await errorOf(['promote', 'Plan'], { home })).toMatchObject({ status: 2, code: 'bad_argument' });
    expect(await errorOf(['reject', 'Plan'], { home })).toMatchObject({ status: 2, code: 'bad_argument' });
    expect(await errorOf(['resolve', 'fl-x', '--keep'], { home })).toMatchObject({
      status: 2,
      code: 'bad_argument',
    });
  });
});

it('text from pages never reaches the terminal as orders', async () => {
  const bell = '\u001b]0;owned\u0007\u001b[2J\u202e';
  const { run, home, inside } = await desk({ 'a.md': `# ${bell}x\n\n${bell}\n`, [`b\u001b[31m.md`]: 'b' });
  await inside((open) => {
    submit(open, { operation: { op: 'create_page', path: 'c', text: bell } });
  });
  const outputs = [
    await run('read', 'a'),
    await run('inbox'),
    await run('history', 'a', '--diff'),
    (await sonde(['world', 'search', 'x'], { home })).stdout,
    await run('ls', '--all'),
    (await sonde(['world', 'read', `${bell}`], { home })).stderr,
    await run('read', 'a', '--json'),
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  for (const output of outputs) expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

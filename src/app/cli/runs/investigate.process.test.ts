/** `sonde investigate` with no key and no network, over a folder and a workspace. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newHome } from '../../testbed/run-sonde.ts';
import { createLargerTree } from '../../testbed/small-tree.ts';
import { sonde } from '../../testbed/sonde-here.ts';

const question = 'How is a failed delivery retried?';
const code = (...lines: readonly string[]) => `\`\`\`python\n${lines.join('\n')}\n\`\`\``;

function scriptFile(...lines: readonly unknown[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'sonde-script-')), 'script.jsonl');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

describe('without a key', () => {
  const home = newHome();
  const tree = createLargerTree();
  let run = '';

  it('finds, quotes and cites; prints one object of at most 4 KB', async () => {
    const { status, stdout, stderr } = await sonde(['investigate', question, tree, '--json'], { home });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(Buffer.byteLength(stdout.trim())).toBeLessThanOrEqual(4096);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      stop_reason: 'finalized',
      verification: 'quotes',
      proposed_writes: [],
      spent: { tokens: 0 },
    });
    expect(result.citations.map(({ path }: { path: string }) => path)).toContain('src/delivery.ts');
    run = result.run_id;
  });

  it('can be opened, run again and taken up', async () => {
    const cells = await sonde(['show', run, '--cells'], { home });
    expect(cells.stdout).toMatch(/^# root, depth 0/);
    expect(cells.stdout).toContain('kb_search(QUESTION, wide=True)');
    expect(cells.stdout).toMatch(/- `kb_read` `src\/delivery\.ts/);
    const again = await sonde(['replay', run, '--json'], { home });
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/1 cell was run again with \d+ units of fuel: all as recorded/),
    });
    expect(JSON.parse(again.stdout).answer).toBe(
      JSON.parse((await sonde(['resume', run, '--json'], { home })).stdout).answer,
    );
    const shown = (await sonde(['show', run], { home })).stdout;
    expect(shown).toMatch(/^# Run/);
    expect(shown).toMatch(/1 cell ran; [\d,]+ units of fuel\. .*: `sonde show run-\w+ --cells`/);
    expect(JSON.parse((await sonde(['show', run, '--json'], { home })).stdout)).toMatchObject({
      investigation: { cells: 1 },
    });
  });

  it.each([
    [['investigate', '', '.'], /The question is empty/],
    [['investigate', 'x', '/nowhere/at/all'], /nowhere/],
    [['investigate', 'x', '.', '--workspace', 'main'], /Both a folder and a workspace/],
    [['investigate', 'x', '.', '--depth', '9'], /--depth is "9"/],
    [['investigate', 'x', '.', '--propose'], /Only an investigation of a workspace/],
    [['investigate', 'x', '.', '--context', '/nowhere.txt'], /no such file/],
    [['investigate', 'x', '.', '--scope', '../x'], /leads out/],
    [['investigate', 'x', '--workspace', 'nothing-here'], /no workspace/],
  ])('%j is refused, with what to do', async (args, message) => {
    const { status, stderr } = await sonde(args, { home, cwd: tree });
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('lists the files there are, without reading them', async () => {
    const script = scriptFile(code('FINAL({"all": kb_list(), "some": kb_list("*.md")})'));
    const { stdout } = await sonde(
      ['investigate', 'which?', tree, '--model', `scripted:${script}`, '--json'],
      { home },
    );
    const { answer, read_trail } = JSON.parse(stdout);
    expect(answer.all).toContain('src/delivery.ts');
    expect(answer.all).toEqual(answer.all.toSorted());
    expect(answer.some).toContain('filler.md');
    expect(answer.some.every((path: string) => path.endsWith('.md'))).toBe(true);
    expect(read_trail.count).toBe(0);
  });

  it('goes by its settings', async () => {
    const env = {
      ...{ SONDE_WIDE_HITS: '3', SONDE_INVESTIGATION_TURNS: '7', SONDE_ASK_WIDTH: '8' },
      ...{ SONDE_REPLY_TOKENS: '900', SONDE_CALL_TIMEOUT: '90s' },
    };
    const script = scriptFile(code('FINAL(len(kb_search("delivery", wide=True)))'));
    const args = ['investigate', question, tree, '--json', '--model', `scripted:${script}`];
    const { stdout } = await sonde(args, { home, env });
    expect(JSON.parse(stdout)).toMatchObject({ answer: 3 });
    const { run_id } = JSON.parse(stdout);
    const trace = (await sonde(['show', run_id, '--trace'], { home })).stdout;
    expect(trace.replaceAll(/\s/g, '')).toMatch(/"turns":7.*"reply_tokens":900.*"call_ms":90000/);
  });

  it('takes a context and the form of an answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-given-'));
    writeFileSync(join(folder, 'context.json'), JSON.stringify({ rows: [1, 2, 3] }));
    writeFileSync(join(folder, 'schema.json'), JSON.stringify({ type: 'integer' }));
    const script = scriptFile(code('FINAL(sum(context["rows"]))'));
    const args = ['--context', join(folder, 'context.json'), '--schema', join(folder, 'schema.json')];
    const { stdout } = await sonde(
      ['investigate', 'the sum?', tree, ...args, '--model', `scripted:${script}`, '--json'],
      { home },
    );
    expect(JSON.parse(stdout)).toMatchObject({ stop_reason: 'finalized', answer: 6 });
  });
});

describe('over a workspace', () => {
  const home = newHome();
  beforeAll(async () => {
    const vault = mkdtempSync(join(tmpdir(), 'sonde-vault-'));
    writeFileSync(
      join(vault, 'Harbour.md'),
      '# Harbour\n\nThe harbour of Vell closes at dusk.\n\nIts master is Ona Reth.\n',
    );
    writeFileSync(join(vault, 'Ona Reth.md'), '# Ona Reth\n\nShe keeps the keys of the [[Harbour]].\n');
    writeFileSync(
      join(vault, 'Filler.md'),
      'Nothing of this bears on anything that is asked here.\n\n'.repeat(1200),
    );
    const { status, stderr } = await sonde(['world', 'import', vault], { home });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });

  it('reads pages, proposes, and hands proposals over as candidates that rest on what was read', async () => {
    const script = scriptFile(
      code(
        'hits = kb_search("harbour master")',
        'assert kb_list() == ["Filler", "Harbour", "Ona Reth"] and kb_list("Ona*") == ["Ona Reth"]',
        'pages = [kb_read(path) for path in sorted({h.path for h in hits}) if path != "Filler"]',
        'print([(p.path, len(p)) for p in pages])',
      ),
      code(
        'n, line = next((n, line) for n, line in pages[0].lines if "master" in line)',
        'propose_write("create_page", path="Reports/Harbour", text="The master is Ona Reth.\\n")',
        'propose_write("add_block", page="Harbour", text="See the report.\\n")',
        'FINAL("Its master is Ona Reth " + cite(pages[0].path, n) + ".")',
      ),
    );
    const { stdout, stderr, status } = await sonde(
      [
        'investigate',
        'who is the harbour master?',
        '--workspace',
        'main',
        '--propose',
        '--model',
        `scripted:${script}`,
        '--json',
      ],
      { home },
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      stop_reason: 'finalized',
      verification: 'verified',
      citations: [{ path: 'Harbour' }],
    });
    expect(result.read_trail.read).toHaveLength(2);
    // What a reader can open; ids are for the derivation, in the record.
    expect(result.read_trail.read).toContain('Harbour');
    expect(stderr).toMatch(/write-1 applied: pg-/);
    // world.md: Investigation 21: a page of the author takes what an agent adds as a candidate.
    expect(stderr).toMatch(/write-2 (applied|held)/);
    const inbox = JSON.parse((await sonde(['world', 'inbox', '--json'], { home })).stdout);
    expect(JSON.stringify(inbox)).toContain('Reports/Harbour');
    const page = JSON.parse((await sonde(['world', 'read', 'Reports/Harbour', '--json'], { home })).stdout);
    expect(page).toMatchObject({ origin: 'AgentProduced', lifecycle: 'Candidate' });
  });
});

/** The code tools over a real folder with a real history. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createGitHistory, textualDefinitions } from '../../code/index.ts';
import { ripgrep, treeReader } from '../../code/tree.ts';
import type { SpanReply } from '../../core/index.ts';
import { capabilitySet } from '../capability-sets.ts';
import { openToolHost } from '../open-host.ts';
import { createCall } from '../testbed/plain-tools.ts';
import { type CodeMaterial, codeTools } from './code-tools.ts';

const root = mkdtempSync(join(tmpdir(), 'sonde-code-tools-'));
afterAll(() => rmSync(root, { recursive: true }));
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args]);
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
write('src/session.py', 'class Session:\n    ttl = 60\n\n    def expire(self):\n        return self.ttl\n');
write('src/long.txt', `${Array.from({ length: 500 }, (_, n) => `line ${n + 1}`).join('\n')}\n`);
write('docs/guide.md', 'Sessions expire.\n');
write('.env', 'TOKEN=xyzzy\n');
git('init', '-q');
git('add', '.');
git('commit', '-qm', 'Expire sessions');

let opened = 0;
const found: SpanReply = {
  hits: [
    { path: 'src/session.py', start: 4, end: 5, score: 2, provenance: 'bm25' },
    { path: 'docs/guide.md', start: 1, end: 1, score: 1, provenance: 'bm25' },
    { path: 'gone.py', start: 1, end: 2, score: 0.5, provenance: 'bm25' },
    { path: '.env', start: 1, end: 1, score: 0.4, provenance: 'bm25' },
  ],
  completeness: 'complete',
  notes: [],
};
async function material(): Promise<CodeMaterial> {
  opened += 1;
  const [text, grep] = [treeReader({ root }), ripgrep({ root })];
  return {
    search: { search: async () => found },
    text,
    grep,
    past: createGitHistory({ root }),
    definitions: textualDefinitions({ grep, reader: text }),
  };
}
const host = openToolHost({ tools: codeTools(material) });
const call = createCall({ capabilities: capabilitySet('external') });

interface Case {
  readonly tool: string;
  readonly args: object;
  readonly text: RegExp;
  readonly spans?: readonly string[];
  readonly completeness: string;
}
const cases: readonly Case[] = [
  {
    tool: 'hybrid_search',
    args: { query: 'expire' },
    text: /^src\/session\.py:4-5\n {4}def expire/,
    spans: ['src/session.py:4-5', 'docs/guide.md:1-1'],
    completeness: 'partial',
  },
  {
    tool: 'hybrid_search',
    args: { query: 'expire', scope: 'docs' },
    text: /Sessions expire/,
    spans: ['docs/guide.md:1-1'],
    completeness: 'complete',
  },
  {
    tool: 'open_span',
    args: { file_path: './src/session.py', start_line: 2, end_line: 3 },
    text: /ttl = 60/,
    spans: ['src/session.py:2-3'],
    completeness: 'complete',
  },
  {
    tool: 'open_span',
    args: { file_path: 'src/long.txt', start_line: 10 },
    text: /line 209$/,
    spans: ['src/long.txt:10-209'],
    completeness: 'complete',
  },
  {
    tool: 'open_span',
    args: { file_path: 'src/long.txt', end_line: 400 },
    text: /line 200$/,
    spans: ['src/long.txt:1-200'],
    completeness: 'partial',
  },
  {
    tool: 'grep',
    args: { pattern: 'ttl' },
    text: /^src\/session\.py:2: ttl = 60\n.*:5: /,
    completeness: 'complete',
  },
  { tool: 'grep', args: { pattern: 'line', limit: 3 }, text: /line 3$/, completeness: 'partial' },
  { tool: 'grep', args: { pattern: 'xyzzy' }, text: /No line matches/, completeness: 'complete' },
  {
    tool: 'find_definition',
    args: { symbol: 'expire' },
    text: /def expire/,
    spans: ['src/session.py:4-5'],
    completeness: 'unknown',
  },
  { tool: 'find_definition', args: { symbol: 'nothing_here' }, text: /recognised/, completeness: 'unknown' },
  { tool: 'git_log', args: { path: 'src' }, text: /Ada: Expire sessions/, completeness: 'complete' },
  { tool: 'git_pickaxe', args: { text: 'ttl' }, text: /Expire sessions/, completeness: 'complete' },
  {
    tool: 'git_blame',
    args: { file_path: 'src/session.py', start_line: 1, end_line: 2 },
    text: /^1 [0-9a-f]{12} \d{4}-\d\d-\d\d Ada: class Session:\n2 /,
    completeness: 'complete',
  },
];

describe('code tools', () => {
  it('open the folder when they are first used', () => {
    expect(host.list()).toHaveLength(15 + 4);
    expect(opened).toBe(0);
  });

  it.each(cases)('$tool $args', async ({ tool, args, text, spans, completeness }) => {
    const result = await host.callTool(tool, args, call);
    expect(result).toMatchObject({ ok: true, text: expect.stringMatching(text), completeness });
    if (!result.ok || spans === undefined) return;
    expect(result.evidence.map((one) => `${one.file_path}:${one.start_line}-${one.end_line}`)).toEqual(spans);
  });

  it.each<[string, string, object, string]>([
    ['a path that leads out', 'open_span', { file_path: '../x' }, 'outside_root'],
    ['an absolute path', 'open_span', { file_path: '/etc/passwd' }, 'outside_root'],
    ['a file that holds secrets', 'open_span', { file_path: '.env' }, 'outside_root'],
    ['blame of it', 'git_blame', { file_path: '.env', start_line: 1, end_line: 1 }, 'outside_root'],
    ['history outside the scope', 'git_log', { path: 'src', scope: 'docs' }, 'outside_root'],
    ['a pattern that is none', 'grep', { pattern: '(' }, 'bad_pattern'],
    ['a scope that leads out', 'grep', { pattern: 'x', scope: '../**' }, 'bad_pattern'],
  ])('%s', async (_name, tool, args, error) => {
    const result = await host.callTool(tool, args, call);
    expect(result).toMatchObject({ ok: false, error: { code: 'validation', details: { error } } });
  });

  it('a file that is not there, and lines past its end', async () => {
    for (const args of [{ file_path: 'none.py' }, { file_path: 'docs/guide.md', start_line: 9 }])
      expect(await host.callTool('open_span', args, call)).toMatchObject({
        ok: false,
        error: { code: 'validation' },
      });
  });
});

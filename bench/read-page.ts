/**
 * What a page costs whoever reads it over the tools: the text of `read_page`, in tokens (o200k) of the file it came from.
 *
 * `node bench/read-page.ts VAULT ... [--pages 200]`: folders of Markdown. Of each so many pages are read, the same from
 * run to run. Pages whose result is cut are counted apart.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { tokensOf } from './dialogue/tokens.ts';
import { vaultFiles } from './pages-links.ts';

const { values, positionals: vaults } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: 'string', default: '200' } },
});
const wanted = Number(values.pages);
if (vaults.length === 0) {
  console.log('Name a folder of Markdown, or several.');
  process.exit(2);
}

const sonde = fileURLToPath(new URL('../bin/sonde.mjs', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'sonde-read-page-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'] ?? '', HOME: work, SONDE_HOME: join(work, 'home') };

interface Read {
  readonly file: number;
  readonly text: number;
}

/** In an order that says nothing about the pages, and is the same each time. */
const spread = (paths: readonly string[]): string[] =>
  [...paths].sort((a, b) => digest(a).localeCompare(digest(b)));
const digest = (path: string) => createHash('sha256').update(path).digest('hex');

async function readPages(vault: string, workspace: string): Promise<readonly (Read | 'cut')[]> {
  const files = vaultFiles(vault);
  execFileSync(process.execPath, [sonde, 'world', 'import', vault, '--workspace', workspace], {
    env,
    stdio: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode: 'auto' } });
  const args = [sonde, 'mcp', '--workspace', workspace];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  const reads: (Read | 'cut')[] = [];
  for (const path of spread([...files.keys()])) {
    if (reads.length === wanted) break;
    const own = files.get(path)!;
    if (own.trim() === '') continue;
    const page = path.replace(/\.md$/, '');
    const { content, isError } = await client.callTool({ name: 'read_page', arguments: { page } });
    const parts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (isError) throw new Error(`${page}: ${parts.join(' ')}`);
    const text = parts.join('\n');
    reads.push(text.includes('result_id') ? 'cut' : { file: tokensOf(own), text: tokensOf(text) });
  }
  await client.close();
  return reads;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

for (const [index, given] of vaults.entries()) {
  const vault = resolve(given);
  const all = await readPages(vault, `vault-${index}`);
  const reads = all.filter((read) => read !== 'cut');
  const sum = (of: keyof Read) => reads.reduce((total, read) => total + read[of], 0);
  const ratios = reads.map(({ file, text }) => text / file).sort((a, b) => a - b);
  const at = (part: number) => (ratios[Math.floor((ratios.length - 1) * part)] ?? Number.NaN).toFixed(2);
  console.log(
    `${basename(vault)}: ${reads.length} pages of ${whole(sum('file'))} tokens read as ${whole(sum('text'))}: ` +
      `${(sum('text') / sum('file')).toFixed(2)} times (a page: median ${at(0.5)}, nine of ten below ${at(0.9)}); ` +
      `${all.length - reads.length} cut`,
  );
}

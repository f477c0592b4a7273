/**
 * Real servers from npm as systems to look at. They bring a hundred packages, so they are no dependency: the
 * variable MCP_SERVERS names a folder in which
 * `npm install @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem` was run.
 */
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Signal } from '../../core/index.ts';
import { type OpenServers, openMcpServers } from './mcp.ts';

const folder = process.env['MCP_SERVERS'];
/** Where CI is set, a missing folder is a failure. */
const skipped = folder === undefined && process.env['CI'] === undefined;
const runbooks = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-runbooks-')));
writeFileSync(join(runbooks, 'orders.md'), 'Restart orders. password=hunter2-secret\n');

describe.skipIf(skipped)(
  `servers from npm${skipped ? ' (skipped: MCP_SERVERS names no folder)' : ''}`,
  () => {
    let opened: OpenServers;
    const named = (system: string): Signal => opened.signals.find((one) => one.system === system)!;
    const names = (system: string) => named(system).questions.map(({ name }) => name);
    const ask = (system: string, question: string, args: object) => {
      const to = Date.now();
      const window = { from: to - 60_000, to, baseline_from: to - 120_000, derivation: 'a test' };
      return named(system)
        .questions.find(({ name }) => name === `${system}_${question}`)!
        .ask(args, { window, limits: { rows: 50, bytes: 4_000, timeoutMs: 20_000 } });
    };

    beforeAll(async () => {
      const program = (name: string) =>
        join(folder!, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
      opened = await openMcpServers({
        everything: { command: [process.execPath, program('server-everything')], allow: ['echo'], env: [] },
        files: { command: [process.execPath, program('server-filesystem'), runbooks], allow: [], env: [] },
      });
    });
    afterAll(async () => {
      for (const signal of opened.signals) await signal.close();
    });

    // incident.md: Integrations 2.
    it('what they mark as reading is offered, and no other (Integrations 2)', () => {
      expect(names('mcp_files')).toContain('mcp_files_list_directory');
      expect(names('mcp_files').filter((name) => /write|edit|create|move/.test(name))).toEqual([]);
      expect(opened.notes.join()).toContain('write_file (it does not say that it only reads)');
      expect(names('mcp_everything')).toContain('mcp_everything_echo');
    });

    it('their answers become observations, with secrets masked, and their refusals values', async () => {
      expect(await named('mcp_files').health()).toMatchObject({ kind: 'healthy' });
      expect(await ask('mcp_everything', 'get_sum', { a: 2, b: 40 })).toMatchObject({
        kind: 'observation',
        text: expect.stringContaining('42'),
      });
      expect(await ask('mcp_files', 'read_text_file', { path: join(runbooks, 'orders.md') })).toMatchObject({
        text: expect.stringContaining('Restart orders. password=[secret]'),
      });
      expect(await ask('mcp_files', 'read_text_file', { path: '/etc/passwd' })).toMatchObject({
        kind: 'failure',
        reason: 'refused',
      });
      expect(await ask('mcp_files', 'read_text_file', {})).toMatchObject({
        kind: 'failure',
        reason: 'bad_query',
      });
    });
  },
);

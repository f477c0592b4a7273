import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openMcpServers } from '../incident/mcp.ts';
import { openServer } from './mcp-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-mcp-program-'));
const failing = (text: string): string => {
  writeFileSync(join(folder, 'failing.mjs'), `throw new Error(${JSON.stringify(text)});\n`);
  return 'failing.mjs';
};

it('starts in the folder of the program that hands it in, and its last errors are shown', async () => {
  const args = [failing('the list of stores is not there')];
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  await expect(openServer({ command: process.execPath, args, name: 'stores' })).rejects.toMatchObject({
    code: 'tool_failed',
    message: expect.stringContaining('Error: the list of stores is not there'),
  });
  vi.restoreAllMocks();
});

it('a program that is not there is told by its own words, and a key that it prints is hidden', async () => {
  const env = { STORES_KEY: 'abcdefgh-1234' };
  await expect(
    openServer({ command: process.execPath, args: ['no-such.mjs'], cwd: folder, name: 'stores' }),
  ).rejects.toThrow(/Cannot find module .*no-such\.mjs/);
  const args = [failing(`refused: ${env.STORES_KEY}`)];
  const refused = await openServer({ command: process.execPath, args, cwd: folder, env }).catch(String);
  expect(refused).toContain('refused: [STORES_KEY]');
});

it('a configured server that ends says why in its health', async () => {
  const command = [process.execPath, join(folder, failing('no licence'))];
  const { signals } = await openMcpServers({ stores: { command, allow: [], env: [] } });
  expect(await signals[0]!.health({ timeoutMs: 1_000 } as never)).toMatchObject({
    kind: 'unhealthy',
    reason: expect.stringContaining('Error: no licence'),
  });
});

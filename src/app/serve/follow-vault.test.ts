import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { joinPageText, worldWrite } from '../../world/index.ts';
import { author, openWorkspace } from '../workspace/workspace.ts';
import { followVault } from './follow-vault.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

it('keeps both sides alike while the server runs, and refuses a folder that is not there at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-follow-'));
  made.push(folder);
  writeFileSync(join(folder, 'A.md'), 'one\n');
  const open = await openWorkspace(':memory:');
  const lines: string[] = [];
  await expect(followVault(open, join(folder, 'none'), () => {})).rejects.toThrow(/does not exist/);
  const end = await followVault(open, folder, (line) => lines.push(line));
  const patiently = { timeout: 20_000 };
  await vi.waitFor(() => expect(open.world.page('A')).not.toBeNull(), patiently);
  writeFileSync(join(folder, 'A.md'), 'one, edited\n');
  const text = () => joinPageText(open.world.read(open.world.page('A')!.id)!);
  await vi.waitFor(() => expect(text()).toBe('one, edited\n'), patiently);
  open.world.submit(
    worldWrite({
      operation: { op: 'create_page', path: 'Here', text: 'here\n' },
      caller: author(),
      source: 'test',
      idempotencyKey: null,
    }),
  );
  await vi.waitFor(() => expect(readFileSync(join(folder, 'Here.md'), 'utf8')).toBe('here\n'), patiently);
  await end();
  expect(lines[0]).toBe('vault: 1 pulled');
  open.close();
}, 60_000);

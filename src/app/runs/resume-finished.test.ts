import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newHome } from '../testbed/run-sonde.ts';
import { sonde } from '../testbed/sonde-here.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-finished-'));
  writeFileSync(join(folder, 'lamp.md'), 'The lamp burns paraffin.\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a finished run is printed again, though its folder is gone', async () => {
  const home = newHome();
  const env = { SONDE_MODEL: 'extractive' };
  const asked = await sonde(['ask', 'What does the lamp burn?', folder, '--json'], { home, env });
  const { run_id } = JSON.parse(asked.stdout) as { readonly run_id: string };
  rmSync(folder, { recursive: true });
  const again = await sonde(['resume', run_id, '--json'], { home, env });
  expect(again).toMatchObject({ status: asked.status });
  expect(JSON.parse(again.stdout)).toMatchObject({ run_id });
});

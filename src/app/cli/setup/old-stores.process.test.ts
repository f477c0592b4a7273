/** Stores that earlier versions wrote: they open, show what was found then, and come to the same when they are replayed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { newHome, sonde } from '../../testbed/run-sonde.ts';
import { openWorkspace } from '../../workspace/workspace.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

function homeWith(store: string): string {
  const home = newHome();
  homes.push(home);
  mkdirSync(join(home, 'data'), { recursive: true });
  // A replay asks the systems nothing; that a frozen incident is there is looked at all the same.
  const material = join(home, 'material');
  mkdirSync(material);
  writeFileSync(join(material, 'alert.json'), '{}');
  const database = new DatabaseSync(join(home, 'data', 'sonde.db'));
  const dumped = readFileSync(new URL(`../../testbed/stores/${store}.sql`, import.meta.url), 'utf8');
  database.exec(dumped.replaceAll('/material', material));
  database.close();
  return home;
}

async function opened(home: string, run: string) {
  const shown = await sonde(['show', run, '--json'], { home });
  const replayed = await sonde(['replay', run, '--json'], { home });
  return { shown: JSON.parse(shown.stdout), replayed: JSON.parse(replayed.stdout), status: replayed.status };
}

const lines = 'deliver.ts:4';

describe('a store of 0.1', () => {
  const home = homeWith('0.1');

  it('a research without a model: its lines, which are called quotes today', async () => {
    const { shown, replayed, status } = await opened(home, 'run-0mwt4tajpq9lk4x');
    expect(shown.result).toMatchObject({
      status: 'verified',
      answer: expect.stringContaining(lines),
      citations: [{ path: 'deliver.ts', start_line: 1, end_line: 7 }],
    });
    expect({ ...replayed, status: 'verified' }).toEqual(shown.result);
    expect({ status, now: replayed.status }).toEqual({ status: 0, now: 'quotes' });
  });

  it('an investigation without a model: its cell is run again', async () => {
    const { shown, replayed } = await opened(home, 'run-0mwt4tbd706tou9');
    expect(shown.result.answer).toContain(lines);
    expect(replayed).toEqual(shown.investigation.result);
    expect(replayed).toMatchObject({
      ...{ status: 'verified', stop_reason: 'finalized' },
      citations: [{ path: 'deliver.ts', start_line: 4, end_line: 4 }],
    });
  });

  it('an incident', async () => {
    const { shown, replayed } = await opened(home, 'run-0mwt4tdahmhdto5');
    expect(replayed).toEqual(shown.incident);
    expect(replayed).toMatchObject({ verdict: 'inconclusive', model: 'extractive' });
  });
});

describe('a store of the second rules of diagnosis', () => {
  it('an incident: each claim has the verdict that it had then', async () => {
    const { shown, replayed } = await opened(homeWith('diagnosis-rules-2'), 'run-0mwt4ulkcoixyqk');
    expect(replayed).toEqual(shown.incident);
    expect(replayed).toMatchObject({
      ...{ verdict: 'no_code_change', confidence: 0.45 },
      root_cause: 'The shop was slow as too many people came.',
      non_validated_claims: [
        { verdict: 'not shown', reason: 'what it names is no evidence of this run' },
        {},
      ],
    });
  });
});

describe('a workspace of 0.1', () => {
  const home = newHome();
  homes.push(home);
  mkdirSync(join(home, 'data', 'workspaces'), { recursive: true });
  const path = join(home, 'data', 'workspaces', 'main.db');
  const database = new DatabaseSync(path);
  database.exec(readFileSync(new URL('../../testbed/stores/world-0.1.sql', import.meta.url), 'utf8'));
  database.close();

  it('links in its properties are links now: counted, in backlinks, and followed by a rename', async () => {
    const open = await openWorkspace(path);
    const from = (page: string) =>
      open.world.backlinks(open.world.page(page)!.id).map((link) => open.world.page(link.from_page)!.path);
    // The properties of one have no end, so that they are its text.
    expect(from('Bread').toSorted()).toEqual(['Book', 'Broken']);
    expect(from('People/Ada').toSorted()).toEqual(['Book', 'Bread']);
    open.close();
    expect(await sonde(['world', 'check'], { home })).toMatchObject({ status: 0 });
    expect(await sonde(['world', 'rename', 'Bread', 'Loaf'], { home })).toMatchObject({ status: 0 });
    expect((await sonde(['world', 'read', 'Book'], { home })).stdout).toContain('- "[[Loaf]]"');
  });
});

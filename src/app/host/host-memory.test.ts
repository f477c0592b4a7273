import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newHome } from '../testbed/run-sonde.ts';
import { type OpenWorkspace, openWorkspace } from '../workspace/workspace.ts';
import { type AccountOf, findAbandonedAccount, openHostMemory } from './host-memory.ts';

const by = { writer: 'user ada', idempotencyKey: null };

describe('the account of a workspace', () => {
  let home: string;
  let open: { readonly red: OpenWorkspace; readonly blue: OpenWorkspace };
  beforeEach(async () => {
    home = newHome();
    // This process finds its folders there, too.
    vi.stubEnv('SONDE_HOME', home);
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((name) => openWorkspace(join(home, `${name}.db`))),
    );
    open = { red: red!, blue: blue! };
  });
  afterEach(() => {
    for (const one of Object.values(open)) one.close();
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });

  async function keep(name: keyof typeof open, of: AccountOf): Promise<void> {
    const { memory, close } = await openHostMemory(open[name], of);
    memory.viewFrom({ thread: null, channel: null }).put({ tier: 'account', key: 'kept', text: name }, by);
    close();
  }
  async function keptIn(name: keyof typeof open, of: AccountOf): Promise<readonly string[]> {
    const { memory, close } = await openHostMemory(open[name], of);
    const all = memory.listAll({ tier: 'account' }).map(({ text }) => text);
    close();
    return all;
  }

  it("is the person's, or one of the workspace alone", async () => {
    await keep('red', 'workspace');
    await keep('blue', 'person');
    expect(await keptIn('red', 'workspace')).toEqual(['red']);
    expect(await keptIn('blue', 'workspace')).toEqual([]);
    expect(await keptIn('red', 'person')).toEqual(['blue']);
  });

  it('what was kept in that of the person is told until the workspace has its own', async () => {
    expect(await findAbandonedAccount(open.red)).toBeNull();
    await keep('blue', 'person');
    expect(await findAbandonedAccount(open.red)).toMatch(
      /account, 1 on this machine, .*memory ls --tier account/,
    );
    await keep('red', 'workspace');
    expect(await findAbandonedAccount(open.red)).toBeNull();
    expect(await findAbandonedAccount(open.blue)).not.toBeNull();
  });
});

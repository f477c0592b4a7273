/** A small workspace, made anew for each test. */
import { join } from 'node:path';
import { worldWrite } from '../../world/index.ts';
import { author, openWorkspace } from '../workspace/workspace.ts';

export const smallWorldPages: Readonly<Record<string, string>> = {
  'Lighthouse/Lamp': 'The lamp of the Lighthouse burns paraffin, and is lit an hour before sunset.\n',
  'Lighthouse/Keeper': 'The keeper climbs 172 steps twice a day.\n',
  Harbour: 'Boats wait in the harbour for the tide. See [[Lighthouse/Lamp]].\n',
};

/** The file of a workspace, below the home of a test. */
export async function createSmallWorld(
  home: string,
  pages = smallWorldPages,
  name = 'main',
): Promise<string> {
  const path = join(home, 'data', 'workspaces', `${name}.db`);
  const open = await openWorkspace(path);
  for (const [page, text] of Object.entries(pages)) {
    const operation = { op: 'create_page', path: page, text } as const;
    open.world.submit(worldWrite({ operation, caller: author(), source: 'test', idempotencyKey: null }));
  }
  open.close();
  return path;
}

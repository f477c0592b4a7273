/** Many steps over the pages of a vault: as the folder that it is, and as the workspace that it was imported into. */
import { basename, join, resolve } from 'node:path';
import { openWorkspace } from '../../src/bench.ts';
import { answered, folder, table } from './asked.ts';
import { pageQuestions } from './page-questions.ts';
import { vaultPages } from './vault-pages.ts';

/** The first vault is that over which the programs were written. */
export async function overVaults(vaults: readonly string[]): Promise<void> {
  if (vaults.length === 0) console.log('skipped: no vault was named with --vault\n');
  for (const [index, root] of vaults.map((one) => resolve(one)).entries()) {
    const pages = vaultPages(root, { hidden: true });
    const name = `${basename(root)}, ${pages.length} pages, ${index === 0 ? 'over which the programs were written' : 'new to the programs'}`;
    const programs = { begin: 'begin', folder: 'pages' } as const;
    table(`${name}, as a folder`, await answered(pageQuestions(pages), { ...programs, place: { root } }));
    const workspace = join(folder('workspace'), 'world.db');
    const open = await openWorkspace(workspace);
    try {
      await open.import({ root });
    } finally {
      await open.close();
    }
    table(
      `${name}, as a workspace`,
      await answered(pageQuestions(vaultPages(root, { hidden: false })), {
        ...programs,
        place: { workspace },
      }),
    );
  }
}

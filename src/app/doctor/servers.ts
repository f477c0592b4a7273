/** Checks the configured language servers: whether they start and answer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openServers } from '../compose.ts';
import type { Configuration } from '../config/index.ts';
import { brokenFinding, type Finding, off, ok } from './finding.ts';

/** Starts each configured server in an empty folder. */
export async function checkServers(configuration: Configuration, root: string): Promise<readonly Finding[]> {
  const { serverLanguages } = await import('../../code/servers/index.ts');
  const folder = join(configuration.directories.cache, 'servers', 'empty');
  const wanted = serverLanguages.filter((language) => configuration.values.language_servers[language]);
  if (wanted.length === 0)
    return [
      off(
        'language servers',
        'none is configured: names are resolved by syntax only',
        'Set language_servers, or give --servers, to find more uses.',
      ),
    ];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const servers = await openServers(configuration, folder, root);
  try {
    return await Promise.all(
      wanted.map(async (language) => {
        const name = `language server for ${language}`;
        const found = await servers!.check(language);
        return found.kind === 'answered'
          ? ok(name, `${found.server} answers${found.version === '' ? '' : `: ${found.version}`}`)
          : brokenFinding(name, `${found.server}: ${found.why}`, found.remedy);
      }),
    );
  } finally {
    await servers?.close();
  }
}

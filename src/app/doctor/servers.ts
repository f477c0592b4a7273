/** Checks the configured language servers: whether they start and answer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openServers } from '../compose.ts';
import type { Configuration } from '../config/index.ts';
import { brokenFinding, type Finding, offFinding, okFinding } from './finding.ts';

/** Starts each configured server in an empty folder. */
export async function checkServers(configuration: Configuration, root: string): Promise<readonly Finding[]> {
  const { serverLanguages } = await import('../../code/servers/index.ts');
  const emptyFolder = join(configuration.directories.cache, 'servers', 'empty');
  const configuredLanguages = serverLanguages.filter(
    (language) => configuration.values.language_servers[language],
  );
  if (configuredLanguages.length === 0)
    return [
      offFinding(
        'language servers',
        'none is configured: names are resolved by syntax only',
        'Set language_servers, or give --servers, to find more uses.',
      ),
    ];
  mkdirSync(emptyFolder, { recursive: true, mode: 0o700 });
  const servers = await openServers(configuration, emptyFolder, root);
  try {
    return await Promise.all(
      configuredLanguages.map(async (language) => {
        const name = `language server for ${language}`;
        const reply = await servers!.check(language);
        return reply.kind === 'answered'
          ? okFinding(name, `${reply.server} answers${reply.version === '' ? '' : `: ${reply.version}`}`)
          : brokenFinding(name, `${reply.server}: ${reply.why}`, reply.remedy);
      }),
    );
  } finally {
    await servers?.close();
  }
}

/** The repositories of a worker by name. Each is mirrored when it is first needed. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Checkout } from '../../code/index.ts';
import { SondeError, sha256 } from '../../core/index.ts';
import { gitOptions } from '../compose.ts';
import { type Configuration, processEnvironment } from '../config/index.ts';

export type Repositories = ReadonlyMap<string, string>;

/** Parses `NAME=PLACE`, or a place whose last part becomes the name. Throws `bad_argument`. */
export function parseRepositories(text: string): Repositories {
  const repositories = new Map<string, string>();
  for (const part of text.split(',').map((part) => part.trim())) {
    const [, givenName, place = ''] = /^(?:([\w.-]+)=)?(.*)$/s.exec(part) ?? [];
    const name = givenName ?? basename(place).replace(/\.git$/, '');
    if (place === '' || place.startsWith('-') || !/^[\w][\w.-]{0,99}$/.test(name) || repositories.has(name))
      throw new SondeError('bad_argument', {
        message: `${JSON.stringify(part)} is not a valid repository`,
        remedy: 'Give paths or addresses, separated by commas, each once; NAME=PLACE to choose a name.',
      });
    repositories.set(name, place);
  }
  return repositories;
}

/** An address that git fetches from: `https://…`, `git@host:a/b`. Everything else is a folder of this machine. */
const addressPattern = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/]+:)/i;

/** Throws `bad_argument` if a folder does not exist, so that a worker does not offer a repository that it lacks. */
export function requireFolders(repositories: Repositories): void {
  for (const [name, place] of repositories)
    if (!addressPattern.test(place) && !existsSync(place))
      throw new SondeError('bad_argument', {
        message: `The repository ${name} does not exist at ${place}`,
        remedy: 'Give the path of a clone, or an address that git can fetch from.',
      });
}

export async function openRepository(
  { directories }: Pick<Configuration, 'directories'>,
  repositories: Repositories,
  {
    name,
    commit,
    signal,
  }: { readonly name: string; readonly commit: string | null; readonly signal: AbortSignal },
): Promise<Checkout> {
  const source = repositories.get(name);
  if (source === undefined)
    throw new SondeError('not_found', {
      message: `This worker has no repository ${name}`,
      remedy: 'Name it with --repositories.',
    });
  const { openCheckout } = await import('../../code/index.ts');
  const folder = join(directories.cache, 'repositories', `${name}-${sha256(source).slice(0, 12)}`);
  const home = processEnvironment()['HOME'] ?? '/';
  return openCheckout({ from: source, folder, commit, git: gitOptions(), home, signal });
}

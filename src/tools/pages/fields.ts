/** Arguments that several tools take, each described once and in few words: every listing carries them. */
import { z } from 'zod';
import { forPrograms, SondeError, type ToolCall } from '../../core/index.ts';
import type { ContentId, Page, World } from '../../world/index.ts';
import type { PagePorts } from './page-entry.ts';

const anyName = z.string().min(1).max(1000);
export const page = anyName.describe('Page id, path or alias');
export const content = anyName.describe('Block handle or id, or page id, path or alias');
export const block = z.string().min(1).max(100).describe('Block handle (#57123) or id');
export const text = z.string().describe('Markdown');
export const limit = (usual: number, max: number) => z.int().min(1).max(max).default(usual);
export const derivedFrom = z
  .array(anyName)
  .max(200)
  .optional()
  .describe(
    'What it rests on, of what you read: paths, handles, ids, or run_id of work handed on (the pages that its answer cites). Left out: all of it',
  );
export const view = z
  .enum(['all', 'canonical'])
  .default('all')
  .describe('canonical: what the author reads; all: candidates too, marked')
  .meta(forPrograms);
export const under = z.string().max(1000).optional().describe('Only this page path and below');
export const tag = z.string().max(200).optional();
export const contradicts = z
  .array(anyName)
  .max(50)
  .optional()
  .describe('Canonical content that it contradicts');
export const baseRevision = z.int().min(1).optional().describe('Revision you have read').meta(forPrograms);

/** Throws `not_found`, which the host reports as a refusal of the arguments. */
export function findPage(world: World, name: string): Page {
  const found = world.page(name);
  if (found !== null) return found;
  throw new SondeError('not_found', {
    message: `there is no page ${JSON.stringify(name.slice(0, 200))}`,
    remedy: 'Look for it with search_pages or list_pages.',
  });
}

/** The id of the block or page with that name. The world refuses any other name. */
export function findContent(world: World, name: string): ContentId {
  return world.block(name)?.id ?? world.page(name)?.id ?? notAHandle(name);
}

/** The id of the block with that id or handle. The world refuses an unknown id. */
export const findBlock = (world: World, name: string): ContentId => world.block(name)?.id ?? notAHandle(name);

/** Throws `not_found` for a handle of no block: the world knows nothing of handles. */
function notAHandle(name: string): string {
  if (!/^#\d+$/.test(name)) return name;
  throw new SondeError('not_found', {
    message: `there is no block ${name.slice(0, 40)} in this workspace`,
    remedy: 'Give the handle as read_page shows it before the block, or the id of the block.',
  });
}

export const findContents = (world: World, names: readonly string[] = []): readonly ContentId[] =>
  names.map((name) => findContent(world, name));

type Grounds = Pick<PagePorts, 'world' | 'trails'>;

/** The form of a run's id. A page may have a name of this form, too. */
const runName = /^run-[0-9a-z]{15}$/;

/** The recorded sources of a write, and what the caller is told about them. */
export interface Sources {
  readonly ids: readonly ContentId[];
  readonly notes: readonly string[];
}

/**
 * What a write derives from: the declared sources, as far as they were read or made by the caller in this
 * conversation, or by its runs that the trail or the arguments name (of a run: what its answer cites, or
 * everything it read where it cites nothing). For an agent that declares nothing it is all that it has read;
 * a declared source that it has not read is refused. An outside program is believed where this host has shown
 * it the content; other sources are left out. `onto` is the page that is written on, and `block` the block:
 * what is written there is a part of it, and does not rest on it.
 */
export async function sourcesOf(
  { world, trails }: Grounds,
  named: readonly string[] = [],
  call: ToolCall,
  onto?: ContentId,
  block?: ContentId,
): Promise<Sources> {
  const isRun = (name: string): boolean => runName.test(name) && world.page(name) === null;
  const runs = [...new Set(named.filter(isRun))];
  for (const run of runs) if ((await trails.readBy(run, call.caller)) === null) throw notHandedOn(run);
  const readIn = async (id: string) => (isRun(id) ? ((await trails.readBy(id, call.caller)) ?? []) : [id]);
  const readBy = async (ids: readonly string[]) => (await Promise.all(ids.map(readIn))).flat();
  /** The sources in a run: what its answer cites, or else all that it read. Code may read far more than it cites. */
  const restIn = async (id: string) => {
    if (!isRun(id)) return [id];
    const cited = (await trails.citedBy(id, call.caller)) ?? [];
    return cited.length > 0 ? cited : readIn(id);
  };
  const restOf = async (ids: readonly string[]) => (await Promise.all(ids.map(restIn))).flat();
  const pageOf = (id: ContentId): string => world.block(id)?.page ?? id;
  if (named.length === 0) {
    if (!keepsTrail(call)) return { ids: [], notes: [] };
    return { ids: [...new Set(await restOf(call.readTrail))].filter((id) => pageOf(id) !== onto), notes: [] };
  }
  const read = new Set(await readBy([...call.readTrail, ...runs, ...(call.known ?? [])]));
  const declared = findContents(
    world,
    named.filter((name) => !isRun(name)),
  );
  // Whoever read a page has read its blocks. An unknown id is the world's to refuse.
  const wasRead = (id: ContentId): boolean =>
    read.has(id) || read.has(pageOf(id)) || (world.page(id) === null && world.block(id) === null);
  const unread = isBelieved(call) ? [] : declared.filter((id) => !wasRead(id));
  if (unread[0] !== undefined && keepsTrail(call)) throw notReadError(world, unread[0]);
  const own = [...new Set(declared)].filter((id) => id === onto || id === block);
  const ids = [...(await restOf(runs)), ...declared].filter(
    (id) => id !== onto && id !== block && !unread.includes(id),
  );
  return {
    ids: [...new Set(ids)],
    notes: [
      ...own.map((id) => itself(world, id)),
      ...unread.map(
        (id) => `derived_from: ${id} is not recorded, since it was not read over this connection`,
      ),
    ],
  };
}

const itself = (world: World, id: ContentId): string =>
  world.block(id) === null
    ? `derived_from: ${pathWithId(world, id)} is not recorded, since it is the page that is written on; what rests on blocks of it names these by their handles`
    : `derived_from: ${id} is not recorded, since it is the block that is written`;

const notHandedOn = (run: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${run} is no finished run of this conversation, so nothing can rest on what it read`,
    remedy:
      'Name a run that a task of this conversation gave, or the pages themselves once you have read them.',
  });

/** Throws `bad_argument` if the caller names a source that it has not read. */
export async function assertRead({ world, trails }: Grounds, id: ContentId, call: ToolCall): Promise<void> {
  const { ids, notes } = await sourcesOf({ world, trails }, [id], call);
  if (notes.length > 0 || ids.length === 0) throw notReadError(world, id);
}

/** The path of the content's page, with the id; only the id if there is no page. */
const pathWithId = (world: World, id: ContentId): string => {
  const path = world.page(world.block(id)?.page ?? id)?.path;
  return path === undefined ? id : `${path} (${id})`;
};

const notReadError = (world: World, id: ContentId): SondeError =>
  new SondeError('bad_argument', {
    message: `${pathWithId(world, id)} was not read in this conversation, so nothing can rest on it`,
    remedy: 'Read it first, or leave it out.',
  });

const keepsTrail = ({ caller: { kind } }: ToolCall): boolean => kind === 'agent' || kind === 'schedule';

/** The author and imports are believed about their sources. */
const isBelieved = ({ caller: { kind } }: ToolCall): boolean => kind === 'user' || kind === 'import';

/** Arguments that several tools take. Descriptions are short, since every listing repeats them. */
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
  return world.block(name)?.id ?? world.page(name)?.id ?? requireNoHandle(name);
}

/** The id of the block with that id or handle. The world refuses an unknown id. */
export const findBlock = (world: World, name: string): ContentId =>
  world.block(name)?.id ?? requireNoHandle(name);

/** Throws `not_found` if the name is a handle, since the world does not know handles. */
function requireNoHandle(name: string): string {
  if (!/^#\d+$/.test(name)) return name;
  throw new SondeError('not_found', {
    message: `there is no block ${name.slice(0, 40)} in this workspace`,
    remedy: 'Give the handle as read_page shows it before the block, or the id of the block.',
  });
}

export const findContents = (world: World, names: readonly string[] = []): readonly ContentId[] =>
  names.map((name) => findContent(world, name));

type SourcePorts = Pick<PagePorts, 'world' | 'trails'>;

/** The form of a run's id. A page may have a name of this form, too. */
const runName = /^run-[0-9a-z]{15}$/;

/** The recorded sources of a write, and what the caller is told about them. */
export interface Sources {
  readonly ids: readonly ContentId[];
  readonly notes: readonly string[];
}

/**
 * Finds the sources of a write. Declared sources must have been read or made by the caller in this conversation, or by
 * one of its runs. A run stands for what its answer cites, or for everything it read if it cites nothing. An agent that
 * declares nothing gets all that it has read; a declared source that it has not read is refused. For an outside
 * program, sources that this host has not shown it are left out. `targetPage` and `block` are what is written on, and
 * never sources.
 */
export async function resolveSources(
  { world, trails }: SourcePorts,
  named: readonly string[] = [],
  call: ToolCall,
  targetPage?: ContentId,
  block?: ContentId,
): Promise<Sources> {
  const isRun = (name: string): boolean => runName.test(name) && world.page(name) === null;
  const runs = [...new Set(named.filter(isRun))];
  for (const run of runs)
    if ((await trails.findRead(run, call.caller)) === null) throw createForeignRunError(run);
  const expandRun = async (id: string) =>
    isRun(id) ? ((await trails.findRead(id, call.caller)) ?? []) : [id];
  const expandRuns = async (ids: readonly string[]) => (await Promise.all(ids.map(expandRun))).flat();
  /** The sources of a run: what its answer cites, or else all that it read. Code may read far more than it cites. */
  const findBasis = async (id: string) => {
    if (!isRun(id)) return [id];
    const cited = (await trails.findCited(id, call.caller)) ?? [];
    return cited.length > 0 ? cited : expandRun(id);
  };
  const findAllBases = async (ids: readonly string[]) => (await Promise.all(ids.map(findBasis))).flat();
  const pageOf = (id: ContentId): string => world.block(id)?.page ?? id;
  if (named.length === 0) {
    if (!hasTrail(call)) return { ids: [], notes: [] };
    return {
      ids: [...new Set(await findAllBases(call.readTrail))].filter((id) => pageOf(id) !== targetPage),
      notes: [],
    };
  }
  const read = new Set(await expandRuns([...call.readTrail, ...runs, ...(call.known ?? [])]));
  const declared = findContents(
    world,
    named.filter((name) => !isRun(name)),
  );
  // Reading a page includes its blocks. Unknown ids pass, since the world refuses them.
  const wasRead = (id: ContentId): boolean =>
    read.has(id) || read.has(pageOf(id)) || (world.page(id) === null && world.block(id) === null);
  const unread = isBelieved(call) ? [] : declared.filter((id) => !wasRead(id));
  if (unread[0] !== undefined && hasTrail(call)) throw createUnreadError(world, unread[0]);
  const selfSources = [...new Set(declared)].filter((id) => id === targetPage || id === block);
  const ids = [...(await findAllBases(runs)), ...declared].filter(
    (id) => id !== targetPage && id !== block && !unread.includes(id),
  );
  return {
    ids: [...new Set(ids)],
    notes: [
      ...selfSources.map((id) => describeSelfSource(world, id)),
      ...unread.map(
        (id) => `derived_from: ${id} is not recorded, since it was not read over this connection`,
      ),
    ],
  };
}

const describeSelfSource = (world: World, id: ContentId): string =>
  world.block(id) === null
    ? `derived_from: ${pathWithId(world, id)} is not recorded, since it is the page that is written on; what rests on blocks of it names these by their handles`
    : `derived_from: ${id} is not recorded, since it is the block that is written`;

const createForeignRunError = (run: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${run} is no finished run of this conversation, so nothing can rest on what it read`,
    remedy:
      'Name a run that a task of this conversation gave, or the pages themselves once you have read them.',
  });

/** Throws `bad_argument` if the caller names a source that it has not read. */
export async function assertRead(
  { world, trails }: SourcePorts,
  id: ContentId,
  call: ToolCall,
): Promise<void> {
  const { ids, notes } = await resolveSources({ world, trails }, [id], call);
  if (notes.length > 0 || ids.length === 0) throw createUnreadError(world, id);
}

/** The path of the content's page, with the id; only the id if there is no page. */
const pathWithId = (world: World, id: ContentId): string => {
  const path = world.page(world.block(id)?.page ?? id)?.path;
  return path === undefined ? id : `${path} (${id})`;
};

const createUnreadError = (world: World, id: ContentId): SondeError =>
  new SondeError('bad_argument', {
    message: `${pathWithId(world, id)} was not read in this conversation, so nothing can rest on it`,
    remedy: 'Read it first, or leave it out.',
  });

const hasTrail = ({ caller: { kind } }: ToolCall): boolean => kind === 'agent' || kind === 'schedule';

/** The author and imports may declare any source. */
const isBelieved = ({ caller: { kind } }: ToolCall): boolean => kind === 'user' || kind === 'import';

/** Arguments that several tools take, each described once and in few words: every listing carries them. */
import { z } from 'zod';
import { SondeError, type ToolCall } from '../../core/index.ts';
import type { ContentId, Page, World } from '../../world/index.ts';

const anyName = z.string().min(1).max(1000);
export const page = anyName.describe('Page id, path or alias');
export const content = anyName.describe('Block id, or page id, path or alias');
export const block = z.string().min(1).max(100).describe('Block id');
export const text = z.string().describe('Markdown');
export const limit = (usual: number, most: number) => z.int().min(1).max(most).default(usual);
export const derivedFrom = z
  .array(anyName)
  .max(200)
  .optional()
  .describe('Content that this rests on: ids or page paths');
export const contradicts = z
  .array(anyName)
  .max(50)
  .optional()
  .describe('Canonical content that this contradicts, if you know');
export const baseRevision = z.int().min(1).optional().describe('Revision you have read');

/** Throws `not_found`: the host tells it as a refusal of the arguments. */
export function pageNamed(world: World, name: string): Page {
  const found = world.page(name);
  if (found !== null) return found;
  throw new SondeError('not_found', {
    message: `there is no page ${JSON.stringify(name.slice(0, 200))}`,
    remedy: 'Look for it with search_pages or list_pages.',
  });
}

/** The id of a block, or of the page of that name; what is neither is left for the world to refuse. */
export function contentNamed(world: World, name: string): ContentId {
  if (world.block(name) !== null) return name;
  return world.page(name)?.id ?? name;
}

export const contentsNamed = (world: World, names: readonly string[] = []): readonly ContentId[] =>
  names.map((name) => contentNamed(world, name));

/**
 * What a write derives from. Where the run has a trail of what it read, exactly that: a source that was not read
 * is refused. Otherwise what the arguments name.
 */
export function sourcesOf(
  world: World,
  named: readonly string[] | undefined,
  call: ToolCall,
): readonly ContentId[] {
  const sources = contentsNamed(world, named);
  if (call.readTrail.length === 0) return sources;
  const read = new Set(call.readTrail);
  // Whoever read a page has read its blocks.
  const unread = sources.find((id) => !read.has(id) && !read.has(world.block(id)?.page ?? ''));
  if (unread === undefined) return call.readTrail;
  throw new SondeError('bad_argument', {
    message: `${unread} was not read in this run, so nothing can rest on it`,
    remedy: 'Read it first, or leave derived_from out: what was read becomes the sources.',
  });
}

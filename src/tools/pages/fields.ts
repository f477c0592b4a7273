/** Arguments that several tools take, each described once and in few words: every listing carries them. */
import { z } from 'zod';
import { SondeError, type ToolCall } from '../../core/index.ts';
import type { ContentId, Page, World } from '../../world/index.ts';
import type { RunTrails } from '../run-trails.ts';

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
  .describe('What this rests on: content by id or page path, or run_id of work you handed on');
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

export interface Grounds {
  readonly world: World;
  readonly trails: RunTrails;
}

/** As they are made; a page may be named so, too. */
const runName = /^run-[0-9a-z]{15}$/;

/**
 * What a write derives from: exactly what was read, by the caller in the run that asks, and by the runs of his
 * conversation that his trail or the arguments name. What was not read is refused; only of who keeps no trail, an
 * outside program, it is believed.
 */
export function sourcesOf(
  { world, trails }: Grounds,
  named: readonly string[] = [],
  call: ToolCall,
): readonly ContentId[] {
  const isRun = (name: string): boolean => runName.test(name) && world.page(name) === null;
  const ofRuns = named.filter(isRun).flatMap((run) => {
    const read = trails.readBy(run, call.caller);
    if (read !== null) return read;
    throw new SondeError('bad_argument', {
      message: `${run} is no finished run of this conversation, so nothing can rest on what it read`,
      remedy:
        'Name a run that a task of this conversation gave, or the pages themselves once you have read them.',
    });
  });
  const own = call.readTrail.flatMap((id) => (isRun(id) ? (trails.readBy(id, call.caller) ?? []) : [id]));
  const read = new Set([...own, ...ofRuns]);
  const sources = contentsNamed(
    world,
    named.filter((name) => !isRun(name)),
  );
  if (read.size === 0 && !keepsTrail(call)) return sources;
  // Whoever read a page has read its blocks.
  const unread = sources.find((id) => !read.has(id) && !read.has(world.block(id)?.page ?? ''));
  if (unread === undefined) return [...read];
  // What is no content at all is the world's to refuse.
  if (world.page(unread) === null && world.block(unread) === null) return sources;
  throw new SondeError('bad_argument', {
    message: `${unread} was not read in this run, so nothing can rest on it`,
    remedy: 'Read it first, or leave derived_from out: what was read becomes the sources.',
  });
}

const keepsTrail = ({ caller: { kind } }: ToolCall): boolean => kind === 'agent' || kind === 'schedule';

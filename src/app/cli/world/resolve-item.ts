import { SondeError } from '../../../core/index.ts';
import type { World, WorldOperation } from '../../../world/index.ts';
import { findInboxItem, splitRevision, write } from '../../workspace/author.ts';
import { readTextFile } from './read-text-file.ts';
import type { ResolveFlags } from './resolve.ts';

interface ResolvedDecision {
  readonly id: string;
  readonly decision: string;
  readonly write_id: string;
  readonly content_ids: readonly string[];
}

/** Throws `bad_argument` if a deviation is given no decision, or a flag is given one. */
export async function resolveItem(
  world: World,
  name: string,
  flags: ResolveFlags,
): Promise<ResolvedDecision> {
  const { name: id, ...requested } = splitRevision(name);
  const { accept, keep, text, note } = flags;
  const source = 'sonde world resolve';
  if (id.startsWith('fl-')) {
    if (accept !== undefined || keep !== undefined || text !== undefined)
      throw new SondeError('bad_argument', {
        message: `${id} is a flag: there is nothing to accept or keep`,
        remedy: 'Leave the decision out; to change the page, use sonde world edit.',
      });
    if (requested.revision !== undefined && findInboxItem(world, id).revision !== requested.revision)
      throw new SondeError('stale', {
        message: `${id} is not at revision ${requested.revision} any more`,
        remedy: 'Look at it again: sonde world inbox shows it.',
        details: { id, shown: requested.revision, now: findInboxItem(world, id).revision, diff: '' },
      });
    const { write_id, content_ids } = await write(world, { op: 'clear_flag', flag: id }, source);
    return { id, decision: 'cleared', write_id, content_ids };
  }
  const decision = accept
    ? 'accept'
    : keep
      ? 'keep'
      : text === undefined
        ? null
        : { text: await readTextFile(text) };
  if (decision === null)
    throw new SondeError('bad_argument', {
      message: `No decision was given for ${id}`,
      remedy: 'Give --accept, --keep or --text FILE.',
    });
  const operation: WorldOperation = {
    op: 'resolve_deviation',
    deviation: id,
    decision,
    ...(note !== undefined && { note }),
    ...requested,
  };
  const { write_id, content_ids } = await write(world, operation, source);
  const outcomes = { accept: 'accepted', keep: 'kept the present text' } as const;
  return {
    id,
    decision: typeof decision === 'string' ? outcomes[decision] : 'replaced by your text',
    write_id,
    content_ids,
  };
}

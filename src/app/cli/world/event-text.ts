/** Formats the history of pages for people. */
import { plainLine, SondeError } from '../../../core/index.ts';
import { type ContentFields, formatDiff, type World, type WorldEvent } from '../../../world/index.ts';

/** Returns the latest events of a page or block, also after it was deleted. Throws `not_found`. */
export function readHistory(world: World, name: string, limit: number): readonly WorldEvent[] {
  const id = (name.startsWith('bl-') ? world.block(name) : world.page(name))?.id;
  if (id !== undefined) return world.history(id, limit);
  throw new SondeError('not_found', {
    message: `There is no page or block ${name}`,
    remedy: 'sonde world ls lists the pages; name a deleted one by its id.',
  });
}

const joinFields = ({ path, front, text }: ContentFields = {}): string | null =>
  path === undefined && front === undefined && text === undefined
    ? null
    : [path, front, text].filter((part) => part !== undefined).join('\n');

export function eventText(event: WorldEvent, showDiff: boolean): string {
  const { at, op, caller_kind, caller, origin_source_id, content_ids, before, after } = event;
  const headLine = `${new Date(at).toISOString()}  ${op}  ${caller_kind} ${plainLine(caller)}  ${plainLine(origin_source_id)}`;
  if (!showDiff) return headLine;
  const changedIds = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const diffLines = [...(changedIds.size === 0 ? content_ids : changedIds)].flatMap((id) => {
    const [oldText, newText] = [joinFields(before?.[id]), joinFields(after?.[id])];
    if (oldText === newText) return [];
    return [
      `  ${id}`,
      ...formatDiff(oldText, newText)
        .split('\n')
        .map((line) => `    ${line}`),
    ];
  });
  return [headLine, ...diffLines].join('\n');
}

/** The text before and after a write of an agent. */
import type { ContentFields, World, WorldEvent } from '../../../world/index.ts';

export interface Change {
  readonly id: string;
  readonly path: string | null;
  /** Null: the content is new. */
  readonly before: string | null;
  /** Null: the content was deleted. */
  readonly after: string | null;
  /** The change waits in the inbox and is not applied. */
  readonly held: boolean;
}

const maxChanges = 50;
/** Maximum characters of one text. */
const maxLength = 20_000;

/** Finds the changes of a write. Looks only among the latest writes, since callers ask right after a write. */
export function changeFinder(world: World): (write: string) => readonly Change[] {
  const recentWrites = 200;
  return (write) => {
    const event = world
      .events(Math.max(0, world.head() - recentWrites), recentWrites)
      .find(({ write_id }) => write_id === write);
    if (event === undefined) return [];
    const changes = event.after === null ? listHeldChanges(world, event) : toChanges(world, event);
    return changes.slice(0, maxChanges);
  };
}

const findPath = (world: World, id: string): string | null =>
  world.page(id.startsWith('bl-') ? (world.block(id)?.page ?? '') : id)?.path ?? null;

const toText = (fields: ContentFields | undefined): string | null =>
  (fields?.deleted === true ? undefined : (fields?.text ?? fields?.path ?? fields?.front))?.slice(
    0,
    maxLength,
  ) ?? null;

const toChanges = (world: World, { before, after }: WorldEvent): Change[] =>
  Object.entries(after ?? {})
    .map(([id, fields]) => ({
      id,
      path: findPath(world, id),
      before: toText(before?.[id]),
      after: toText(fields),
      held: false,
    }))
    .filter(
      (change) =>
        change.before !== change.after &&
        (change.id.startsWith('bl-') || change.after !== change.path || change.before !== null),
    );

const listHeldChanges = (world: World, { content_ids, at }: WorldEvent): Change[] =>
  world
    .inbox(Number.MAX_SAFE_INTEGER)
    .filter((item) => item.kind === 'deviation' && item.at === at && content_ids.includes(item.content_id))
    .map(({ content_id, path, before, after }) => ({ id: content_id, path, before, after, held: true }));

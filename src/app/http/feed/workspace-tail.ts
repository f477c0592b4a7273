/**
 * Everything that happens in a workspace, for clients that follow it: writes, and steps of runs. Each event has a
 * position in both logs, so that a reader who reconnects misses none.
 */
import { SondeError } from '../../../core/index.ts';
import type { World, WorldEvent } from '../../../world/index.ts';
import type { FeedStep } from './feed-records.ts';
import type { RunFeed } from './run-feed.ts';
import { openTail, type Tail } from './tail.ts';

/** The numbers of the last write and the last step that a reader has, such as `120-45`. */
export type TailPosition = string;

export type WorkspaceEvent = { readonly place: TailPosition; readonly at: number } & (
  | { readonly kind: 'write'; readonly write: WorldEvent }
  | { readonly kind: 'step'; readonly step: FeedStep }
);

export interface WorkspaceTail extends Tail<WorkspaceEvent, TailPosition> {
  /** The end of both logs. */
  head(): Promise<TailPosition>;
  /** Throws `bad_argument` for a malformed position, and `gone` if events after it are no longer stored. */
  check(place: string): Promise<TailPosition>;
}

/** Maximum events read from each log at once. */
const maxEvents = 200;
const positionPattern = /^(\d{1,15})(?:-(\d{1,15}))?$/;

const toPosition = (write: number, step: number): TailPosition => `${write}-${step}`;

export function openWorkspaceTail(world: Pick<World, 'events' | 'head'>, feed: RunFeed): WorkspaceTail {
  const tail = openTail<WorkspaceEvent, TailPosition>({
    async read(position) {
      let [write, step] = position.split('-').map(Number) as [number, number];
      const writeEvents = world
        .events(write, maxEvents)
        .map((worldEvent) => ({ kind: 'write', write: worldEvent }) as const);
      await feed.refresh();
      const stepEvents = feed
        .after(step, maxEvents)
        .map((fedStep) => ({ kind: 'step', step: fedStep }) as const);
      const timeOf = (entry: (typeof writeEvents | typeof stepEvents)[number]): number =>
        entry.kind === 'write' ? entry.write.at : entry.step.at;
      return mergeByTime(writeEvents, stepEvents, timeOf).map((entry) => {
        if (entry.kind === 'write') write = entry.write.seq;
        else step = entry.step.n;
        return { place: toPosition(write, step), at: timeOf(entry), ...entry };
      });
    },
    positionOf: ({ place }) => place,
  });
  return {
    follow: tail.follow,
    async head() {
      await feed.refresh();
      return toPosition(world.head(), feed.last());
    },
    async check(position) {
      const [, write, step = '0'] = positionPattern.exec(position) ?? [];
      if (write === undefined)
        throw new SondeError('bad_argument', {
          message: 'Last-Event-ID is no id of an event of this stream',
          remedy: 'Give the last id that was received as it is, or none.',
        });
      const lastPosition = toPosition(world.head(), feed.last());
      const isAhead = Number(write) > world.head() || Number(step) > feed.last();
      if (isAhead || Number(step) + 1 < feed.first())
        throw new SondeError('gone', {
          message: isAhead
            ? `Event ${position} is not of this workspace as it is now`
            : `Not all that followed ${position} is still kept`,
          remedy: 'Read it anew, without Last-Event-ID.',
          details: { last: lastPosition },
        });
      return toPosition(Number(write), Number(step));
    },
  };
}

/** Merges two lists by time. Each keeps its own order. */
function mergeByTime<A, B>(
  firstList: readonly A[],
  secondList: readonly B[],
  timeOf: (one: A | B) => number,
): readonly (A | B)[] {
  const merged: (A | B)[] = [];
  let [a, b] = [0, 0];
  while (a < firstList.length || b < secondList.length) {
    const [one, other] = [firstList[a], secondList[b]];
    if (other === undefined || (one !== undefined && timeOf(one) <= timeOf(other))) {
      merged.push(one as A);
      a += 1;
    } else {
      merged.push(other);
      b += 1;
    }
  }
  return merged;
}

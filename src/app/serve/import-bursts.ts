/** Combines the writes of one import into one event, which is sent when the import has been quiet for a while. */
import type { WorkspaceEvent } from '../../session/schedules/index.ts';
import type { WorldEvent } from '../../world/index.ts';

/** An import counts as over when it has written nothing for this long. Milliseconds. */
const quietMs = 2000;
const maxIds = 20;
/** Maximum number of paths of one import that are compared with the patterns of schedules. */
const maxPaths = 50_000;

interface Burst {
  readonly run: string;
  readonly first: number;
  upTo: number;
  readonly ops: Set<string>;
  readonly ids: string[];
  readonly paths: Set<string>;
  writes: number;
  last: number;
}

export interface ImportBursts {
  /** Adds a write to the burst of its import. False if the write does not belong to an import. */
  add(event: WorldEvent, now: number, paths?: readonly string[]): boolean;
  /** Returns the bursts that are over. All writes of one kind share one id, so that a schedule starts once. */
  take(now: number): readonly (WorkspaceEvent & { readonly seq: number })[];
  /** The last event before all open bursts. After a crash, reading continues after it. */
  lastSettled(seen: number): number;
}

export function importBursts(): ImportBursts {
  const open = new Map<string, Burst>();
  return {
    add({ caller_kind, origin_source_id, seq, op, content_ids }, now, paths = []) {
      if (caller_kind !== 'import') return false;
      const run = origin_source_id.replace(/:.*$/s, '');
      const newBurst = {
        run,
        first: seq,
        upTo: seq,
        ops: new Set<string>(),
        ids: [],
        paths: new Set<string>(),
        writes: 0,
        last: now,
      };
      const burst = open.get(run) ?? newBurst;
      open.set(run, burst);
      burst.ops.add(op);
      burst.writes += 1;
      burst.upTo = seq;
      burst.last = now;
      for (const path of paths) if (burst.paths.size < maxPaths) burst.paths.add(path);
      burst.ids.push(...content_ids.slice(0, maxIds - burst.ids.length));
      return true;
    },
    take(now) {
      const finished = [...open.values()].filter(({ last }) => now - last >= quietMs);
      for (const { run } of finished) open.delete(run);
      return finished.flatMap(({ run, first, upTo, ops, ids, writes, last, paths }) => {
        const payload = { import: run, writes, content_ids: [...ids] };
        return [...ops].map((name) => ({
          id: `${run}/${first}`,
          name,
          payload,
          seq: first,
          import: { id: `${run}/${first}`, upTo },
          at: last,
          paths: [...paths],
        }));
      });
    },
    lastSettled: (seen) => Math.min(seen, ...[...open.values()].map(({ first }) => first - 1)),
  };
}

/** Loads what waits for a decision in this page, by the block that it is about. */
import { useMemo } from 'preact/hooks';
import { after, type List, read } from '../../api/client.ts';
import type { InboxItem, PageProvenance } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';

export type Held = ReadonlyMap<string, readonly InboxItem[]>;

/** The inbox shows what exceeds this. */
const maxHeld = 600;

export function useHeld(home: string, page: string): { readonly held: Held; readonly again: () => void } {
  const { again, ...reading } = useRead<readonly InboxItem[]>(
    `${home}/inbox?page=${encodeURIComponent(page)}`,
    async (path, signal) => {
      const found: InboxItem[] = [];
      let next: string | null = null;
      do {
        const part: List<InboxItem> = await read<List<InboxItem>>(after(path, next), signal);
        found.push(...part.items);
        next = part.next;
      } while (next !== null && found.length < maxHeld);
      return found;
    },
  );
  const items = reading.state === 'ready' ? reading.value : null;
  const held = useMemo(() => Map.groupBy(items ?? [], ({ content_id }) => content_id), [items]);
  return { held, again };
}

export interface Ties {
  readonly sources: number;
  readonly derived: number;
}

/** How much each content rests on, and how much rests on it. */
export function useTies(base: string): {
  readonly ties: ReadonlyMap<string, Ties>;
  readonly again: () => void;
} {
  const { again, ...reading } = useRead<PageProvenance>(`${base}/provenance`);
  const content = reading.state === 'ready' ? reading.value.content : null;
  const ties = useMemo(
    () =>
      new Map(
        (content ?? []).map(({ id, sources, derived }): [string, Ties] => [
          id,
          { sources: sources.length, derived: derived.length },
        ]),
      ),
    [content],
  );
  return { ties, again };
}

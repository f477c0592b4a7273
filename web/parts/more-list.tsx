import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { after, type List, read } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { useWorldChange } from '../api/world-events.ts';
import { Shown } from './states.tsx';

/** A list of the server, its first part and as much more as is asked for. */
export function MoreList<Item>({
  path,
  what,
  empty,
  follows = false,
  children,
}: {
  readonly path: string;
  readonly what: string;
  readonly empty: ComponentChildren;
  /** Whether to load it again when the workspace changes. */
  readonly follows?: boolean;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}): VNode {
  const [pages, setPages] = useState(1);
  const reading = useRead<List<Item>>(`${path} ${pages}`, async (_, signal) => {
    const items: Item[] = [];
    let next: string | null = null;
    for (let n = 0; n < pages; n += 1) {
      const part: List<Item> = await read<List<Item>>(after(path, next, 100), signal);
      items.push(...part.items);
      next = part.next;
      if (next === null) break;
    }
    return { items, next };
  });
  useWorldChange(() => {
    if (follows) reading.again();
  });
  return (
    <Shown of={reading} what={what}>
      {({ items, next }) =>
        items.length === 0 ? (
          empty
        ) : (
          <>
            {children(items)}
            {next !== null && (
              <button type="button" onClick={() => setPages(pages + 1)}>
                More
              </button>
            )}
          </>
        )
      }
    </Shown>
  );
}

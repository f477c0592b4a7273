import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { after, type List, read, type Trouble, troubleOf } from '../../api/client.ts';
import type { Block } from '../../api/types.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { VirtualList } from '../../parts/virtual.tsx';
import { exact } from '../../parts/words.ts';
import { HeldItem } from './held-item.tsx';
import { OriginTag } from './origin-tag.tsx';
import type { Held, Ties } from './use-held.ts';

interface Loaded {
  readonly blocks: readonly Block[];
  readonly whole: boolean;
  readonly trouble: Trouble | null;
}

/** Part by part, so that a long page is there at once. */
function useBlocks(base: string, changes: number): Loaded & { readonly again: () => void } {
  const [held, setHeld] = useState<Loaded>({ blocks: [], whole: false, trouble: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const found: Block[] = [];
    async function load(): Promise<void> {
      let next: string | null = null;
      do {
        const part: List<Block> = await read<List<Block>>(
          after(`${base}/blocks?view=all`, next),
          stop.signal,
        );
        found.push(...part.items);
        next = part.next;
        // A page that is shown already is replaced whole, and not from its beginning.
        const isFirst = changes + round === 0;
        if (isFirst || next === null) setHeld({ blocks: found.slice(), whole: next === null, trouble: null });
      } while (next !== null && !stop.signal.aborted);
    }
    load().catch((thrown: unknown) => {
      if (!stop.signal.aborted) setHeld({ blocks: found, whole: true, trouble: troubleOf(thrown) });
    });
    return () => stop.abort();
  }, [base, changes, round]);
  return { ...held, again: () => setRound((n) => n + 1) };
}

interface Props {
  readonly home: string;
  readonly name: string;
  readonly base: string;
  readonly changes: number;
  readonly chosen: string | null;
  readonly held: Held;
  readonly ties: ReadonlyMap<string, Ties>;
  readonly decided: () => void;
}

export function Blocks({ home, name, base, changes, chosen, held, ties, decided }: Props): VNode {
  const { blocks: all, whole, trouble, again } = useBlocks(base, changes);
  const blocks = useMemo(() => all.filter(({ kind }) => kind !== 'blank'), [all]);
  const estimate = useMemo(
    () => (n: number) => 24 + 25 * Math.max(1, Math.ceil((blocks[n]?.text.length ?? 0) / 80)),
    [blocks],
  );
  const keyOf = useMemo(() => (n: number) => blocks[n]?.id ?? String(n), [blocks]);
  const at = blocks.findIndex(({ id }) => id === chosen);
  if (trouble !== null) return <Failed trouble={trouble} again={again} />;
  if (blocks.length === 0) return whole ? <Empty title="This page is empty" /> : <Loading what="the text" />;
  return (
    <VirtualList
      class="blocks"
      label="Text of the page"
      count={blocks.length}
      estimate={estimate}
      keyOf={keyOf}
      reveal={at < 0 ? null : at}
      row={(n) => {
        const block = blocks[n]!;
        const waiting = held.get(block.id) ?? [];
        return (
          <div
            class={`block ${waiting.length > 0 ? 'has-held' : ''} ${block.origin.toLowerCase()} ${block.lifecycle.toLowerCase()} ${block.id === chosen ? 'is-chosen' : ''}`}
          >
            <Markdown text={block.text} />
            <p class="block-origin small" title={exact(block.updated)}>
              <OriginTag origin={block.origin} lifecycle={block.lifecycle} />
              <TiesOf name={name} of={ties.get(block.id)} />
            </p>
            {waiting.map((item) => (
              <HeldItem
                key={item.id}
                {...{ home, item, decided }}
                isShown={item.kind === 'candidate' && item.before === null}
              />
            ))}
          </div>
        );
      }}
    />
  );
}

/** One step from what it rests on, and from what rests on it. */
const TiesOf = ({ name, of }: { readonly name: string; readonly of: Ties | undefined }): VNode | null =>
  of === undefined ? null : (
    <a href={to('pages', name, 'provenance')}>
      {[
        of.sources > 0 ? `rests on ${of.sources}` : '',
        of.derived > 0 ? `${of.derived} ${of.derived === 1 ? 'rests' : 'rest'} on it` : '',
      ]
        .filter((part) => part !== '')
        .join(', ')}
    </a>
  );

/** The inbox: shows one item at a time, in full, to be decided with one key. */
import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, type List, read, type Trouble, troubleOf, write } from '../../api/client.ts';
import { inboxReads } from '../../api/inbox-reads.ts';
import { useOffered } from '../../api/offers.ts';
import type { Act, InboxItem, InboxMemory, InboxQuestion, ThreadSummary } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { useWorldChange } from '../../api/world-events.ts';
import { useKeys } from '../../parts/keys.ts';
import { lazy } from '../../parts/lazy.tsx';
import { go, goQuietly, type Place, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { Asking } from './asking.tsx';
import { asksOf, type Beside, heldOf } from './beside.ts';
import { groupsOf, inOrder, isBlock } from './groups.ts';
import { HeldMemory } from './held-memory.tsx';
import { InboxList } from './inbox-list.tsx';
import { ItemView } from './item-view.tsx';

interface Waiting {
  /** Items that are no pages: questions first, then memories. */
  readonly beside: readonly Beside[];
  readonly items: readonly InboxItem[];
  readonly more: boolean;
  readonly threads: readonly ThreadSummary[];
}

/** A server of a version before has no memory here. */
type Listed = List<InboxItem> & {
  readonly questions?: readonly InboxQuestion[];
  readonly memory?: readonly InboxMemory[];
};

/** Apart from what most windows open with. */
const { Show: Decided } = lazy('Decided', () => import('./decided.tsx').then((all) => all.Decided));

export function Inbox({ place }: { readonly place: Place }): VNode {
  return place.query.has('decided') ? <Decided /> : <Waits place={place} />;
}

function Waits({ place }: { readonly place: Place }): VNode {
  const { workspace, role } = useSession();
  const home = `/workspaces/${encodeURIComponent(workspace)}`;
  const base = `${home}/inbox`;
  const reading = useRead<Waiting>(base, async (_, signal) => {
    const [of, talks] = inboxReads(workspace);
    const [{ items, next, questions = [], memory = [] }, threads] = await Promise.all([
      read<Listed>(of, signal),
      read<List<ThreadSummary>>(talks, signal).catch(() => ({ items: [] })),
    ]);
    const beside = [...asksOf(questions, threads.items), ...heldOf(memory)];
    return { items, more: next !== null, threads: threads.items, beside };
  });
  useWorldChange(reading.again);
  if (reading.state === 'loading')
    return (
      <div class="pad">
        <h1>Inbox</h1>
        <Loading what="what waits for you" />
      </div>
    );
  if (reading.state === 'failed')
    return (
      <div class="pad">
        <h1>Inbox</h1>
        <Failed trouble={reading.trouble} again={reading.again} />
      </div>
    );
  return (
    <Deciding
      home={home}
      waiting={reading.value}
      again={reading.again}
      place={place}
      mayDecide={role === 'author'}
    />
  );
}

interface DecidingProps {
  readonly home: string;
  readonly waiting: Waiting;
  readonly again: () => void;
  readonly place: Place;
  readonly mayDecide: boolean;
}

export interface Refusal {
  readonly id: string;
  readonly trouble: Trouble;
}

interface Undoable {
  readonly write: string;
  readonly item: InboxItem;
}

function Deciding({ home, waiting, again, place, mayDecide }: DecidingProps): VNode {
  const base = `${home}/inbox`;
  /** Decided in this view and not taken back, the last on top. */
  const [done, setDone] = useState<readonly Undoable[]>([]);
  const mayUndo = useOffered('/workspaces/{workspace}/undo', done.length > 0);
  const undoable = mayUndo ? (done.at(-1) ?? null) : null;
  /** Decided here, and still in the list until the server is asked again. */
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  /**
   * The revision at which each item was chosen, so that one that changes later is not decided unseen. Null: the one that
   * is shown now, because its decision was refused.
   */
  const [chosen, setChosen] = useState<ReadonlyMap<string, number | null>>(new Map());
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [said, setSaid] = useState('');
  const [mode, setMode] = useState<'look' | 'edit' | 'reject'>('look');
  const list = useRef<HTMLDivElement>(null);

  const groups = useMemo(
    () =>
      groupsOf(
        waiting.items.filter(({ id }) => !gone.has(id)),
        waiting.threads,
      ),
    [waiting, gone],
  );
  const items = useMemo(() => inOrder(groups), [groups]);
  const beside = useMemo(() => waiting.beside.filter(({ id }) => !gone.has(id)), [waiting, gone]);
  /** Everything that waits, in the order in which it is shown. */
  const entries = useMemo(() => [...beside, ...items], [beside, items]);
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === place.parts[0]),
  );
  const chosenEntry = entries[at];
  const current = chosenEntry !== undefined && isItem(chosenEntry) ? chosenEntry : undefined;
  const asked = chosenEntry?.kind === 'question' ? chosenEntry : null;
  const memory = chosenEntry?.kind === 'memory' ? chosenEntry : null;
  const pane = useRef<HTMLDivElement>(null);

  const show = useCallback((entry: { readonly id: string } | undefined) => {
    setMode('look');
    goQuietly(entry === undefined ? to('inbox') : to('inbox', entry.id));
  }, []);
  const step = (by: number): void => show(entries[Math.min(entries.length - 1, Math.max(0, at + by))]);
  const leave = (id: string): void => {
    setRefusal(null);
    setGone((before) => new Set([...before, id]));
    show(entries[at + 1] ?? entries[at - 1]);
  };
  const comeBack = useCallback(
    (id: string): void => setGone((before) => new Set([...before].filter((one) => one !== id))),
    [],
  );
  // A conversation whose question was answered may ask another one.
  useEffect(() => {
    setGone((before) => {
      const over = [...before].filter(
        (id) => id.startsWith('question:') && !waiting.beside.some((one) => one.id === id),
      );
      return over.length === 0 ? before : new Set([...before].filter((id) => !over.includes(id)));
    });
  }, [waiting]);

  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosenEntry?.id]);

  async function decide(
    item: InboxItem,
    act: Act,
    more: { text?: string; reason?: string } = {},
  ): Promise<void> {
    if (!mayDecide) return;
    leave(item.id);
    try {
      const { write_id } = await write<{ readonly write_id: string }>('POST', `${base}/${item.id}/decision`, {
        act,
        revision: item.revision,
        ...more,
      });
      setSaid(`${past[act]}: ${item.path}`);
      setDone((before) => [...before, { write: write_id, item }]);
    } catch (thrown) {
      const trouble = troubleOf(thrown);
      // Decided elsewhere meanwhile: it is gone, as it should be.
      if (thrown instanceof ApiError && thrown.status === 404) setSaid(`${item.path}: ${trouble.message}`);
      else {
        comeBack(item.id);
        setRefusal({ id: item.id, trouble });
        show(item);
        again();
      }
    }
  }

  async function decideMemory(accept: boolean): Promise<void> {
    if (memory === null || !mayDecide) return;
    const { id, memory: held } = memory;
    leave(id);
    try {
      await write('POST', `${home}/memory/decision`, { key: held.id, accept });
      setSaid(`${accept ? 'Taken in' : 'Dropped'}: ${held.id}`);
    } catch (thrown) {
      // Decided elsewhere meanwhile: it is gone, as it should be.
      if (thrown instanceof ApiError && thrown.status === 404) setSaid(`${held.id}: ${thrown.message}`);
      else {
        comeBack(id);
        setRefusal({ id, trouble: troubleOf(thrown) });
        show(memory);
      }
    }
    again();
  }

  async function undo(): Promise<void> {
    if (undoable === null) return;
    const { write: write_id, item } = undoable;
    setDone((before) => before.filter((one) => one.write !== write_id));
    try {
      await write('POST', `${home}/undo`, { write_id });
      comeBack(item.id);
      setSaid(`Taken back: ${item.path}`);
      show(item);
      again();
    } catch (thrown) {
      setRefusal({ id: '', trouble: troubleOf(thrown) });
    }
  }

  async function decideMany(act: 'accept' | 'reject', reason?: string): Promise<void> {
    const those = items.filter(({ id }) => chosen.has(id));
    if (those.length === 0 || !mayDecide) return;
    setRefusal(null);
    try {
      const { items: results } = await write<{ items: readonly { id: string; error?: Trouble }[] }>(
        'POST',
        `${base}/decisions`,
        {
          decisions: those.map(({ id, kind, revision }) => ({
            id,
            revision: chosen.get(id) ?? revision,
            act: kind === 'flag' ? 'resolve' : act,
            ...(reason !== undefined && { reason }),
          })),
        },
      );
      const refused = results.filter(({ error }) => error !== undefined);
      setGone((before) => new Set([...before, ...results.filter(({ error }) => !error).map(({ id }) => id)]));
      setSaid(`${past[act]}: ${results.length - refused.length} of ${results.length}`);
      const [first] = refused;
      setChosen(new Map(first && [[first.id, null]]));
      if (first?.error !== undefined) setRefusal({ id: first.id, trouble: first.error });
    } catch (thrown) {
      setRefusal({ id: '', trouble: troubleOf(thrown) });
    }
    setMode('look');
    again();
  }

  const toggle = (id: string): void =>
    setChosen((before) => {
      const after = new Map(before);
      if (!after.delete(id)) after.set(id, items.find((item) => item.id === id)?.revision ?? null);
      return after;
    });

  const accept = (): void => {
    if (current === undefined) return;
    if (chosen.size > 0) void decideMany('accept');
    else void decide(current, current.kind === 'flag' ? 'resolve' : 'accept');
  };
  const actKeys = !mayDecide
    ? []
    : asked !== null
      ? [
          {
            key: 'i',
            does: 'Answer it',
            act: () => pane.current?.querySelector<HTMLElement>('.question input')?.focus(),
          },
        ]
      : memory !== null
        ? [
            { key: 'a', does: 'Take it into the memory', act: () => void decideMemory(true) },
            { key: 'r', does: 'Drop it', act: () => void decideMemory(false) },
          ]
        : current === undefined
          ? []
          : [
              { key: 'a', does: current.kind === 'flag' ? 'It is still right' : 'Accept', act: accept },
              ...(current.kind === 'flag'
                ? !isBlock(current)
                  ? []
                  : [{ key: 'e', does: 'Say it anew', act: () => setMode('edit') }]
                : [
                    { key: 'e', does: 'Edit, then accept', act: () => setMode('edit') },
                    { key: 'r', does: 'Reject, with a reason', act: () => setMode('reject') },
                  ]),
              { key: 'x', does: 'Choose for many at once', act: () => toggle(current.id) },
            ];
  useKeys('Inbox', [
    { key: 'j', does: 'Next', act: () => step(1) },
    { key: 'k', does: 'Previous', act: () => step(-1) },
    { key: 'd', does: 'What was decided', act: () => go(`${to('inbox')}?decided`) },
    ...actKeys,
    ...(undoable === null ? [] : [{ key: 'u', does: 'Take the last decision back', act: () => void undo() }]),
  ]);
  const position = `${at + 1} of ${entries.length}`;

  return (
    <div class="inbox">
      <InboxList
        {...{ beside, groups, mayDecide, chosen, toggle, list }}
        count={entries.length}
        more={waiting.more}
        current={chosenEntry?.id ?? null}
      />
      <div class="inbox-item" ref={pane}>
        <p class="visually-hidden" role="status">
          {said}
        </p>
        {refusal?.id === '' && <Failed trouble={refusal.trouble} />}
        {asked !== null ? (
          <Asking
            key={asked.id}
            of={asked}
            position={position}
            mayDecide={mayDecide}
            answered={() => {
              leave(asked.id);
              setSaid(`Answered: ${asked.title}`);
              setTimeout(again, answeredMs);
            }}
          />
        ) : memory !== null ? (
          <HeldMemory
            key={memory.id}
            memory={memory.memory}
            position={position}
            refusal={refusal?.id === memory.id ? refusal.trouble : null}
            said={said}
            decide={(accept) => void decideMemory(accept)}
          />
        ) : current === undefined ? (
          <Empty title="Nothing waits for you">
            {said === '' ? 'What agents write, and what contradicts you, comes here.' : said}{' '}
            {undoable !== null && (
              <button type="button" onClick={() => void undo()}>
                Undo <kbd>u</kbd>
              </button>
            )}
          </Empty>
        ) : (
          <ItemView
            key={current.id}
            item={current}
            thread={waiting.threads.find(({ id }) => id === current.thread)}
            position={position}
            refusal={refusal?.id === current.id ? refusal.trouble : null}
            said={said}
            undo={undoable === null ? null : () => void undo()}
            mode={mode}
            setMode={setMode}
            mayDecide={mayDecide}
            chosen={chosen.size}
            accept={accept}
            decide={(act, more) => {
              if (chosen.size > 0 && act === 'reject') void decideMany('reject', more?.reason);
              else void decide(current, act, more);
            }}
            step={step}
          />
        )}
      </div>
    </div>
  );
}

/** Until the agent has taken up an answer. Milliseconds. */
const answeredMs = 1_000;

const isItem = (entry: Beside | InboxItem): entry is InboxItem =>
  entry.kind !== 'question' && entry.kind !== 'memory';

const past: Readonly<Record<Act, string>> = {
  accept: 'Accepted',
  edit: 'Accepted with your text',
  reject: 'Rejected',
  resolve: 'Looked at',
};

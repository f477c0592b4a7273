/** What waits for the author: one at a time, whole, and decided by one key. */
import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, type List, read, type Trouble, troubleOf, write } from '../../api/client.ts';
import { inboxReads } from '../../api/inbox-reads.ts';
import { useOffered } from '../../api/offers.ts';
import type { Act, InboxItem, ThreadSummary } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { useWorldChange } from '../../api/world-events.ts';
import { useKeys } from '../../parts/keys.ts';
import { goQuietly, type Place, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';
import { gistOf, groupsOf, inOrder, nameOf } from './groups.ts';
import { ItemView } from './item-view.tsx';

interface Waiting {
  readonly items: readonly InboxItem[];
  readonly more: boolean;
  readonly threads: readonly ThreadSummary[];
}

export function Inbox({ place }: { readonly place: Place }): VNode {
  const { workspace, role } = useSession();
  const home = `/workspaces/${encodeURIComponent(workspace)}`;
  const base = `${home}/inbox`;
  const reading = useRead<Waiting>(base, async (_, signal) => {
    const [of, talks] = inboxReads(workspace);
    const [{ items, next }, threads] = await Promise.all([
      read<List<InboxItem>>(of, signal),
      read<List<ThreadSummary>>(talks, signal).catch(() => ({ items: [] })),
    ]);
    return { items, more: next !== null, threads: threads.items };
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

function Deciding({ home, waiting, again, place, mayDecide }: DecidingProps): VNode {
  const base = `${home}/inbox`;
  const [done, setUndoable] = useState<{ readonly write: string; readonly item: InboxItem } | null>(null);
  const mayUndo = useOffered('/workspaces/{workspace}/undo', done !== null);
  const undoable = mayUndo ? done : null;
  /** Decided here, and still in the list until the server is asked again. */
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
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
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === place.parts[0]),
  );
  const current = items[at];

  const show = useCallback((item: InboxItem | undefined) => {
    setMode('look');
    goQuietly(item === undefined ? to('inbox') : to('inbox', item.id));
  }, []);
  const step = (by: number): void => show(items[Math.min(items.length - 1, Math.max(0, at + by))]);

  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  async function decide(
    item: InboxItem,
    act: Act,
    more: { text?: string; reason?: string } = {},
  ): Promise<void> {
    if (!mayDecide) return;
    const next = items[at + 1] ?? items[at - 1];
    setRefusal(null);
    setGone((before) => new Set([...before, item.id]));
    show(next);
    try {
      const { write_id } = await write<{ readonly write_id: string }>('POST', `${base}/${item.id}/decision`, {
        act,
        revision: item.revision,
        ...more,
      });
      setSaid(`${past[act]}: ${item.path}`);
      setUndoable({ write: write_id, item });
    } catch (thrown) {
      const trouble = troubleOf(thrown);
      // Decided elsewhere meanwhile: it is gone, as it should be.
      if (thrown instanceof ApiError && thrown.status === 404) setSaid(`${item.path}: ${trouble.message}`);
      else {
        setGone((before) => new Set([...before].filter((id) => id !== item.id)));
        setRefusal({ id: item.id, trouble });
        show(item);
        again();
      }
    }
  }

  async function undo(): Promise<void> {
    if (undoable === null) return;
    const { write: write_id, item } = undoable;
    setUndoable(null);
    try {
      await write('POST', `${home}/undo`, { write_id });
      setGone((before) => new Set([...before].filter((id) => id !== item.id)));
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
            revision,
            act: kind === 'flag' ? 'resolve' : act,
            ...(reason !== undefined && { reason }),
          })),
        },
      );
      const refused = results.filter(({ error }) => error !== undefined);
      setGone((before) => new Set([...before, ...results.filter(({ error }) => !error).map(({ id }) => id)]));
      setChosen(new Set(refused.map(({ id }) => id)));
      setSaid(`${past[act]}: ${results.length - refused.length} of ${results.length}`);
      const [first] = refused;
      if (first?.error !== undefined) setRefusal({ id: first.id, trouble: first.error });
    } catch (thrown) {
      setRefusal({ id: '', trouble: troubleOf(thrown) });
    }
    setMode('look');
    again();
  }

  const toggle = (id: string): void =>
    setChosen(
      (before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
    );

  const accept = (): void => {
    if (current === undefined) return;
    if (chosen.size > 0) void decideMany('accept');
    else void decide(current, current.kind === 'flag' ? 'resolve' : 'accept');
  };
  const actKeys =
    current === undefined || !mayDecide
      ? []
      : [
          { key: 'a', does: current.kind === 'flag' ? 'It is still right' : 'Accept', act: accept },
          ...(current.kind === 'flag'
            ? []
            : [
                { key: 'e', does: 'Edit, then accept', act: () => setMode('edit') },
                { key: 'r', does: 'Reject, with a reason', act: () => setMode('reject') },
              ]),
          { key: 'x', does: 'Choose for many at once', act: () => toggle(current.id) },
        ];
  useKeys('Inbox', [
    { key: 'j', does: 'Next', act: () => step(1) },
    { key: 'k', does: 'Previous', act: () => step(-1) },
    ...actKeys,
    ...(undoable === null ? [] : [{ key: 'u', does: 'Take the last decision back', act: () => void undo() }]),
  ]);
  const asking = waiting.threads.filter(({ questions }) => questions > 0);

  return (
    <div class="inbox">
      <div class="inbox-list">
        <header class="list-head">
          <h1>
            Inbox{' '}
            <span class="count">
              {items.length}
              {waiting.more ? '+' : ''}
            </span>
          </h1>
        </header>
        <div class="scroll" ref={list} tabIndex={0} role="region" aria-label="What waits">
          {asking.length > 0 && (
            <section class="group">
              <h2>Asks you</h2>
              <ul>
                {asking.map(({ id, title }) => (
                  <li key={id}>
                    <a href={to('threads', id)}>
                      <span class="tag warn">Question</span>
                      <span class="gist">{plainText(title || id)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {groups.map((group) => (
            <section class="group" key={group.key}>
              <h2>{plainText(group.title)}</h2>
              {group.pages.map(({ path, items: of }) => (
                <div key={path}>
                  <h3 title={path}>{plainText(path)}</h3>
                  <ul>
                    {of.map((item) => (
                      <li key={item.id}>
                        {mayDecide && (
                          <input
                            type="checkbox"
                            aria-label={`Choose ${gistOf(item)}`}
                            checked={chosen.has(item.id)}
                            onChange={() => toggle(item.id)}
                          />
                        )}
                        <a
                          href={to('inbox', item.id)}
                          aria-current={item === current ? 'true' : undefined}
                          class={item.kind}
                        >
                          <span class={`tag ${nameOf(item).toLowerCase().replace(' ', '-')}`}>
                            {nameOf(item)}
                          </span>
                          <span class="gist">{plainText(gistOf(item))}</span>
                        </a>
                      </li>
                    ))}
                  </ul>
                </div>
              ))}
            </section>
          ))}
        </div>
      </div>
      <div class="inbox-item">
        <p class="visually-hidden" role="status">
          {said}
        </p>
        {refusal?.id === '' && <Failed trouble={refusal.trouble} />}
        {current === undefined ? (
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
            position={`${at + 1} of ${items.length}`}
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

const past: Readonly<Record<Act, string>> = {
  accept: 'Accepted',
  edit: 'Accepted with your text',
  reject: 'Rejected',
  resolve: 'Looked at',
};

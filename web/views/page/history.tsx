import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import { useOffered } from '../../api/offers.ts';
import type { WorldEvent } from '../../api/types.ts';
import { Difference } from '../../parts/difference-view.tsx';
import { MoreList } from '../../parts/more-list.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';

type Texts = readonly {
  readonly id: string;
  readonly before: string | null;
  readonly after: string | null;
}[];

/** The text of each changed block, before and after the event. */
function textsOf({ before, after }: WorldEvent): Texts {
  const ids = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const textIn = (side: WorldEvent['before'], id: string): string | null => {
    const { front, text } = side?.[id] ?? {};
    const parts = [front, text].filter((part) => typeof part === 'string' && part !== '');
    return parts.length === 0 ? null : parts.join('');
  };
  return [...ids]
    .map((id) => ({ id, before: textIn(before, id), after: textIn(after, id) }))
    .filter((one) => one.before !== one.after);
}

export function History({
  base,
  mayRestore,
}: {
  readonly base: string;
  readonly mayRestore: boolean;
}): VNode {
  const mayPutBack = useOffered('/workspaces/{workspace}/pages/{page}/restore', mayRestore);
  return (
    <MoreList<WorldEvent>
      path={`${base}/history`}
      what="the history"
      follows
      empty={<Empty title="Nothing happened yet" />}
    >
      {(items) => (
        <ol class="history">
          {items.map((event, n) => (
            <Moment key={event.seq} event={event} base={base} mayRestore={mayPutBack && n > 0} />
          ))}
        </ol>
      )}
    </MoreList>
  );
}

function Moment({
  event,
  base,
  mayRestore,
}: {
  readonly event: WorldEvent;
  readonly base: string;
  readonly mayRestore: boolean;
}): VNode {
  const { op, at, caller, caller_kind, seq } = event;
  const [open, setOpen] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isBack, setBack] = useState(false);
  const texts = textsOf(event);
  return (
    <li>
      <p class="row">
        <span class={`tag ${caller_kind === 'user' ? 'accent' : 'warn'}`}>
          {plainText(caller_kind === 'user' ? 'you' : `${caller_kind} ${caller}`)}
        </span>
        <strong>{plainText(op.replaceAll('_', ' '))}</strong>
        <time class="muted small" title={exact(at)}>
          {since(at)}
        </time>
        {texts.length > 0 && (
          <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide the change' : 'Show the change'}
          </button>
        )}
        {mayRestore && (
          <button
            type="button"
            class="quiet small"
            onClick={() =>
              write('POST', `${base}/restore`, { seq }).then(
                () => {
                  setTrouble(null);
                  setBack(true);
                },
                (thrown: unknown) => setTrouble(troubleOf(thrown)),
              )
            }
          >
            Put back as it was here
          </button>
        )}
        <span class="small muted" role="status">
          {isBack && 'It stands again, as a change of yours.'}
        </span>
      </p>
      {trouble !== null && <Failed trouble={trouble} />}
      {open && texts.map(({ id, before, after }) => <Difference key={id} before={before} after={after} />)}
    </li>
  );
}

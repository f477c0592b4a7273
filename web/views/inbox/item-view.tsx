import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Trouble } from '../../api/client.ts';
import type { Act, InboxItem, ThreadSummary } from '../../api/types.ts';
import { Difference } from '../../parts/difference-view.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { exact, plainText, since } from '../../parts/words.ts';
import { isBlock, nameOf } from './groups.ts';
import { Sources } from './sources.tsx';

export interface ItemProps {
  readonly item: InboxItem;
  readonly thread: ThreadSummary | undefined;
  readonly position: string;
  readonly refusal: Trouble | null;
  readonly said: string;
  readonly undo: (() => void) | null;
  readonly mode: 'look' | 'edit' | 'reject';
  readonly setMode: (mode: 'look' | 'edit' | 'reject') => void;
  readonly mayDecide: boolean;
  /** How many are chosen for a decision at once. */
  readonly chosen: number;
  readonly accept: () => void;
  readonly decide: (act: Act, more?: { text?: string; reason?: string }) => void;
  readonly step: (by: number) => void;
}

export function ItemView(props: ItemProps): VNode {
  const { item, thread, position, refusal, mode, mayDecide, step } = props;
  const isFlag = item.kind === 'flag';
  return (
    <article class="item" aria-label={`${nameOf(item)} in ${item.path}`}>
      <header class="item-head">
        <div class="row spread">
          <p class="path">
            <span class={`tag ${nameOf(item).toLowerCase().replace(' ', '-')}`}>{nameOf(item)}</span>{' '}
            <a href={to('find', item.path)}>{plainText(item.path)}</a>
          </p>
          <p class="row small muted">
            <button type="button" class="quiet small" aria-label="Previous" onClick={() => step(-1)}>
              ↑
            </button>
            <span>{position}</span>
            <button type="button" class="quiet small" aria-label="Next" onClick={() => step(1)}>
              ↓
            </button>
          </p>
        </div>
        <p class="muted small">
          {item.by !== null && <>{plainText(item.by.replace(':', ' '))} · </>}
          <time title={exact(item.at)}>{since(item.at)}</time>
          {item.thread !== null && (
            <>
              {' · '}
              <a href={to('threads', item.thread)}>{plainText(thread?.title || 'conversation')}</a>
            </>
          )}
        </p>
        <p class="note">{plainText(item.note)}</p>
      </header>
      {refusal !== null && <Refused trouble={refusal} />}
      {item.conflicts.length > 0 && <Conflicts of={item.conflicts} />}
      {isFlag && mode === 'look' && item.text !== null && (
        <section aria-label="What is to be looked at">
          <h2>Is this still right?</h2>
          <Markdown text={item.text} />
        </section>
      )}
      {isFlag && mode === 'look' && <h2>Its source has changed</h2>}
      <div class={item.sources.length > 0 ? 'beside' : undefined}>
        {mode === 'edit' ? (
          <Edit {...props} />
        ) : (
          <Difference
            before={item.before}
            after={item.after}
            names={isFlag ? ['Source before', 'Source now'] : ['Before', 'After']}
          />
        )}
        {item.sources.length > 0 && <Sources of={item.sources} />}
      </div>
      {mayDecide && mode === 'look' && <Acts {...props} />}
      {mayDecide && mode === 'reject' && <Reject {...props} />}
    </article>
  );
}

function Acts({ item, accept, setMode, chosen, said, undo }: ItemProps): VNode {
  const isFlag = item.kind === 'flag';
  const many = chosen > 0 ? ` ${chosen} chosen` : '';
  return (
    <footer class="acts">
      <button type="button" class="main-act" onClick={accept}>
        {isFlag && chosen === 0 ? 'Still right' : `Accept${many}`} <kbd>a</kbd>
      </button>
      {(!isFlag || isBlock(item)) && chosen === 0 && (
        <button type="button" onClick={() => setMode('edit')}>
          Edit <kbd>e</kbd>
        </button>
      )}
      {(!isFlag || chosen > 0) && (
        <button type="button" onClick={() => setMode('reject')}>
          Reject{many} <kbd>r</kbd>
        </button>
      )}
      <span class="said">{plainText(said)}</span>
      {undo !== null && (
        <button type="button" class="quiet" onClick={undo}>
          Undo <kbd>u</kbd>
        </button>
      )}
    </footer>
  );
}

function Edit({ item, decide, setMode }: ItemProps): VNode {
  const [text, setText] = useState(item.text ?? item.after ?? item.before ?? '');
  const area = useRef<HTMLTextAreaElement>(null);
  // Before the next key: what is typed at once is typed there.
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        decide('edit', { text });
      }}
    >
      <label for="edit-text">What is to stand, in your words</label>
      <textarea
        id="edit-text"
        ref={area}
        value={text}
        rows={Math.min(30, Math.max(8, text.split('\n').length + 2))}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setMode('look');
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) decide('edit', { text });
        }}
      />
      <p class="row">
        <button type="submit" class="main-act">
          Accept this text <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </button>
        <button type="button" onClick={() => setMode('look')}>
          Cancel <kbd>Esc</kbd>
        </button>
      </p>
    </form>
  );
}

function Reject({ decide, setMode, chosen }: ItemProps): VNode {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <form
      class="acts"
      onSubmit={(event) => {
        event.preventDefault();
        decide('reject', reason.trim() === '' ? {} : { reason: reason.trim() });
      }}
    >
      <label class="grow">
        <span class="small muted">Why? The agent is told. May be left empty.</span>
        <input
          ref={field}
          value={reason}
          maxLength={2000}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setMode('look');
          }}
        />
      </label>
      <button type="submit" class="main-act">
        Reject{chosen > 0 ? ` ${chosen} chosen` : ''} <kbd>Enter</kbd>
      </button>
      <button type="button" onClick={() => setMode('look')}>
        Cancel <kbd>Esc</kbd>
      </button>
    </form>
  );
}

/** The item changed before the decision arrived. Its present state is shown below, and can be decided. */
function Refused({ trouble }: { readonly trouble: Trouble }): VNode {
  const diff = trouble.details?.['diff'];
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{plainText(trouble.message)}.</strong> {trouble.remedy}
      </p>
      {typeof diff === 'string' && diff !== '' && <pre>{plainText(diff)}</pre>}
      <code class="muted">{trouble.code}</code>
    </div>
  );
}

const Conflicts = ({ of }: { readonly of: InboxItem['conflicts'] }): VNode => (
  <section class="conflicts" aria-label="Conflicts">
    <h2>What stands was changed at the same place</h2>
    {of.map(({ base, ours, theirs }) => (
      <div class="three">
        {(
          [
            ['It was', base],
            ['It stands now', ours],
            ['Proposed', theirs],
          ] as const
        ).map(([title, text]) => (
          <figure>
            <figcaption class="muted small">{title}</figcaption>
            <pre>{plainText(text)}</pre>
          </figure>
        ))}
      </div>
    ))}
  </section>
);

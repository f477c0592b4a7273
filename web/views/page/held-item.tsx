/** A change that waits for a decision, shown beside the block that it would change. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Act, InboxItem } from '../../api/types.ts';
import { Difference } from '../../parts/difference-view.tsx';
import { to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Failed } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { nameOf } from '../inbox/groups.ts';

interface Props {
  readonly home: string;
  readonly item: InboxItem;
  readonly decided: () => void;
  /** The block above shows the candidate itself. */
  readonly isShown?: boolean;
}

export function HeldItem({ home, item, decided, isShown = false }: Props): VNode {
  const { role } = useSession();
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const { id, kind, revision, before, after, by, at, note, conflicts } = item;
  const isFlag = kind === 'flag';
  const decide = (act: Act): void => {
    if (busy) return;
    setBusy(true);
    setTrouble(null);
    write('POST', `${home}/inbox/${id}/decision`, { act, revision })
      .then(decided, (thrown: unknown) => {
        setTrouble(troubleOf(thrown));
        decided();
      })
      .finally(() => setBusy(false));
  };
  return (
    <section class={`held ${kind}`} aria-label={`${nameOf(item)}: ${plainText(note)}`}>
      <p class="row small">
        <span class={`tag ${nameOf(item).toLowerCase().replace(' ', '-')}`}>{nameOf(item)}</span>
        <span class="muted">
          {by !== null && `${plainText(by.replace(':', ' '))} · `}
          <time title={exact(at)}>{since(at)}</time>
        </span>
        <span class="muted held-note">{isFlag ? 'What it rests on was changed.' : plainText(note)}</span>
      </p>
      {!isShown && (
        <Difference
          before={before}
          after={after}
          names={isFlag ? ['Source before', 'Source now'] : ['Before', 'After']}
        />
      )}
      {trouble !== null && <Failed trouble={trouble} />}
      <p class="row">
        {role === 'author' && conflicts.length === 0 && (
          <button type="button" disabled={busy} onClick={() => decide(isFlag ? 'resolve' : 'accept')}>
            {isFlag ? 'Still right' : 'Accept'}
          </button>
        )}
        {role === 'author' && !isFlag && (
          <button type="button" disabled={busy} onClick={() => decide('reject')}>
            Reject
          </button>
        )}
        <a class="small" href={to('inbox', id)}>
          {conflicts.length > 0 ? 'Settle the conflict in the inbox' : 'In the inbox'}
        </a>
      </p>
    </section>
  );
}

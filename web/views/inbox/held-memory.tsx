/** A memory that an agent wants to store after it read material: the owner accepts or rejects it. */
import type { VNode } from 'preact';
import type { Trouble } from '../../api/client.ts';
import type { InboxMemory } from '../../api/types.ts';
import { Failed } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';

export const HeldMemory = ({
  memory: { id, text, origins, writer, at },
  position,
  refusal,
  said,
  decide,
}: {
  readonly memory: InboxMemory;
  readonly position: string;
  readonly refusal: Trouble | null;
  readonly said: string;
  readonly decide: (accept: boolean) => void;
}): VNode => (
  <article class="item" aria-label={`Memory ${plainText(id)}`}>
    <header class="item-head">
      <div class="row spread">
        <p class="path">
          <span class="tag warn">Memory</span> <code>{plainText(id)}</code>
        </p>
        <span class="row small muted">{position}</span>
      </div>
      <p class="muted small">
        {plainText(writer)} · <time title={exact(at)}>{since(at)}</time>
      </p>
      <p class="note">
        To be remembered in all your workspaces. It was stored after reading{' '}
        {plainText(origins.join(', ') || 'material')}, and may repeat what stands there.
      </p>
    </header>
    {refusal !== null && <Failed trouble={refusal} />}
    <blockquote class="source">{plainText(text)}</blockquote>
    <footer class="acts">
      <button type="button" class="main-act" onClick={() => decide(true)}>
        Take in <kbd>a</kbd>
      </button>
      <button type="button" onClick={() => decide(false)}>
        Drop <kbd>r</kbd>
      </button>
      <span class="said">{plainText(said)}</span>
    </footer>
  </article>
);

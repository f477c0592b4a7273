import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type List, type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Checkpoint, Message, Thread } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed, Shown } from '../../parts/states.tsx';
import { exact, plainText, plural, since } from '../../parts/words.ts';

/** Another conversation that begins where this one stood: now, or at any place before. */
export function ForkDialog({
  thread: { id, title },
  close,
  forked,
}: {
  readonly thread: Thread;
  readonly close: () => void;
  readonly forked: (id: string) => void;
}): VNode {
  const path = `/threads/${encodeURIComponent(id)}`;
  const reading = useRead<List<Checkpoint>>(`${path}/checkpoints?limit=50`);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const fork = (checkpoint?: string): void =>
    void write<{ readonly id: string }>('POST', `${path}/fork`, {
      ...(checkpoint !== undefined && { checkpoint }),
      ...(title !== '' && { title: `${title} (fork)`.slice(0, 200) }),
    }).then(
      (made) => forked(made.id),
      (thrown: unknown) => setTrouble(troubleOf(thrown)),
    );
  return (
    <Dialog title="Fork the conversation" close={close}>
      <p>
        A new conversation opens that begins with everything said up to the place you choose, and you go on
        there in your own words. This one stays as it is. Nothing that was written into pages is taken back.
      </p>
      {trouble !== null && <Failed trouble={trouble} />}
      <p>
        <button type="button" class="main-act" onClick={() => fork()}>
          From where it stands now
        </button>
      </p>
      <h2>Or from behind an earlier word</h2>
      <Shown of={reading} what="places">
        {({ items }) => (
          <ul class="lines">
            {placesOf(items).map(({ id: at, at: when, last, end, messages }) => (
              <li key={at}>
                <button type="button" class="quiet line" onClick={() => fork(at)}>
                  <span class="line-title">{plainText(gistOf(last))}</span>
                  <span class="line-cost muted" title={exact(when)}>
                    {plural(messages, 'message')}
                    {end !== null && `, ${end}`} · {since(when)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Dialog>
  );
}

type Place = Checkpoint & { readonly last: Message };

/** The last checkpoint after each message: a reader sees no difference between the others. */
function placesOf(items: readonly Checkpoint[]): readonly Place[] {
  const seen = new Set<number>();
  return items.filter((one): one is Place => {
    if (one.last === null || seen.has(one.messages)) return false;
    seen.add(one.messages);
    return true;
  });
}

const said: Readonly<Record<Message['kind'], string>> = {
  user: 'you: ',
  steer: 'you, while it worked: ',
  assistant: 'agent: ',
  tool: 'result of ',
  compact: 'what came before, in a summary',
};

function gistOf({ kind, text, calls, name }: Message): string {
  if (kind === 'tool') return `${said.tool}${name ?? 'a call'}`;
  if (kind === 'compact') return said.compact;
  return text === ''
    ? `${said[kind]}calls ${calls.map((call) => call.name).join(', ')}`
    : `${said[kind]}${text.slice(0, 100)}`;
}

import type { VNode } from 'preact';
import type { Message } from '../../api/types.ts';
import { Difference } from '../../parts/difference-view.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { plainText } from '../../parts/words.ts';
import type { LiveCall } from './use-thread.ts';

interface Props {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly result: Message | undefined;
  readonly heard: LiveCall | undefined;
}

/** One tool call: its arguments, what it changed, and what it read. */
export function CallView({ name, args, result, heard }: Props): VNode {
  const ok = result?.ok ?? heard?.ok ?? null;
  const changes = heard?.changes ?? [];
  return (
    <details class="tool-call">
      <summary>
        <span class={`dot action ${ok === null ? 'is-open' : ok ? '' : 'is-bad'}`} />
        <strong>{plainText(name)}</strong>{' '}
        <span class="muted">{plainText(heard?.note || heard?.about || gist(args))}</span>
        {name === 'ask_user' && result?.ok === true && (
          <span>you: {plainText(result.text.slice(0, 300))}</span>
        )}
        {changes.length > 0 && <span class="tag change">{changes.length} changed</span>}
        {ok === null &&
          (name === 'ask_user' ? (
            <span class="tag warn">waits for your answer</span>
          ) : (
            <span class="tag accent">at work</span>
          ))}
        {ok === false && <span class="tag bad">failed</span>}
      </summary>
      <div class="call-body">
        {changes.map(({ id, path, before, after, held }) => (
          <section key={id}>
            <p class="row small">
              <a href={to('find', path ?? id)}>{plainText(path ?? id)}</a>
              {held && <span class="tag warn">waits in the inbox</span>}
            </p>
            <Difference before={before} after={after} />
          </section>
        ))}
        {args !== null && (
          <section>
            <h3 class="muted">Asked</h3>
            <pre class="block">{plainText(JSON.stringify(args, null, 2))}</pre>
          </section>
        )}
        {result !== undefined && (
          <section>
            <h3 class="muted">Gave</h3>
            <Markdown text={result.text} />
            {result.reads.length > 0 && (
              <p class="row small muted">
                Read:{' '}
                {result.reads.map((read) => (
                  <a href={to('find', read)}>{plainText(read)}</a>
                ))}
              </p>
            )}
          </section>
        )}
      </div>
    </details>
  );
}

const gist = (args: Readonly<Record<string, unknown>> | null): string =>
  Object.values(args ?? {})
    .filter((value) => typeof value === 'string')
    .join(', ')
    .slice(0, 120);

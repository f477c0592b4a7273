import type { ComponentChildren, VNode } from 'preact';
import type { Evidence, LoggedEvent, RunEvent, TreeNode } from '../../../src/view.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { amounts, clock, count, exact, lasted, plainText } from '../../parts/words.ts';
import { eventsOf } from './rows.ts';

/** One node of a run: its request, its result and its cost. */
export function NodeView({
  run,
  node,
  log,
  evidence,
}: {
  readonly run: string;
  readonly node: TreeNode;
  readonly log: readonly LoggedEvent[];
  readonly evidence: ReadonlyMap<string, Evidence>;
}): VNode {
  const { title, kind, outcome, started, ended, spent, note, evidence: ids } = node;
  return (
    <section class="node-view" aria-label={title}>
      <h2>{plainText(title)}</h2>
      <p class="row small muted">
        <span class="tag">{kind === 'node' ? 'part' : kind}</span>
        <span class={`tag ${outcome === 'ok' ? 'good' : outcome === 'error' ? 'bad' : ''}`}>
          {outcome ?? 'goes on'}
        </span>
        <time title={exact(started)}>
          {clock(started)}
          {ended !== null && ` · ${lasted(ended - started)}`}
        </time>
        {amounts(spent) !== '' && <span>{amounts(spent)}</span>}
      </p>
      {note !== '' && <p>{plainText(note)}</p>}
      {eventsOf(log, node).map((event) => (
        <EventView event={event} />
      ))}
      {ids.length > 0 && (
        <p class="row small">
          {ids.map((id) => {
            const found = evidence.get(id);
            return (
              <a href={to('runs', run, 'evidence', id)}>
                {found === undefined ? id : plainText(`${found.file_path}:${found.start_line}`)}
              </a>
            );
          })}
        </p>
      )}
    </section>
  );
}

const Part = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode => (
  <div class="part">
    <h3 class="muted">{title}</h3>
    {children}
  </div>
);

function EventView({ event }: { readonly event: RunEvent }): VNode | null {
  switch (event.kind) {
    case 'model_called':
      return (
        <Part title="Asked">
          <p class="small">
            {plainText(event.model)}, {plainText(event.signature)}; reserved {amounts(event.reserved)}.
          </p>
          <p class="small muted">
            The words of its prompt are not kept: they follow from what stands before it here (the question,
            replies, results) and from the evidence, and each call would hold all of that once more.
          </p>
        </Part>
      );
    case 'model_replied':
      return (
        <Part title="Reply">
          <p class="small muted">
            {amounts(event.spent)} in {lasted(event.wall_ms)}
            {event.cached !== undefined && ` · ${count(event.cached)} tokens from the cache`}
            {event.unknown && ' · the cost was not reported'}
            {event.over !== undefined && ` · beyond what was reserved: ${amounts(event.over)}`}
            {event.stopped === true && ' · stopped at its limit'}
          </p>
          {/^\s*[{[]/.test(event.text) ? (
            <pre class="block">{plainText(pretty(event.text))}</pre>
          ) : (
            <Markdown text={event.text} />
          )}
        </Part>
      );
    case 'model_failed':
      return (
        <Part title="Failed">
          <p>
            {plainText(event.message)}. {plainText(event.remedy)}
          </p>
        </Part>
      );
    case 'action_started':
      return (
        <Part title="Asked">
          {event.reasoning !== '' && <p>{plainText(event.reasoning)}</p>}
          <pre class="block">{plainText(JSON.stringify(event.input, null, 2))}</pre>
        </Part>
      );
    case 'action_finished':
      return (
        <Part title="Gave">
          <p>{plainText(event.summary)}</p>
        </Part>
      );
    case 'cell_started':
      return (
        <Part title="Code">
          <pre class="block">{plainText(event.code)}</pre>
        </Part>
      );
    case 'cell_finished':
      return (
        <Part title="Printed">
          <pre class="block">{plainText(event.output)}</pre>
        </Part>
      );
    case 'node_started':
      return (
        <Part title="Asked">
          <p>{plainText(event.prompt)}</p>
        </Part>
      );
    default:
      return null;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

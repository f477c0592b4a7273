import type { VNode } from 'preact';
import type { RunSummary } from '../../api/types.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { type Place, to } from '../../parts/route.ts';
import { Empty } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { Run } from './run.tsx';

export function Runs({ place }: { readonly place: Place }): VNode {
  const [id, ...parts] = place.parts;
  if (id !== undefined && id !== '') return <Run key={id} id={id} parts={parts} />;
  return (
    <div class="pad">
      <h1>Runs</h1>
      <MoreList<RunSummary>
        path="/runs"
        what="runs"
        empty={
          <Empty title="There is no run yet">sonde ask makes the first; conversations make one a turn.</Empty>
        }
      >
        {(items) => (
          <ul class="lines">
            {items.map(({ id: run, question, shape, state, created }) => (
              <li key={run}>
                <a href={to('runs', run)}>
                  <span class="line-main">{plainText(question)}</span>
                  <span class="row small muted">
                    <span class="tag">{shape}</span>
                    <span
                      class={`tag ${state === 'running' ? 'accent' : state === 'interrupted' ? 'warn' : ''}`}
                    >
                      {state}
                    </span>
                    <time title={exact(created)}>{since(created)}</time>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </MoreList>
    </div>
  );
}

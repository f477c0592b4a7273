import type { VNode } from 'preact';
import type { RunSummary } from '../../api/types.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { type Place, to } from '../../parts/route.ts';
import { Empty } from '../../parts/states.tsx';
import { amounts, exact, plainText, since } from '../../parts/words.ts';
import { Run } from './run.tsx';
import { Worth } from './worth.tsx';

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
            {items.map((run) => (
              <li key={run.id}>
                <a href={to('runs', run.id)}>
                  <span class="line-main">{plainText(run.question)}</span>
                  <span class="row small muted">
                    <Worth of={run} />
                    <span class="tag">{run.shape}</span>
                    <span>{amounts({ ...run.spent, fuel: 0 })}</span>
                    <time title={exact(run.created)}>{since(run.created)}</time>
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

import type { VNode } from 'preact';
import type { Incident as IncidentRow } from '../../api/types.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { type Place, to } from '../../parts/route.ts';
import { Empty } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { Incident } from './incident.tsx';

export function Incidents({ place }: { readonly place: Place }): VNode {
  const [id] = place.parts;
  if (id !== undefined && id !== '') return <Incident key={id} id={id} />;
  return (
    <div class="pad">
      <h1>Incidents</h1>
      <MoreList<IncidentRow>
        path="/incidents"
        what="incidents"
        empty={
          <Empty title="No incident was investigated">
            <code>sonde incident</code> looks into an alert; <code>sonde serve --alerts</code> waits for them.
          </Empty>
        }
      >
        {(items) => (
          <ul class="lines">
            {items.map(({ id: run, question, verdict, created }) => (
              <li key={run}>
                <a href={to('incidents', run)}>
                  <span class="line-main">{plainText(question)}</span>
                  <span class="row small muted">
                    <span class={`tag ${verdict === null ? 'accent' : ''}`}>
                      {verdict === null ? 'being looked into' : verdict.replaceAll('_', ' ')}
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

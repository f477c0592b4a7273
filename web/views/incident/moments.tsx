import type { VNode } from 'preact';
import type { IncidentResult } from '../../../src/view.ts';
import { to } from '../../parts/route.ts';
import { plainText } from '../../parts/words.ts';

/** What happened, in order. */
export const Moments = ({
  run,
  moments,
}: {
  readonly run: string;
  readonly moments: IncidentResult['timeline'];
}): VNode => (
  <section>
    <h2>What happened</h2>
    <ol class="moments">
      {moments.map(({ at, what, evidence }) => (
        <li>
          <time dateTime={at}>{plainText(at.replace('T', ' ').replace(/(\.\d+)?Z$/, ''))}</time>
          <span>
            {plainText(what)}{' '}
            {evidence.map((id) => (
              <a class="cite" href={to('runs', run, 'evidence', id)}>
                {id}
              </a>
            ))}
          </span>
        </li>
      ))}
    </ol>
  </section>
);

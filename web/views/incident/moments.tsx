import type { VNode } from 'preact';
import type { IncidentResult } from '../../../src/view.ts';
import { plainText } from '../../parts/words.ts';
import { Cited } from './cited.tsx';

/** The events in order of time. */
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
            {plainText(what)} <Cited run={run} ids={evidence} />
          </span>
        </li>
      ))}
    </ol>
  </section>
);

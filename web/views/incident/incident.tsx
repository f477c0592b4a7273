/** An incident: what is blamed and what ties it to the symptom, on one axis of time, with all that was asked. */
import type { VNode } from 'preact';
import type { IncidentResult } from '../../../src/view.ts';
import type { Incident as IncidentRow } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { amounts, exact, percent, plainText, since } from '../../parts/words.ts';
import { verdictTone } from '../run/claims.tsx';
import { Cited, Named, useCite } from './cited.tsx';
import { Moments } from './moments.tsx';
import { Series } from './series.tsx';

type Whole = Omit<IncidentRow, 'incident'> & { readonly incident: IncidentResult | null };

export function Incident({ id }: { readonly id: string }): VNode {
  const reading = useRead<Whole>(`/incidents/${encodeURIComponent(id)}`);
  if (reading.state !== 'ready')
    return (
      <div class="pad">
        <h1>Incident</h1>
        {reading.state === 'loading' ? (
          <Loading what="the incident" />
        ) : (
          <Failed trouble={reading.trouble} again={reading.again} />
        )}
      </div>
    );
  const { question, verdict, created, incident } = reading.value;
  return (
    <div class="pad incident">
      <header>
        <p class="row small muted">
          <a href={to('incidents')}>Incidents</a>
          <span class="tag accent">
            {verdict === null ? 'being looked into' : verdict.replaceAll('_', ' ')}
          </span>
          <time title={exact(created)}>{since(created)}</time>
          <a href={to('runs', id)}>the report</a>
          <a href={to('runs', id, 'steps')}>what was done</a>
        </p>
        <h1>{plainText(question)}</h1>
      </header>
      {incident === null ? (
        <Empty title="It is still being looked into">
          <a href={to('runs', id, 'steps')}>See what it does</a>
        </Empty>
      ) : (
        <Named id={id}>
          <Report id={id} incident={incident} />
        </Named>
      )}
    </div>
  );
}

function Report({ id, incident }: { readonly id: string; readonly incident: IncidentResult }): VNode {
  const {
    root_cause,
    detail,
    confidence,
    blamed,
    links = [],
    suspects = [],
    validated_claims = [],
    non_validated_claims = [],
    remediation_steps = [],
    timeline = [],
    coverage,
    first_failing_service,
    spent,
  } = incident;
  const cite = useCite(id);
  return (
    <>
      <section class="card cause" aria-label="Cause">
        <div class="cause-line">
          <Markdown text={root_cause} cite={cite} />
        </div>
        <p class="row small muted">
          {detail !== undefined && detail !== '' && <span>{plainText(detail.replaceAll('_', ' '))}</span>}
          {confidence !== null && confidence !== undefined && (
            <span title="How sure it is that the blame is exact">confidence {percent(confidence)}</span>
          )}
          {blamed !== null && blamed !== undefined && (
            <span>
              blamed: <span class="tag bad">{blamed.kind}</span>{' '}
              <code title={plainText(blamed.id)}>{plainText(shortId(blamed.id))}</code>
              {blamed.service !== null && ` of ${plainText(blamed.service)}`}
            </span>
          )}
          {first_failing_service && <span>first to fail: {plainText(first_failing_service)}</span>}
          {spent !== undefined && <span>{amounts(spent)}</span>}
        </p>
      </section>
      <Series id={id} />
      <div class="columns">
        <section>
          <h2>What ties it to the symptom</h2>
          {links.length === 0 && <p class="muted">No link was found.</p>}
          <ul class="plain">
            {links.map(({ kind, from, to: end, evidence }) => (
              <li>
                <span class="tag">{kind}</span> {plainText(from)} → {plainText(end)}
                <Cited run={id} ids={evidence} />
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>Suspects</h2>
          <p class="small muted">
            Suspicion weighs them against each other; how sure the blame is stands above.
          </p>
          {suspects.length === 0 && <p class="muted">Nobody else was suspected.</p>}
          <ol class="suspects">
            {suspects.map(({ kind, id: name, score, why, evidence }) => (
              <li>
                <p class="row">
                  <span class="tag">{kind}</span>{' '}
                  <code title={plainText(name)}>{plainText(shortId(name))}</code>
                  <meter min={0} max={1} value={score} aria-label="suspicion" />
                  <span class="small muted">suspicion {percent(score)}</span>
                </p>
                <p class="small muted">{plainText(why)}</p>
                <Cited run={id} ids={evidence} />
              </li>
            ))}
          </ol>
        </section>
      </div>
      {timeline.length > 0 && <Moments run={id} moments={timeline} />}
      <div class="columns">
        <section>
          <h2>Claims</h2>
          <ol class="claims">
            {non_validated_claims.map(({ text, reason, evidence, verdict }) => (
              <li>
                <p>
                  <span class="tag bad">{verdict ?? 'not shown'}</span> {plainText(text)}
                </p>
                <p class="small muted">{plainText(reason)}</p>
                <Cited run={id} ids={evidence} />
              </li>
            ))}
            {validated_claims.map(({ text, evidence, verdict = 'shown' }) => (
              <li>
                <p>
                  <span class={`tag ${verdictTone[verdict]}`}>{verdict}</span> {plainText(text)}
                </p>
                <Cited run={id} ids={evidence} />
              </li>
            ))}
          </ol>
        </section>
        <section>
          {remediation_steps.length > 0 && (
            <>
              <h2>Suggested actions</h2>
              <ol class="numbered">
                {remediation_steps.map((step) => (
                  <li>{plainText(step)}</li>
                ))}
              </ol>
            </>
          )}
          {coverage !== undefined && <Asked coverage={coverage} />}
        </section>
      </div>
    </>
  );
}

/** Shortens a full commit hash to 12 characters. */
const shortId = (id: string): string => (/^[0-9a-f]{40,64}$/.test(id) ? id.slice(0, 12) : id);

const Asked = ({ coverage }: { readonly coverage: IncidentResult['coverage'] }): VNode => (
  <>
    <h2>What was asked</h2>
    <p class="muted">
      {coverage.asked} questions, {coverage.evidence} pieces of evidence.
    </p>
    <ul class="plain small">
      {coverage.signals.map(({ system, source, state }) => (
        <li>
          <span class={`tag ${state === 'ok' || state === 'available' ? 'good' : ''}`}>
            {plainText(state)}
          </span>{' '}
          {plainText(system)} <span class="muted">{plainText(source)}</span>
        </li>
      ))}
      {coverage.empty.map((text) => (
        <li class="muted">no answer: {plainText(text)}</li>
      ))}
      {[...coverage.left_out, ...coverage.unchecked, ...coverage.notes].map((text) => (
        <li class="muted">{plainText(text)}</li>
      ))}
    </ul>
  </>
);

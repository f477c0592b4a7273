/** The series that moved and the changes before that, on one time axis. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import { to } from '../../parts/route.ts';
import { Shown } from '../../parts/states.tsx';
import { percent, plainText } from '../../parts/words.ts';
import { Chart, leftPad, markColours, rightPad } from './chart.tsx';
import {
  amountOf,
  aroundOnset,
  hourOf,
  type IncidentSeries,
  type Mark,
  marksOf,
  type Placed,
  placedMarks,
  type SeriesLine,
  type Span,
} from './marks.ts';

/** Charts that are shown before more are asked for. */
const firstShown = 4;

export function Series({ id }: { readonly id: string }): VNode {
  const reading = useRead<IncidentSeries>(`/incidents/${encodeURIComponent(id)}/series?limit=24`);
  return (
    <section class="series" aria-label="Series">
      <Shown of={reading} what="the series">
        {(chart) => <Charts run={id} chart={chart} />}
      </Shown>
    </section>
  );
}

function Charts({ run, chart }: { readonly run: string; readonly chart: IncidentSeries }): VNode {
  const { window: seen, series, changes, left_out, kept } = chart;
  const [all, setAll] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const axis = useMemo(() => (isWhole ? chart.axis : aroundOnset(chart)), [chart, isWhole]);
  const marks = useMemo(() => marksOf(chart), [chart]);
  const moved = series.filter(({ moved: how }) => how !== null).length;
  if (axis === null)
    return (
      <p class="muted">
        {kept ? 'No system has answered with a series.' : 'The record was pruned: its series are gone.'}
      </p>
    );
  const shown = all ? series : series.slice(0, Math.max(firstShown, Math.min(moved, firstShown + 2)));
  const rest = series.length - shown.length;
  return (
    <figure class="card">
      <figcaption class="row spread">
        <h2>What moved, and what happened</h2>
        <span class="row small muted">
          {hourOf(axis.from)} to {hourOf(axis.to)} UTC
          {seen !== null && `; grey: the calm before, until ${hourOf(seen.from)}`}
          {chart.axis !== null && (isWhole || axis.from > chart.axis.from) && (
            <button type="button" class="quiet small" onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Around the onset' : 'All of it'}
            </button>
          )}
        </span>
      </figcaption>
      <MarkLane run={run} marks={marks} axis={axis} />
      {shown.map((line, n) => (
        <Line
          key={`${line.name} ${JSON.stringify(line.labels)}`}
          {...{ run, line, axis, marks }}
          window={seen}
          isLast={n === shown.length - 1}
        />
      ))}
      {series.length === 0 && <p class="muted">No system has answered with a series.</p>}
      {(rest > 0 || left_out.series + left_out.changes > 0) && (
        <p class="row small muted">
          {rest > 0 && (
            <button type="button" class="small" onClick={() => setAll(true)}>
              {rest} more series
            </button>
          )}
          {left_out.series > 0 && <span>{left_out.series} series are not shown here.</span>}
          {left_out.changes > 0 && <span>{left_out.changes} changes are not shown here.</span>}
        </p>
      )}
      {changes.length > 0 && <Changes run={run} changes={changes} />}
    </figure>
  );
}

/** Events above the charts, at their time, each with a link to its evidence. */
function MarkLane({
  run,
  marks,
  axis,
}: {
  readonly run: string;
  readonly marks: readonly Mark[];
  readonly axis: Span;
}): VNode {
  const lane = useRef<HTMLUListElement>(null);
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const { current } = lane;
    if (current === null) return;
    const watch = new ResizeObserver(() => setWidth(current.clientWidth));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const placed = placedMarks(marks, axis, width);
  const rows = 1 + Math.max(0, ...placed.map(({ row }) => row ?? 0));
  return (
    <ul
      ref={lane}
      class="mark-lane"
      aria-label="What happened, in order"
      style={{ marginLeft: `${leftPad}px`, marginRight: `${rightPad}px`, height: `${rows * 20}px` }}
    >
      {placed.filter(isLabelled).map(({ kind, at, label, title, evidence, x, row, isLeft }) => (
        <li
          class={`mark ${kind} ${isLeft ? 'is-left' : ''}`}
          style={{
            ...(isLeft ? { right: `${(1 - x) * 100}%` } : { left: `${x * 100}%` }),
            top: `${row * 20}px`,
            borderColor: `var(${markColours[kind]})`,
          }}
          title={plainText(title)}
        >
          <span class="visually-hidden">{hourOf(at)} </span>
          {evidence === null ? (
            <span>{plainText(label)}</span>
          ) : (
            <a href={to('runs', run, 'evidence', evidence)}>{plainText(label)}</a>
          )}
          <span class="visually-hidden">
            {kind === 'blamed' && ', blamed'} {plainText(title)}
          </span>
        </li>
      ))}
    </ul>
  );
}

const isLabelled = (mark: Placed): mark is Placed & { readonly row: number } => mark.row !== null;

/** All of them, by time: the chart has place for some. */
const Changes = ({
  run,
  changes,
}: {
  readonly run: string;
  readonly changes: IncidentSeries['changes'];
}): VNode => (
  <details class="changes">
    <summary>{changes.length === 1 ? 'The change' : `All ${changes.length} changes`} in this time</summary>
    <ul class="plain small">
      {changes.map(({ kind, id, at, service, author, title, evidence, score, blamed }) => (
        <li class="row">
          <time class="muted">{hourOf(at)}</time>
          <span class={`tag ${blamed ? 'bad' : ''}`}>{blamed ? `${kind}, blamed` : kind}</span>
          <a href={to('runs', run, 'evidence', evidence)}>{plainText(id.slice(0, 40))}</a>
          <span>{plainText(title)}</span>
          <span class="muted">
            {plainText([service, author].filter((part) => part !== null).join(' · '))}
            {score !== null && ` · suspicion ${percent(score)}`}
          </span>
        </li>
      ))}
    </ul>
  </details>
);

function Line({
  run,
  line,
  ...drawn
}: {
  readonly run: string;
  readonly line: SeriesLine;
  readonly axis: Span;
  readonly window: IncidentSeries['window'];
  readonly marks: readonly Mark[];
  readonly isLast: boolean;
}): VNode {
  const [pointed, setPointed] = useState('');
  const { name, labels, unit, moved, too_short: known, evidence, points, count } = line;
  const of = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
  return (
    <div class="line-chart">
      <p class="row small">
        <a class="series-name" href={to('runs', run, 'evidence', evidence)} title="The record of it">
          {plainText(name)}
        </a>
        <span class="muted series-labels">{plainText(of)}</span>
        {unit !== null && <span class="muted">in {unit}</span>}
        {moved === null ? (
          <span class="muted">
            {known === null
              ? 'kept its course'
              : `jumped; the ${Math.round(known / 1_000)} s before are too few to tell what is usual`}
          </span>
        ) : (
          <span class="moved">
            {moved.direction === 'up' ? '▲' : '▼'} {amountOf(moved.before, unit)} →{' '}
            {amountOf(moved.after, unit)} from {hourOf(moved.onset)}
            {moved.ended !== null && ` until ${hourOf(moved.ended)}`}
          </span>
        )}
        <span class="pointed muted">
          {pointed !== '' ? pointed : points.length < count ? `${points.length} of ${count} points` : ''}
        </span>
      </p>
      <Chart line={line} {...drawn} onPoint={setPointed} />
    </div>
  );
}

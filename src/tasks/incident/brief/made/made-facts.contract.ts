/** From an incident as a test writes it down to what a run would hold of it. */
import type { Change, LogPattern, Series, Span } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';

export const hour = Date.parse('2026-03-05T10:00:00Z');
const minute = 60_000;

/** Service, metric, before, after, minute of the onset (null: it stays), and minutes that it takes to arrive. */
type Metric = readonly [string, string, number, number, number | null, number?];
/** Minute of the deploy, null if it was never deployed; service; title; paths; diff. */
export type Commit = readonly [number | null, string, string, readonly string[], string | null];

export interface Made {
  readonly name: string;
  readonly alert: {
    readonly service: string;
    readonly metric: string;
    readonly summary: string;
    readonly minute: number;
  };
  readonly metrics: readonly Metric[];
  /** Service, level, message, how often now and before. */
  readonly messages?: readonly (readonly [string, string, string, number, number])[];
  readonly commits: readonly Commit[];
  /** Minute, service, name. */
  readonly flags?: readonly (readonly [number, string, string])[];
  /** Caller, callee, name, failed, attributes. */
  readonly calls?: readonly (readonly [string, string, string, boolean, Readonly<Record<string, string>>?])[];
  readonly expected: { readonly verdict: string; readonly culprit?: number };
}

export const shaOf = (n: number): string =>
  `${(n + 10).toString(16).padStart(2, '0')}c0ffee${'0123456789abcdef'.repeat(2)}`.slice(0, 40);

/** Noise that is the same at every run. */
function noise(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 - 0.5;
  };
}

function seriesOf([service, name, before, after, onset, over = 0]: Metric, n: number): WithEvidence<Series> {
  const random = noise(n + 1);
  const points = Array.from({ length: 121 }, (_, k) => {
    const gone = onset === null || k < onset ? 0 : over === 0 ? 1 : Math.min(1, (k - onset + 1) / over);
    const level = before + (after - before) * gone;
    return [hour + (k - 60) * minute, level * (1 + 0.06 * random())] as const;
  });
  return {
    name,
    labels: { service },
    points: points.map(([at, value], k) => [at, onset !== null && k >= onset ? value : value]),
    evidence: `ev-series${n}`,
  };
}

export function factsOfMade(made: Made): Facts {
  const at = (minutes: number): number => hour + (minutes - 60) * minute;
  const commits = made.commits.map(
    ([deployed, , title, paths, diff], n): WithEvidence<Change> => ({
      kind: 'commit',
      id: shaOf(n),
      at: at((deployed ?? 40) - 3),
      service: null,
      author: 'somebody',
      title,
      commits: [shaOf(n)],
      paths,
      diff,
      evidence: `ev-commit${n}`,
    }),
  );
  const deploys = made.commits.flatMap(([deployed, service, title], n): WithEvidence<Change>[] =>
    deployed === null
      ? []
      : [
          {
            kind: 'deploy',
            id: `v${n}`,
            at: at(deployed),
            service,
            author: null,
            title,
            commits: [shaOf(n)],
            paths: [],
            diff: null,
            evidence: `ev-deploy${n}`,
          },
        ],
  );
  const flags = (made.flags ?? []).map(
    ([minutes, service, name], n): WithEvidence<Change> => ({
      kind: 'flag',
      id: name,
      at: at(minutes),
      service,
      author: null,
      title: 'off->on',
      commits: [],
      paths: [],
      diff: 'off->on',
      evidence: `ev-flag${n}`,
    }),
  );
  const patterns = (made.messages ?? []).map(
    ([service, level, template, count, baseline]): WithEvidence<LogPattern> => ({
      template,
      service,
      level,
      count,
      baseline,
      first: null,
      last: null,
      example: template,
      evidence: 'ev-patterns',
    }),
  );
  const spans = (made.calls ?? []).flatMap(
    ([caller, callee, name, failed, attributes = {}], n): WithEvidence<Span>[] => [
      {
        trace: `t${n}`,
        id: 'a',
        parent: null,
        service: caller,
        name: 'request',
        at: at(made.alert.minute),
        duration_ms: 900,
        failed,
        attributes: {},
        evidence: 'ev-spans',
      },
      {
        trace: `t${n}`,
        id: 'b',
        parent: 'a',
        service: callee,
        name,
        at: at(made.alert.minute),
        duration_ms: 850,
        failed,
        attributes,
        evidence: 'ev-spans',
      },
    ],
  );
  return {
    series: made.metrics.map(seriesOf),
    lines: [],
    patterns,
    changes: [...commits, ...deploys, ...flags],
    spans,
    alerts: [],
    texts: [],
    tables: [],
  };
}

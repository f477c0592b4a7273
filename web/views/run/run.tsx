/** A run: its answer and what carries it, everything it did, and every line that it read. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { runState, treeOf } from '../../../src/view.ts';
import type { RunSummary } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { type Citing, Markdown } from '../../parts/markdown.tsx';
import { go, goQuietly, to, usePlace } from '../../parts/route.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { VirtualList } from '../../parts/virtual.tsx';
import { amounts, exact, plainText, since } from '../../parts/words.ts';
import { Claims, Doubts } from './claims.tsx';
import { CodeView, placeName } from './code-view.tsx';
import { withDoubts } from './doubts.ts';
import { NodeView } from './node-view.tsx';
import { lanesOf, rowsOf, sharesOf, spendingOf } from './rows.ts';
import { SpendingView } from './spending-view.tsx';
import { Timeline } from './timeline.tsx';
import { TreeLine } from './tree-line.tsx';
import { type RunLog, useRunLog } from './use-run-log.ts';
import { Worth } from './worth.tsx';

const tabs = [
  ['answer', 'Answer', '1'],
  ['steps', 'Steps', '2'],
  ['evidence', 'Evidence', '3'],
  ['budget', 'Budget', '4'],
] as const;
type Tab = (typeof tabs)[number][0];

export function Run({ id, parts }: { readonly id: string; readonly parts: readonly string[] }): VNode {
  const reading = useRunLog(id);
  if (reading.trouble !== null)
    return (
      <div class="pad">
        <h1>Run</h1>
        <Failed trouble={reading.trouble} />
      </div>
    );
  if (reading.log.length === 0)
    return (
      <div class="pad">
        <h1>Run</h1>
        {reading.state === 'reading' ? <Loading what="the run" /> : <Empty title="Nothing was logged yet" />}
      </div>
    );
  return <RunView id={id} parts={parts} reading={reading} />;
}

const unanswered: Readonly<Record<RunSummary['state'], string>> = {
  running: 'It is still at work',
  waiting: 'It waits for your answer',
  interrupted: 'It was interrupted before it had an answer',
  finished: 'It ended without an answer',
};

interface RunViewProps {
  readonly id: string;
  readonly parts: readonly string[];
  readonly reading: RunLog;
}

function RunView({
  id,
  parts: [given, part],
  reading: { log, state: live, stands, thread },
}: RunViewProps): VNode {
  const state = useMemo(() => runState(log), [log]);
  const tab: Tab = tabs.find(([name]) => name === given)?.[0] ?? 'answer';
  useKeys(
    'Run',
    tabs.map(([name, title, key]) => ({ key, does: title, act: () => goQuietly(to('runs', id, name)) })),
  );
  const { question, shape, result, claims, evidence, spent } = state;
  const all = useMemo(() => claims ?? result?.claims ?? [], [claims, result]);
  const worth = {
    state: live === 'over' ? ('finished' as const) : (stands ?? ('running' as const)),
    status: result?.status ?? null,
    verdict: null,
    claims: all.length,
  };
  const cite = (ev: string): Citing => ({
    href: to('runs', id, 'evidence', ev),
    name: placeName(evidence.get(ev)) ?? ev,
  });
  const answer = useMemo(() => withDoubts(result?.answer ?? '', all), [result, all]);
  return (
    <div class="run">
      <header class="run-head">
        <p class="row small muted">
          <a href={to('runs')}>Runs</a>
          <span class="tag">{shape}</span>
          <span role="status">
            {live === 'away' ? <span class="tag accent">no server</span> : <Worth of={worth} />}
          </span>
          <time title={exact(state.started ?? 0)}>{since(state.started ?? 0)}</time>
          <span>{amounts({ ...spent, fuel: 0 })}</span>
          {thread !== null && <a href={to('threads', thread)}>its conversation</a>}
        </p>
        <h1>{plainText(question ?? id)}</h1>
        <nav class="tabs" aria-label="Parts of the run">
          {tabs.map(([name, title]) => (
            <a href={to('runs', id, name)} aria-current={name === tab ? 'page' : undefined}>
              {title}
              {name === 'evidence' && <span class="count">{evidence.size}</span>}
            </a>
          ))}
        </nav>
      </header>
      {tab === 'answer' && (
        <div class="run-body pad">
          {result === null ? (
            <Empty title={live === 'over' ? unanswered.finished : unanswered[worth.state]}>
              {worth.state === 'waiting' && thread !== null ? (
                <a href={to('threads', thread)}>Answer it in the conversation</a>
              ) : (
                <a href={to('runs', id, 'steps')}>See what it does</a>
              )}
            </Empty>
          ) : (
            <div class="beside wide-side">
              <section class="card" aria-label="Answer">
                <Doubts of={all} />
                <Markdown text={answer} cite={cite} marked />
              </section>
              <section aria-label="What carries it">
                <h2>Claims</h2>
                {all.length === 0 ? (
                  <p class="muted">Nobody took this answer apart into claims.</p>
                ) : (
                  <Claims run={id} claims={all} evidence={evidence} />
                )}
              </section>
            </div>
          )}
        </div>
      )}
      {tab === 'steps' && (
        <Steps id={id} log={log} live={live !== 'over'} chosen={part ?? null} evidence={evidence} />
      )}
      {tab === 'evidence' && <EvidenceList id={id} chosen={part ?? null} state={state} />}
      {tab === 'budget' && (
        <div class="pad">
          <SpendingView
            spending={spendingOf(log)}
            limits={state.limits}
            spent={spent}
            shares={sharesOf(log)}
          />
        </div>
      )}
    </div>
  );
}

interface StepsProps {
  readonly id: string;
  readonly log: RunLog['log'];
  readonly live: boolean;
  readonly chosen: string | null;
  readonly evidence: ReturnType<typeof runState>['evidence'];
}

function Steps({ id, log, live, chosen, evidence }: StepsProps): VNode {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const nodes = useMemo(() => treeOf(log), [log]);
  const rows = useMemo(() => rowsOf(nodes, closed), [nodes, closed]);
  const lanes = useMemo(() => lanesOf(nodes, live ? Date.now() : (log.at(-1)?.at ?? 0)), [nodes, live, log]);
  const at = rows.findIndex(({ node }) => node.id === chosen);
  const choose = (node: string): void => goQuietly(to('runs', id, 'steps', node));
  const step = (by: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (row !== undefined) choose(row.node.id);
  };
  const toggle = (node: string): void =>
    setClosed((before) =>
      before.has(node) ? new Set([...before].filter((one) => one !== node)) : new Set([...before, node]),
    );
  useKeys('Steps', [
    { key: 'j', does: 'Next', act: () => step(1) },
    { key: 'k', does: 'Previous', act: () => step(-1) },
    { key: 'o', does: 'Open or close', act: () => chosen !== null && toggle(chosen) },
  ]);
  const estimate = useMemo(() => () => 30, []);
  const keyOf = useMemo(() => (n: number) => rows[n]?.node.id ?? String(n), [rows]);
  const shown = nodes.find((node) => node.id === chosen);
  return (
    <div class="steps">
      <div class="steps-list">
        <Timeline lanes={lanes} chosen={chosen} choose={choose} />
        <VirtualList
          class="tree"
          label="What it did"
          count={rows.length}
          estimate={estimate}
          keyOf={keyOf}
          reveal={at < 0 ? null : at}
          row={(n) => {
            const row = rows[n]!;
            return (
              <TreeLine
                row={row}
                isChosen={row.node.id === chosen}
                isClosed={closed.has(row.node.id)}
                choose={choose}
                toggle={toggle}
              />
            );
          }}
        />
      </div>
      <div class="steps-detail">
        {shown === undefined ? (
          <Empty title="Choose a step">
            <kbd>j</kbd> and <kbd>k</kbd> go through them.
          </Empty>
        ) : (
          <NodeView run={id} node={shown} log={log} evidence={evidence} />
        )}
      </div>
    </div>
  );
}

function EvidenceList({
  id,
  chosen,
  state,
}: {
  readonly id: string;
  readonly chosen: string | null;
  readonly state: ReturnType<typeof runState>;
}): VNode {
  const { query } = usePlace();
  const [, from, to_] = /^(\d+)-(\d+)$/.exec(query.get('lines') ?? '') ?? [];
  const cited = from === undefined ? null : ([Number(from), Number(to_)] as const);
  const all = useMemo(() => [...state.evidence.values()], [state]);
  const at = Math.max(
    0,
    all.findIndex((one) => one.id === chosen),
  );
  const step = (by: number): void => {
    const one = all[Math.min(all.length - 1, Math.max(0, at + by))];
    if (one !== undefined) goQuietly(to('runs', id, 'evidence', one.id));
  };
  useKeys('Evidence', [
    { key: 'j', does: 'Next', act: () => step(1) },
    { key: 'k', does: 'Previous', act: () => step(-1) },
    { key: 'b', does: 'Back to the answer', act: () => go(to('runs', id)) },
  ]);
  const estimate = useMemo(() => () => 46, []);
  const keyOf = useMemo(() => (n: number) => all[n]?.id ?? String(n), [all]);
  const current = chosen === null || all[at]?.id === chosen ? all[at] : undefined;
  const citing = (state.claims ?? state.result?.claims ?? []).filter(({ evidence }) =>
    current === undefined ? false : evidence.includes(current.id),
  );
  if (current === undefined)
    return all.length === 0 ? (
      <Empty title="It read nothing that could be cited" />
    ) : (
      <Empty title="This run read nothing of that name">
        <a href={to('runs', id, 'evidence')}>See what it read</a>
      </Empty>
    );
  return (
    <div class="steps">
      <div class="steps-list">
        <VirtualList
          class="evidence-list"
          label="Evidence"
          count={all.length}
          estimate={estimate}
          keyOf={keyOf}
          reveal={at}
          row={(n) => {
            const one = all[n]!;
            return (
              <a
                class="evidence-line"
                href={to('runs', id, 'evidence', one.id)}
                aria-current={one === current ? 'true' : undefined}
              >
                <span class="gist">{plainText(one.file_path)}</span>
                <span class="small muted">
                  {one.start_line} to {one.end_line} · {one.provenance}
                  {state.citations.get(one.id) === 'valid' && ' · cited'}
                </span>
              </a>
            );
          }}
        />
      </div>
      <div class="steps-detail">
        <CodeView evidence={current} status={state.citations.get(current.id)} cited={cited} />
        {citing.length > 0 && (
          <section>
            <h2>Carries</h2>
            <Claims run={id} claims={citing} evidence={state.evidence} />
          </section>
        )}
      </div>
    </div>
  );
}

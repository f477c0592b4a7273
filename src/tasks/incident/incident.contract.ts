/** An investigation in a directory of its own, over a real store: what the tests of this folder share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoggedEvent, manualClock, type Signal } from '../../core/index.ts';
import {
  extractive,
  type Model,
  type ModelRequest,
  type Script,
  type ScriptedModel,
  scriptedModel,
} from '../../model/index.ts';
import { type ScriptedSignal, scriptedSignal } from '../../signals/scripted.ts';
import { openStore, type Store } from '../../store/index.ts';
import { factsOfMade, hour, type Made, shaOf } from './brief/made/made-facts.contract.ts';
import { madeIncidents } from './brief/made/made-incidents.contract.ts';
import type { FinishedIncident } from './finish.ts';
import type { Limits } from './limits.ts';
import { type IncidentSetting, incidentRun } from './run.ts';

export const pool: Made = madeIncidents.find(({ name }) => name === 'a pool that was cut')!;
export const guiltyCommit = shaOf(pool.expected.culprit!);
export const innocentCommit = shaOf(0);

export const alertJson = (made: Made = pool, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    monitor: `${made.alert.service}-${made.alert.metric}`,
    service: made.alert.service,
    metric: made.alert.metric,
    summary: made.alert.summary,
    severity: 'critical',
    fired_at: new Date(hour + (made.alert.minute - 60) * 60_000).toISOString(),
    ...more,
  });

/** The present time: after everything in the made incidents. */
export const now = hour + 60 * 60_000;

type Questions = Parameters<typeof scriptedSignal>[0];

/** A system that answers from the made incident. */
export function signalOf(made: Made, more: Questions = {}): ScriptedSignal {
  const facts = factsOfMade(made);
  const bare = <Item extends { readonly evidence: string }>(items: readonly Item[]) =>
    items.map(({ evidence: _, ...item }) => item);
  const questions: Questions = {
    metrics: { topic: 'metrics', script: { rows: { kind: 'series', series: bare(facts.series) } } },
    patterns: {
      topic: 'logs',
      script: { rows: { kind: 'patterns', patterns: bare(facts.patterns), lines: 1_000 } },
    },
    changes: { topic: 'changes', script: { rows: { kind: 'changes', changes: bare(facts.changes) } } },
    traces: { topic: 'traces', script: { rows: { kind: 'spans', spans: bare(facts.spans) } } },
  };
  return scriptedSignal({ ...questions, ...more }, { system: 'made', clock: manualClock(now) });
}

export interface Bench {
  readonly store: Store;
  readonly dir: string;
  close(): void;
}

export function bench(): Bench {
  const dir = mkdtempSync(join(tmpdir(), 'sonde-incident-'));
  const store = openStore(join(dir, 'sonde.db'));
  return {
    store,
    dir,
    async close() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Retries without waiting. */
export const noWait = { random: () => 0, sleep: async () => {} };

export interface TrialResult extends FinishedIncident {
  readonly model: ScriptedModel;
  readonly signals: readonly Signal[];
  readonly events: readonly LoggedEvent[];
}

export interface Trial {
  readonly script?: Script;
  readonly model?: Model;
  readonly name?: string;
  readonly alert?: string;
  readonly root?: string;
  readonly now?: number;
  readonly signals?: readonly Signal[];
  readonly limits?: Partial<Limits>;
  readonly setting?: Partial<IncidentSetting>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export async function runTrial(store: Store, trial: Trial = {}): Promise<TrialResult> {
  const model = scriptedModel(trial.script ?? [], trial.name);
  const signals = trial.signals ?? [signalOf(pool)];
  const events: LoggedEvent[] = [];
  const planner = trial.model ?? (trial.script === undefined ? extractive : model);
  const done = await incidentRun.start(
    {
      alert: trial.alert ?? alertJson(),
      root: trial.root ?? '/systems',
      now: trial.now ?? now,
      ...(trial.limits && { limits: trial.limits }),
      ...(trial.extra && { extra: trial.extra }),
    },
    {
      store,
      models: { planner },
      signals,
      ...noWait,
      onEvent: (event) => events.push(event),
      ...trial.setting,
    },
  );
  return { ...done, model, signals, events };
}

export const readAsAlert = { kind: 'alert', why: 'it fires' };
/** Questions of one turn. */
export const turn = (...calls: readonly (readonly [string, object])[]) => ({
  text: 'because',
  calls: calls.map(([name, input]) => ({ name, input })),
});
export const conclude = (input: object) => turn(['conclude', input]);

export const page = (request: ModelRequest) => request.messages.map(({ text }) => text).join('\n');
/** What was said last. */
export const lastMessage = ({ messages }: ModelRequest): string => messages.at(-1)?.text ?? '';

/** What a model is asked for. */
export function requestKind(request: ModelRequest): 'read-alert' | 'turn' | 'conclude' | 'mend' {
  if (request.schema?.name === 'read-alert') return 'read-alert';
  const last = lastMessage(request);
  if (last.includes('Not all of it stands')) return 'mend';
  return last.includes('call conclude now') ? 'conclude' : 'turn';
}

/** Whether a question was answered in the dialogue. */
export const wasAsked = (request: ModelRequest, tool: string): boolean =>
  page(request).includes(`<result of="${tool}"`);

/** The ids of evidence in a page, the latest first. */
export const idsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/source="(ev-[0-9a-f]{10})/g)].map((match) => match[1] ?? '')),
];

/** The id of the evidence shown in full whose text holds the words. */
export function idOf(page: string, words: string): string {
  const block = page
    .split('<sonde-material ')
    .find((one) => one.startsWith('source="ev-') && one.includes(words));
  return /source="(ev-[0-9a-f]{10})/.exec(block ?? '')?.[1] ?? 'ev-0000000000';
}

/** A conclusion that blames the guilty commit. */
export function verdictOn(text: string) {
  const change = idOf(text, 'SetMaxOpenConns(10)');
  return {
    verdict: 'code_change',
    culprit: guiltyCommit,
    root_cause: {
      ...{ verb: 'changed', actor: 'orders', object: 'SetMaxOpenConns', from: '100', to: '10' },
      ...{ hunk: '+db.SetMaxOpenConns(10)', evidence: [change] },
    },
    root_cause_category: 'pool size',
    causal_chain: [],
    claims: [],
    remediation_steps: ['Roll orders back'],
  };
}

/** Answers every kind of request so that the guilty commit is blamed. */
export function answer(request: ModelRequest): Record<string, unknown> {
  if (requestKind(request) === 'read-alert') return readAsAlert;
  if (requestKind(request) === 'turn' && !wasAsked(request, 'made_traces')) return turn(['made_traces', {}]);
  return conclude(verdictOn(page(request)));
}

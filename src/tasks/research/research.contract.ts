/** What the tests of this folder share: a research in a directory of its own, over a real store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedEvent, RunResult } from '../../core/index.ts';
import {
  extractive,
  type Model,
  type ModelRequest,
  type Prices,
  type Script,
  scriptedModel,
} from '../../model/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material/material.ts';
import { type ResearchSetting, researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

export const files = {
  'src/session.py': [
    'class SessionStore:',
    '    """Keeps sessions until they expire."""',
    '',
    '    def __init__(self, ttl=3600):',
    '        self.ttl = ttl',
    '        self.sessions = {}',
    '',
    '    def expire_sessions(self, now):',
    '        """Drops every session older than the ttl."""',
    '        for key, session in list(self.sessions.items()):',
    '            if now - session.created > self.ttl:',
    '                del self.sessions[key]',
  ].join('\n'),
  'src/server.py': [
    'from session import SessionStore',
    '',
    'store = SessionStore(ttl=60)',
    '',
    'def tick(now):',
    '    store.expire_sessions(now)',
  ].join('\n'),
  'docs/guide.md': ['# Guide', '', 'Sessions expire after an hour by default.'].join('\n'),
  'secret/keys.txt': 'the session signing key is kept here',
};

export const question = 'When does SessionStore expire a session?';

export const act = (name: string, input: Readonly<Record<string, unknown>>, reasoning = 'because') => ({
  reasoning,
  action: { name, ...input },
});
export const search = (query: string, k = 5) => act('hybrid_search', { query, k });
export const open = (file_path: string, start_line: number, end_line: number) =>
  act('open_span', { file_path, start_line, end_line });
export const answer = (text: string, confidence = 0.9) => act('finalize', { answer: text, confidence });

/** The turn in which the answer is due. */
export const isLastTurn = ({ messages }: ModelRequest): boolean =>
  /call finalize now/.test(messages.at(-1)?.text ?? '');

/** Ids that a model would read off its page. */
export function idsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/source="(ev-[0-9a-f]{10})/g)].map((match) => match[1] ?? ''))];
}

/** A final answer that quotes and cites the first evidence shown. */
export const answerFromPage = (text: string, sentence = quoteFirstLine(text)) => {
  const [first = 'ev-0000000000'] = idsIn(text);
  return `${sentence} [${first}].`;
};

/** A sentence that quotes a line of the first evidence shown. */
function quoteFirstLine(page: string): string {
  const [, body = ''] = /source="ev-[0-9a-f]{10}[^>]*>(.*?)<\/sonde-material/s.exec(page) ?? [];
  const line = body
    .split(/\n|\\n/)
    .flatMap((line) => /^\d+\| *(.*\w.*\w.*)$/.exec(line)?.[1] ?? [])
    .find((line) => !/["`]/.test(line) && line.includes(' '));
  return line === undefined ? 'Nothing that was shown says it' : `It says "${line.trim()}"`;
}

export interface TestStore {
  readonly store: Store;
  readonly dir: string;
  close(): void;
}

export function openTestStore(): TestStore {
  const dir = mkdtempSync(join(tmpdir(), 'sonde-research-'));
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

export interface TrialResult {
  readonly result: RunResult;
  readonly events: readonly LoggedEvent[];
  readonly material: Material;
  readonly model: ReturnType<typeof scriptedModel>;
}

export interface Trial {
  readonly script: Script;
  readonly limits?: Partial<Limits>;
  readonly scope?: string;
  readonly material?: Material;
  readonly analyst?: Model;
  readonly prices?: Prices;
  readonly storeArtifacts?: boolean;
  readonly reader?: boolean;
  readonly rerank?: boolean;
  /** Id of the run. */
  readonly id?: string;
  /** Context window of the planner, in tokens. Default: so large that nothing is cut. */
  readonly contextWindow?: number;
  readonly setting?: Partial<ResearchSetting>;
}

/** Retries without waiting. */
export const withoutWaiting = { random: () => 0, sleep: async () => {} };

export async function runTrial(store: Store, trial: Trial): Promise<TrialResult> {
  const { contextWindow } = trial;
  const model = { ...scriptedModel(trial.script), ...(contextWindow !== undefined && { contextWindow }) };
  const material = trial.material ?? scriptedMaterial({ files });
  const events: LoggedEvent[] = [];
  const { result } = await researchRun.start(
    {
      question,
      root: '/material',
      ...(trial.scope !== undefined && { scope: trial.scope }),
      ...(trial.limits && { limits: trial.limits }),
      ...(trial.reader !== undefined && { reader: trial.reader }),
      ...(trial.rerank !== undefined && { rerank: trial.rerank }),
      ...(trial.id !== undefined && { id: trial.id }),
      ...(trial.storeArtifacts !== undefined && { storeArtifacts: trial.storeArtifacts }),
    },
    {
      store,
      models: {
        planner: model,
        analyst: trial.analyst ?? model,
        ...(trial.prices && { prices: trial.prices }),
      },
      material,
      ...withoutWaiting,
      onEvent: (event) => events.push(event),
      ...trial.setting,
    },
  );
  return { result, events, material, model };
}

export async function runTrialWithoutModel(
  store: Store,
  trial: Omit<Trial, 'script'> & { readonly question?: string },
): Promise<Omit<TrialResult, 'model'>> {
  const material = trial.material ?? scriptedMaterial({ files });
  const events: LoggedEvent[] = [];
  const { result } = await researchRun.start(
    {
      question: trial.question ?? question,
      root: '/material',
      ...(trial.scope !== undefined && { scope: trial.scope }),
      ...(trial.limits && { limits: trial.limits }),
      ...(trial.rerank !== undefined && { rerank: trial.rerank }),
    },
    {
      store,
      models: { planner: extractive, analyst: trial.analyst ?? extractive },
      material,
      ...withoutWaiting,
      onEvent: (event) => events.push(event),
      ...trial.setting,
    },
  );
  return { result, events, material };
}

/**
 * A kind of run as a newcomer writes it: it counts a word in every file. This file is all that there is of it in
 * `tasks`.
 */
import { z } from 'zod';
import { type RunResult, SondeError, type TextReader } from '../core/index.ts';
import { defineRun, type RunParams, type RunRequest } from './define-run.ts';
import { missingRecordError } from './replay-life.ts';
import type { RunEnd } from './run-row.ts';
import { runTask } from './run-task.ts';

interface TallyRequest extends RunRequest {
  readonly word: string;
  /** Maximum number of files that are read. */
  readonly steps: number;
}

interface TallyParams extends RunParams {
  readonly word: string;
  readonly steps: number;
}

interface TallyPorts {
  readonly models: { readonly planner: { readonly name: string } };
  readonly text: TextReader;
  paths(): Promise<readonly string[]>;
}

export interface TallyTypes {
  readonly request: TallyRequest;
  readonly params: TallyParams;
  readonly ports: TallyPorts;
  readonly end: RunEnd;
  readonly given: undefined;
  readonly replayed: RunEnd;
  readonly offer: Omit<TallyPorts, 'models'> & { readonly root: string };
}

const countWord = (text: string, word: string): number => text.split(word).length - 1;

export const tallyRun = defineRun<TallyTypes>({
  shape: 'tally',
  params({ word, steps }) {
    if (word === '')
      throw new SondeError('bad_argument', { message: 'There is no word', remedy: 'Name one.' });
    return { question: `How often does ${word} occur?`, params: { word, steps } };
  },
  limits: ({ steps }) => ({ limits: { steps, tokens: 1_000 }, reserve: {} }),
  async work({ row, params: { word, model } }, { text, paths }, { step, spent }) {
    let [sum, read] = [0, 0];
    const end = (stop_reason: RunResult['stop_reason']): RunEnd => ({
      result: {
        run_id: row.id,
        status: 'unverified',
        answer: `${word} occurs ${sum} times in ${read} files.`,
        citations: [],
        unsupported: [],
        confidence: null,
        stop_reason,
        model,
        spent: spent(),
        coverage: {
          files: read,
          skipped: 0,
          searches: 0,
          files_read: read,
          evidence: 0,
          completeness: 'complete',
          notes: [],
        },
      },
    });
    const filesResult = await step('files', { run: async () => ({ value: await paths() }) });
    if (filesResult.kind !== 'done') return end('cancelled');
    for (const [n, path] of filesResult.value.entries()) {
      const fileResult = await step(`file-${n}`, {
        cost: { steps: 1 },
        async run() {
          const read = await text.readText(path);
          const value = read.kind === 'text' ? countWord(read.lines.join('\n'), word) : 0;
          const event = {
            kind: 'action_finished',
            step: n + 1,
            action: 'count',
            outcome: 'ok',
            summary: `${path}: ${value}`,
            evidence: [],
            fresh: 0,
            completeness: 'complete',
            wall_ms: 0,
          } as const;
          return { value, spent: { steps: 1 }, events: [[`file-${n}/counted`, event]] };
        },
      });
      if (fileResult.kind !== 'done') return end(fileResult.kind === 'cancelled' ? 'cancelled' : 'budget');
      sum += fileResult.value;
      read += 1;
    }
    return end('finalized');
  },
  result: ({ result }) => ({ result }),
  requiredKey: 'files',
  replay({ row, params }, work) {
    const missing = () => Promise.reject(missingRecordError(row.id, 'a file'));
    return work({
      models: { planner: { name: params.model } },
      text: { readText: missing },
      paths: missing,
    });
  },
  task: async () =>
    runTask<TallyTypes, { word: string }, { run_id: string; answer: string }>({
      description: 'Counts a word in every file.',
      takes: () => z.strictObject({ word: z.string().min(1) }),
      gives: z.object({ run_id: z.string(), answer: z.string() }),
      needs: () => ['CodeRead'],
      async work({ word }, { offer: { root, ...ports }, context: { clients }, run }) {
        const { result } = await run({ ...ports, models: clients }, (share) => ({
          word,
          root,
          steps: Math.min(100, share.steps),
        }));
        return { run_id: result.run_id, answer: result.answer };
      },
    }),
});

import { z } from 'zod';
import type {
  Clock,
  Health,
  Signal,
  SignalFailure,
  SignalQuestion,
  SignalRequest,
  SignalRows,
  SignalTopic,
} from '../core/index.ts';
import { systemClock } from '../core/index.ts';
import { failure, question } from './question.ts';

/** What a scripted question answers: always the same rows, one list of rows per call, a failure, or the result of a function. */
export type SignalScript =
  | { readonly rows: SignalRows }
  | { readonly sequence: readonly SignalRows[] }
  | { readonly fails: SignalFailure['reason'] }
  | {
      readonly answer: (
        args: unknown,
        request: RequestBounds,
      ) => SignalRows | SignalFailure | Promise<SignalRows | SignalFailure>;
    };

type RequestBounds = Pick<SignalRequest, 'window' | 'limits'> & { readonly signal: AbortSignal };

export interface ScriptedSignal extends Signal {
  /** The calls, in order. */
  readonly asked: readonly { readonly name: string; readonly args: unknown }[];
  readonly closed: boolean;
}

export interface ScriptedQuestion {
  readonly topic: SignalTopic;
  readonly script: SignalScript;
  /** Absent: any arguments are accepted. */
  readonly parameters?: z.ZodType<unknown>;
  /** `past` also shows rows from before the baseline. */
  readonly reach?: 'baseline' | 'past';
}

export interface ScriptedOptions {
  readonly system?: string;
  readonly health?: Health;
  readonly clock?: Clock;
}

/** A fake system. Its questions are named `system_key`, and keep window, caps and deadline like those of a real system. */
export function scriptedSignal(
  questions: Readonly<Record<string, ScriptedQuestion>>,
  options: ScriptedOptions = {},
): ScriptedSignal {
  const { system = 'scripted', health = { kind: 'healthy', version: null }, clock = systemClock } = options;
  const place = { system, source: `${system} in memory`, clock };
  const asked: { name: string; args: unknown }[] = [];
  let closed = false;
  const signalQuestions = Object.entries(questions).map(
    ([key, { topic, script, ...options }]): SignalQuestion => {
      const name = `${system}_${key}`;
      let turn = 0;
      return question(place, {
        name,
        topic,
        description: `What was written for ${key}.`,
        parameters: options.parameters ?? z.record(z.string(), z.unknown()),
        cost: 'instant',
        reach: options.reach ?? 'baseline',
        async read(args, context) {
          asked.push({ name, args });
          if ('fails' in script) return failure(script.fails, `${name} was told to fail.`);
          const rows =
            'rows' in script
              ? script.rows
              : 'answer' in script
                ? await script.answer(args, context)
                : (script.sequence[turn++] ?? { kind: 'table' as const, rows: [] });
          return rows.kind === 'failure'
            ? rows
            : { kind: 'reading', query: `${key} ${JSON.stringify(args)}`, rows };
        },
      });
    },
  );
  return {
    system,
    source: place.source,
    offers: 'what was written for it',
    questions: signalQuestions,
    asked,
    get closed() {
      return closed;
    },
    health: async () => health,
    async close() {
      closed = true;
    },
  };
}

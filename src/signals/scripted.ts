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

/** What a scripted question answers: the same rows always, a list in turn, a failure, or what a function says. */
export type SignalScript =
  | { readonly rows: SignalRows }
  | { readonly inTurn: readonly SignalRows[] }
  | { readonly fails: SignalFailure['reason'] }
  | {
      readonly of: (
        args: unknown,
        request: RequestBounds,
      ) => SignalRows | SignalFailure | Promise<SignalRows | SignalFailure>;
    };

type RequestBounds = Pick<SignalRequest, 'window' | 'limits'> & { readonly signal: AbortSignal };

export interface ScriptedSignal extends Signal {
  /** In the order they came. */
  readonly asked: readonly { readonly name: string; readonly args: unknown }[];
  readonly closed: boolean;
}

export interface ScriptedQuestion {
  readonly topic: SignalTopic;
  readonly script: SignalScript;
  /** Absent: any arguments are accepted. */
  readonly parameters?: z.ZodType<unknown>;
  /** `past` shows what is older than the calm before the window, too. */
  readonly reach?: 'baseline' | 'past';
}

export interface ScriptedOptions {
  readonly system?: string;
  readonly health?: Health;
  readonly clock?: Clock;
}

/** A system without one. Questions are named `system_key`; they hold to window, caps and deadline as every question. */
export function scriptedSignal(
  questions: Readonly<Record<string, ScriptedQuestion>>,
  options: ScriptedOptions = {},
): ScriptedSignal {
  const { system = 'scripted', health = { kind: 'healthy', version: null }, clock = systemClock } = options;
  const place = { system, source: `${system} in memory`, clock };
  const asked: { name: string; args: unknown }[] = [];
  let closed = false;
  const signalQuestions = Object.entries(questions).map(
    ([key, { topic, script, ...given }]): SignalQuestion => {
      const name = `${system}_${key}`;
      let turn = 0;
      return question(place, {
        name,
        topic,
        description: `What was written for ${key}.`,
        parameters: given.parameters ?? z.record(z.string(), z.unknown()),
        cost: 'instant',
        reach: given.reach ?? 'baseline',
        async read(args, asking) {
          asked.push({ name, args });
          if ('fails' in script) return failure(script.fails, `${name} was told to fail.`);
          const rows =
            'rows' in script
              ? script.rows
              : 'of' in script
                ? await script.of(args, asking)
                : (script.inTurn[turn++] ?? { kind: 'table' as const, rows: [] });
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

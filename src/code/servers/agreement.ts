/**
 * Servers may answer before they have read everything, without saying so: an answer counts once two replies in a row
 * agree.
 */
import type { RawReply } from './connection.ts';

export interface WaitLimits {
  /** Milliseconds after which the question is given up. */
  readonly limitMs: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export interface RepeatedQuestion<Answer> {
  ask(): Promise<RawReply>;
  /** Null: the reply has a wrong form. */
  read(value: unknown): Answer | null;
  isSame(one: Answer, other: Answer): boolean;
  /** Whether the server reports that it is still working. */
  isBusy(): boolean;
  /** Whether known uses are missing in the answer: then it is asked again a few times. */
  isThin(answer: Answer): boolean;
  /** How often it is asked again for that reason. */
  readonly rounds: number;
}

export type Agreement<Answer> =
  | { readonly kind: 'agreed'; readonly answer: Answer }
  | { readonly kind: 'none'; readonly why: string; readonly isGone: boolean; readonly isSlow: boolean };

const firstPauseMs = 30;
const maxPauseMs = 1_000;

export async function askUntilAgreed<Answer>(
  question: RepeatedQuestion<Answer>,
  { limitMs, now, pause }: WaitLimits,
): Promise<Agreement<Answer>> {
  const until = now() + limitMs;
  let before: Answer | null = null;
  let rounds = question.rounds;
  for (let rest = firstPauseMs; ; rest = Math.min(rest * 2, maxPauseMs)) {
    const serverReply = await question.ask();
    if (serverReply.kind === 'none') return { ...serverReply, isSlow: !serverReply.isGone };
    const answer = question.read(serverReply.value);
    if (answer === null)
      return {
        kind: 'none',
        why: 'what it answers has no shape that is known',
        isGone: false,
        isSlow: false,
      };
    const isTwice = before !== null && question.isSame(before, answer) && !question.isBusy();
    if (isTwice && (rounds <= 0 || !question.isThin(answer))) return { kind: 'agreed', answer };
    if (isTwice) rounds -= 1;
    before = answer;
    if (now() + rest > until)
      return {
        kind: 'none',
        why: `no two of its answers agreed in ${Math.round(limitMs / 1000)} s`,
        isGone: false,
        isSlow: true,
      };
    await pause(rest);
  }
}

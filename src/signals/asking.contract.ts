import type { IncidentWindow, Observation, Signal, SignalFailure, SignalLimits } from '../core/index.ts';

/** What questions are asked with in tests. */
export const contractLimits: SignalLimits = Object.freeze({ rows: 1_000, bytes: 64_000, timeoutMs: 60_000 });

/** One question of a system, by its name. */
export function askQuestion(
  signal: Signal,
  name: string,
  args: unknown,
  window: IncidentWindow,
  limits: Partial<SignalLimits> = {},
): Promise<Observation | SignalFailure> {
  const question = signal.questions.find((one) => one.name === name);
  if (question === undefined) throw new Error(`There is no question ${name}.`);
  return question.ask(args, { window, limits: { ...contractLimits, ...limits } });
}

const minute = 60_000;

/** Half an hour from noon, and as long a calm before it: for doubles whose times are made up. */
export const noon = Date.UTC(2026, 6, 11, 12);
export const fromNoon = (minutes: number): number => noon + minutes * minute;
export const isoFromNoon = (minutes: number): string => new Date(fromNoon(minutes)).toISOString();
export const noonWindow: IncidentWindow = Object.freeze({
  from: noon,
  to: fromNoon(30),
  baseline_from: fromNoon(-30),
  derivation: 'a test',
});

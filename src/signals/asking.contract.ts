import type { IncidentWindow, Observation, Signal, SignalFailure, SignalLimits } from '../core/index.ts';

/** What questions are asked with in tests. */
export const contractLimits: SignalLimits = Object.freeze({ rows: 1_000, bytes: 64_000, timeoutMs: 10_000 });

/** One question of a system, by its name. */
export function asked(
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

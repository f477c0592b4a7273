/** The comparison in a replay of an investigation: every cell runs in a fresh sandbox with the recorded answers. */
import type { LoggedEvent, RunResult } from '../../core/index.ts';
import type { SandboxImage } from '../../sandbox/index.ts';
import { holeIn } from '../replay-life.ts';
import type { Material } from './material.ts';
import type { FinishedInvestigation } from './report/report.ts';
import type { RunContext } from './run-context.ts';
import type { CellRecord } from './state.ts';

export interface ReplayResult extends FinishedInvestigation {
  readonly cells: number;
  /** Units of all cells together. */
  readonly fuel: number;
  /** A line for each difference from the record; empty if all is equal. */
  readonly differences: readonly string[];
  /** How today's sandbox differs from that of the run; empty if it is the same. */
  readonly notes: readonly string[];
}

interface Comparison extends Required<Pick<RunContext, 'onCell' | 'onSession'>> {
  /** Called when the work is complete. */
  compareEnd(end: FinishedInvestigation, kept: FinishedInvestigation): ReplayResult;
}

/** `events`: the log of the run. */
export function startComparison(events: readonly LoggedEvent[]): Comparison {
  const differences: string[] = [];
  const ranOn = imagesIn(events);
  const notes = new Set<string>();
  let [cells, fuel] = [0, 0];
  return {
    onSession(image) {
      for (const note of imageNotes(ranOn, image)) notes.add(note);
    },
    onCell(before, again) {
      cells += 1;
      fuel += again.fuel;
      differences.push(...differencesOf(before, again));
    },
    compareEnd(end, finishedInvestigation) {
      for (const part of ['answer', 'citations', 'status'] as const)
        if (!isSame(part, end.result, finishedInvestigation.result))
          differences.push(`${part}: other than recorded`);
      return {
        // Coverage depends on the day of the run.
        result: { ...end.result, coverage: finishedInvestigation.result.coverage },
        investigation: finishedInvestigation.investigation,
        cells,
        fuel,
        differences,
        notes: [...notes],
      };
    },
  };
}

/** Older versions called quotes, and answers that were due too early, verified. */
function isSame(part: 'answer' | 'citations' | 'status', now: RunResult, before: RunResult): boolean {
  if (part === 'status' && before.status === 'verified' && ['quotes', 'partial'].includes(now.status))
    return true;
  return JSON.stringify(now[part]) === JSON.stringify(before[part]);
}

/** Every image that the run used, once: a resumed run may have used another. */
function imagesIn(events: readonly LoggedEvent[]): readonly SandboxImage[] {
  const images = events.flatMap(({ event }) => (event.kind === 'session_opened' ? [event.image] : []));
  return [...new Map(images.map((image) => [image.snapshot, image])).values()];
}

function imageNotes(ranOn: readonly SandboxImage[], now: SandboxImage): readonly string[] {
  if (ranOn.length === 0) return ['What sandbox it ran in was not recorded: fuel may differ for that alone.'];
  return ranOn.flatMap((then) => {
    if (then.snapshot === now.snapshot) return [];
    const parts = [
      ...(then.interpreter === now.interpreter
        ? []
        : [`python.wasm ${short12(then.interpreter)}, now ${short12(now.interpreter)}`]),
      ...(then.library === now.library
        ? []
        : [`library ${short12(then.library)}, now ${short12(now.library)}`]),
      `snapshot ${short12(then.snapshot)}, now ${short12(now.snapshot)}`,
    ];
    return [
      `It ran in another sandbox image: ${parts.join('; ')}. Fuel and output may differ for that alone.`,
    ];
  });
}

const short12 = (hash: string): string => hash.slice(0, 12);

function differencesOf(before: CellRecord, again: CellRecord): readonly string[] {
  // The cell was ended by the clock, so a different time is no difference.
  if (before.untimely) return [];
  return (['outcome', 'output', 'bytes', 'fuel', 'calls'] as const)
    .filter((part) => before[part] !== again[part])
    .map((part) => `${before.key}: ${part} was ${shortJson(before[part])}, and is ${shortJson(again[part])}`);
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-100)}` : text;
}

export function silentMaterial(run: string): Material {
  const missing = (port: string) => () => Promise.reject(holeIn(run, `a result of ${port}`));
  return { kind: 'workspace', search: { search: missing('search') }, text: { readText: missing('reading') } };
}

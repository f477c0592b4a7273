/**
 * Compares a replayed investigation with its record. In a replay, every cell runs in a fresh sandbox with the recorded
 * answers of its helpers.
 */
import type { LoggedEvent, RunResult } from '../../core/index.ts';
import type { SandboxImage } from '../../sandbox/index.ts';
import { missingRecordError } from '../replay-life.ts';
import type { Material } from './material.ts';
import type { FinishedInvestigation } from './report/report.ts';
import type { RunContext } from './run-context.ts';
import type { CellRecord } from './state.ts';

export interface ReplayResult extends FinishedInvestigation {
  readonly cells: number;
  /** Fuel of all cells together. */
  readonly fuel: number;
  /** A line for each difference from the record; empty if all is equal. */
  readonly differences: readonly string[];
  /** How today's sandbox differs from that of the run; empty if it is the same. */
  readonly notes: readonly string[];
}

interface Comparison extends Required<Pick<RunContext, 'onCell' | 'onSession'>> {
  /** Compares the results once the replay is complete. */
  compareEnd(end: FinishedInvestigation, recorded: FinishedInvestigation): ReplayResult;
}

/** `events`: the log of the run. */
export function startComparison(events: readonly LoggedEvent[]): Comparison {
  const differences: string[] = [];
  const recordedImages = imagesIn(events);
  const notes = new Set<string>();
  let [cells, fuel] = [0, 0];
  return {
    onSession(image) {
      for (const note of imageNotes(recordedImages, image)) notes.add(note);
    },
    onCell(recordedCell, repeated) {
      cells += 1;
      fuel += repeated.fuel;
      differences.push(...differencesOf(recordedCell, repeated));
    },
    compareEnd(end, recorded) {
      for (const field of ['answer', 'citations', 'status'] as const)
        if (!isSame(field, end.result, recorded.result)) differences.push(`${field}: other than recorded`);
      return {
        // Coverage depends on the day of the run.
        result: { ...end.result, coverage: recorded.result.coverage },
        investigation: recorded.investigation,
        cells,
        fuel,
        differences,
        notes: [...notes],
      };
    },
  };
}

/** Whether a field is as recorded. Older versions recorded `verified` for what is now `quotes` or `partial`. */
function isSame(field: 'answer' | 'citations' | 'status', current: RunResult, recorded: RunResult): boolean {
  if (field === 'status' && recorded.status === 'verified' && ['quotes', 'partial'].includes(current.status))
    return true;
  return JSON.stringify(current[field]) === JSON.stringify(recorded[field]);
}

/** The images that the run used, each once. A resumed run may have used several. */
function imagesIn(events: readonly LoggedEvent[]): readonly SandboxImage[] {
  const images = events.flatMap(({ event }) => (event.kind === 'session_opened' ? [event.image] : []));
  return [...new Map(images.map((image) => [image.snapshot, image])).values()];
}

function imageNotes(recordedImages: readonly SandboxImage[], image: SandboxImage): readonly string[] {
  if (recordedImages.length === 0)
    return ['What sandbox it ran in was not recorded: fuel may differ for that alone.'];
  return recordedImages.flatMap((recordedImage) => {
    if (recordedImage.snapshot === image.snapshot) return [];
    const parts = [
      ...(recordedImage.interpreter === image.interpreter
        ? []
        : [`python.wasm ${short12(recordedImage.interpreter)}, now ${short12(image.interpreter)}`]),
      ...(recordedImage.library === image.library
        ? []
        : [`library ${short12(recordedImage.library)}, now ${short12(image.library)}`]),
      `snapshot ${short12(recordedImage.snapshot)}, now ${short12(image.snapshot)}`,
    ];
    return [
      `It ran in another sandbox image: ${parts.join('; ')}. Fuel and output may differ for that alone.`,
    ];
  });
}

const short12 = (hash: string): string => hash.slice(0, 12);

function differencesOf(recorded: CellRecord, repeated: CellRecord): readonly string[] {
  // A cell that the clock ended may end elsewhere when repeated.
  if (recorded.untimely) return [];
  return (['outcome', 'output', 'bytes', 'fuel', 'calls'] as const)
    .filter((field) => recorded[field] !== repeated[field])
    .map(
      (part) =>
        `${recorded.key}: ${part} was ${shortJson(recorded[part])}, and is ${shortJson(repeated[part])}`,
    );
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-100)}` : text;
}

export function silentMaterial(run: string): Material {
  const rejectCall = (port: string) => () => Promise.reject(missingRecordError(run, `a result of ${port}`));
  return {
    kind: 'workspace',
    search: { search: rejectCall('search') },
    text: { readText: rejectCall('reading') },
  };
}

/** Writes what an investigation of an incident recorded into a folder, so that questions can be asked about it. */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Evidence, type IncidentResult, SondeError } from '../../core/index.ts';
import { listEvidence } from '../../core/runs.ts';
import { openRuns } from '../compose.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { findKind } from '../kinds/find-kind.ts';
import { incident } from '../kinds/incident.ts';
import { evidenceFolder } from './places.ts';

export interface RecordedEvidence {
  /** The full id of the run, even if only its beginning was given. */
  readonly run: string;
  /** The folder that holds each observation under its own name, such as `signals/prometheus_range/1.txt`. */
  readonly root: string;
  /** Null if the investigation has not ended. */
  readonly incident: IncidentResult | null;
}

/**
 * Writes the evidence files anew each time, so that an edit of them is not mistaken for evidence. The report is not
 * included: a conclusion does not prove itself. Throws `not_found`, and `run_state` if the run is no incident or
 * recorded nothing.
 */
export async function evidenceOfIncident(run: string): Promise<RecordedEvidence> {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const store = await openRuns(configuration);
  try {
    const row = await store.runs.get(run);
    const refuse = (message: string, remedy: string): never => {
      throw new SondeError('run_state', { message: `${row.id} ${message}`, remedy });
    };
    if (findKind(row.shape) !== incident)
      refuse('is no investigation of an incident', 'sonde runs lists what there is.');
    const events = await store.events(row.id);
    const evidence = listEvidence(events);
    if (evidence.length === 0)
      refuse('kept no evidence', 'Investigate again without store_artifacts: false, and ask about that run.');
    const last = events.findLast(({ event }) => event.kind === 'run_finished')?.event;
    const root = evidenceFolder(configuration, row.id);
    writeDocuments(root, evidence);
    return {
      run: row.id,
      root,
      incident: last?.kind === 'run_finished' ? (last.incident ?? null) : null,
    };
  } finally {
    await store.close();
  }
}

/** Lines keep their numbers. Lines without evidence are empty. */
function writeDocuments(root: string, evidence: readonly Evidence[]): void {
  const documents = Map.groupBy(evidence, ({ file_path: path }) => path);
  const fresh = `${root}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const [path, pieces] of documents) {
    const file = join(fresh, `${path}.txt`);
    // The program makes the names of documents. One that leads out of the folder was not made by it.
    if (relative(fresh, file).startsWith('..')) continue;
    const lines: string[] = [];
    for (const { start_line: start, content } of pieces)
      for (const [n, line] of content.split('\n').entries()) lines[start - 1 + n] = line;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${Array.from(lines, (line) => line ?? '').join('\n')}\n`, { mode: 0o600 });
  }
  rmSync(root, { recursive: true, force: true });
  renameSync(fresh, root);
}

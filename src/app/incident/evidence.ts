/** Writes the recorded evidence of an incident's investigation into a folder, so that questions can be asked about it. */

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
 * Rewrites the evidence files each time, so that edits of them are not mistaken for evidence. Leaves out the report, which
 * is a conclusion and no evidence. Throws `not_found`, and `run_state` if the run is no incident or recorded nothing.
 */
export async function writeEvidenceFiles(run: string): Promise<RecordedEvidence> {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const store = await openRuns(configuration);
  try {
    const row = await store.runs.get(run);
    const fail = (message: string, remedy: string): never => {
      throw new SondeError('run_state', { message: `${row.id} ${message}`, remedy });
    };
    if (findKind(row.shape) !== incident)
      fail('is no investigation of an incident', 'Choose another run: sonde runs lists them.');
    const events = await store.events(row.id);
    const evidence = listEvidence(events);
    if (evidence.length === 0)
      fail('kept no evidence', 'Investigate again without store_artifacts: false, and ask about that run.');
    const endEvent = events.findLast(({ event }) => event.kind === 'run_finished')?.event;
    const root = evidenceFolder(configuration, row.id);
    writeDocuments(root, evidence);
    return {
      run: row.id,
      root,
      incident: endEvent?.kind === 'run_finished' ? (endEvent.incident ?? null) : null,
    };
  } finally {
    await store.close();
  }
}

/** Writes a file for each document. Lines keep their numbers; lines without evidence are empty. */
function writeDocuments(root: string, evidence: readonly Evidence[]): void {
  const documents = Map.groupBy(evidence, ({ file_path: path }) => path);
  const temporaryRoot = `${root}.new`;
  rmSync(temporaryRoot, { recursive: true, force: true });
  for (const [path, pieces] of documents) {
    const file = join(temporaryRoot, `${path}.txt`);
    // Sonde's own document names stay in the folder. A path that leads out of it was tampered with.
    if (relative(temporaryRoot, file).startsWith('..')) continue;
    const lines: string[] = [];
    for (const { start_line: start, content } of pieces)
      for (const [n, line] of content.split('\n').entries()) lines[start - 1 + n] = line;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${Array.from(lines, (line) => line ?? '').join('\n')}\n`, { mode: 0o600 });
  }
  rmSync(root, { recursive: true, force: true });
  renameSync(temporaryRoot, root);
}

/** Writes `report.md` into the run's folder. Always active, whatever else is configured. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Sink } from './sink.ts';

/** Writes a temporary file and renames it, so that a reader never sees half a report. */
export function reportFile(path: string): Sink {
  return {
    name: 'report.md',
    idempotent: true,
    async deliver({ markdown }) {
      const draft = `${path}.part`;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(draft, markdown, { mode: 0o600 });
      renameSync(draft, path);
      return { kind: 'delivered', where: path };
    },
  };
}

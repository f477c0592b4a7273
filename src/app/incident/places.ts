/** Where the files of an incident lie: beside the database. */
import { join } from 'node:path';
import type { Configuration } from '../config/index.ts';

type Home = Pick<Configuration, 'directories'>;

/** The user's own, like a letter that was sent: it outlives its run. */
export const reportPath = ({ directories }: Home, run: string): string =>
  join(directories.data, 'incidents', run, 'report.md');

/** What the run has kept, written out as files for questions about it: removed with its run. */
export const evidenceFolder = ({ directories }: Home, run: string): string =>
  join(directories.data, 'incidents', run, 'evidence');

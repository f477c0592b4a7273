/** Where the files of an incident lie: beside the database. */
import { join } from 'node:path';
import type { Configuration } from '../config/index.ts';

type Home = Pick<Configuration, 'directories'>;

/** The report belongs to the user, like a letter that was sent, and stays when its run is removed. */
export const reportPath = ({ directories }: Home, run: string): string =>
  join(directories.data, 'incidents', run, 'report.md');

/** What the run recorded, as files for questions about it. Removed with the run. */
export const evidenceFolder = ({ directories }: Home, run: string): string =>
  join(directories.data, 'incidents', run, 'evidence');

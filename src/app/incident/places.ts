/** The paths of an incident's files, in the data folder. */
import { join } from 'node:path';
import type { Configuration } from '../config/index.ts';

type DirectoriesOwner = Pick<Configuration, 'directories'>;

/** The report of a run. It belongs to the user, and stays when the run is removed. */
export const reportPath = ({ directories }: DirectoriesOwner, run: string): string =>
  join(directories.data, 'incidents', run, 'report.md');

/** The folder of the run's evidence files, which is removed with the run. */
export const evidenceFolder = ({ directories }: DirectoriesOwner, run: string): string =>
  join(directories.data, 'incidents', run, 'evidence');

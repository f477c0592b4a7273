import { declareSetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'logs',
  title: 'Log files and the journal',
  offers: 'lines of log files and of the journal by unit, and their patterns',
  settings: {
    log_files: declareSetting(
      'paths',
      'Log files, and folders of them, to look at in an investigation.',
      'a list of paths',
      'SONDE_LOG_FILES',
    ),
    journal_units: declareSetting(
      'texts',
      'Units of systemd on this machine whose journal is looked at in an investigation.',
      'a list of units, such as nginx.service',
      'SONDE_JOURNAL_UNITS',
    ),
  },
  async open({ log_files: paths, journal_units: units }, { clock, journal: run }) {
    const files = paths.length > 0 ? [(await import('./files.ts')).openLogFiles({ paths, clock })] : [];
    const journal =
      units.length > 0 ? [(await import('./journald.ts')).openJournald({ run, clock, units })] : [];
    return files.length + journal.length === 0 ? null : { signals: [...files, ...journal] };
  },
});

/**
 * The entry point `sonde/signals`: opens the systems that an incident queries, to be passed to `incident` or `chat`.
 *
 * ```ts
 * import { incident } from 'sonde';
 * import { openPrometheus } from 'sonde/signals';
 * await incident(alert, { signals: [openPrometheus({ base: 'http://127.0.0.1:9090' })] });
 * ```
 */
export {
  bearer,
  openAlertmanager,
  openDatadog,
  openFrozen,
  openGit,
  openGithub,
  openGitlab,
  openGrafana,
  openJournald,
  openKubernetes,
  openLogFiles,
  openLoki,
  openMcp,
  openPostgres,
  openPrometheus,
  openRedis,
  openSentry,
} from './app/library/signals.ts';
export type {
  Health,
  IncidentWindow,
  Observation,
  Signal,
  SignalFailure,
  SignalQuestion,
  SignalRequest,
} from './core/index.ts';

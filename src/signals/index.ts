export { openAlertmanager } from './alertmanager/alertmanager.ts';
export type { CommandReply, CommandRequest, RunCommand } from './command.ts';
export { type Frozen, type FrozenOptions, openFrozen } from './frozen/frozen.ts';
export type { Authorization, Credential } from './http.ts';
export { openLogFiles } from './logs/files.ts';
export { openJournald } from './logs/journald.ts';
export { openLoki } from './loki/loki.ts';
export { openPrometheus } from './prometheus/prometheus.ts';

export type { Corpora, Corpus, HandedOver, OpenCorpus } from './corpus.ts';
export type { DefinedRun, RunTypes } from './define-run.ts';
export { type Alert, alertLine, nameless } from './incident/alert/alert.ts';
export { cutAlert } from './incident/alert/cut.ts';
export { alertLimits } from './incident/alert/limits.ts';
export { partsOf } from './incident/alert/shapes.ts';
export type { ErrorSink, Models as IncidentModels } from './incident/crew.ts';
export { githubSink } from './incident/deliver/github.ts';
export { gitlabSink } from './incident/deliver/gitlab.ts';
export { reportFile } from './incident/deliver/report-file.ts';
export type { Send, Sink } from './incident/deliver/sink.ts';
export { slackSink } from './incident/deliver/slack.ts';
export { webhookSink } from './incident/deliver/webhook.ts';
export { type IncidentPorts, type IncidentTypes, incidentRun } from './incident/run.ts';
export { investigationHelpers } from './investigation/helper-docs.ts';
export type { Material as InvestigationMaterial } from './investigation/material.ts';
export type { Replayed as ReplayedInvestigation } from './investigation/replay.ts';
export {
  type InvestigationPorts,
  type InvestigationTypes,
  investigationRun,
} from './investigation/run.ts';
export type { Material } from './research/material.ts';
export { type ResearchTypes, researchRun } from './research/run.ts';
export type { LifeSetting } from './run-life.ts';
export type { RunEnd } from './run-row.ts';
export type { TaskSetting } from './run-task.ts';
export type { Shape } from './shape.ts';
export { dispatcherOf, openTasks } from './shapes.ts';
export { importAnalyst } from './subagent/import-analyst/analyst.ts';
export { type ImportReport, importReport } from './subagent/import-analyst/report.ts';
export type { Subgraph } from './subagent/subgraph.ts';

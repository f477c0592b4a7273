/**
 * An investigation in a process of its own, which kills itself a number of events after the start of a stage:
 * `stage-worker.contract.ts DATABASE RUN TOLD STAGE EVENTS`. Before the process does something outside, it writes that to a file.
 */
import { appendFileSync } from 'node:fs';
import type { Signal } from '../../core/index.ts';
import { type Model, scriptedModel } from '../../model/index.ts';
import { openStore } from '../../store/index.ts';
import type { Sink } from './deliver/sink.ts';
import { alertJson, answer, noWait, now, pool, signalOf } from './incident.contract.ts';
import { type IncidentSetting, incidentRun } from './run.ts';

const [database, run, logFile, stage, after] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const store = openStore(database);
const tell = (what: string): void => appendFileSync(logFile, `${what}\n`);

const model: Model = {
  ...scriptedModel('unused'),
  async generate(request) {
    tell(`model ${request.idempotencyKey}`);
    return scriptedModel(answer(request) as never).generate(request);
  },
};
const sourceSignal = signalOf(pool);
const signal: Signal = {
  ...sourceSignal,
  questions: sourceSignal.questions.map((question) => ({
    ...question,
    async ask(args, request) {
      tell(`ask ${question.name} ${JSON.stringify(args)}`);
      return question.ask(args, request);
    },
  })),
};
const sink: Sink = {
  name: 'somewhere',
  idempotent: true,
  async deliver() {
    tell('deliver');
    return { kind: 'delivered', where: 'there' };
  },
};

let left: number | null = null;
const setting: IncidentSetting = {
  store,
  models: { planner: model },
  signals: [signal],
  sinks: () => [sink],
  ...noWait,
  onEvent({ event }) {
    if (event.kind === 'note' && event.text === `stage ${stage}`) left = Number(after);
    else if (left !== null) left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
};
const exists = (await store.runs.list(10)).some(({ id }) => id === run);
const { incident } = exists
  ? await incidentRun.resume(run, setting)
  : await incidentRun.start({ alert: alertJson(), root: '/systems', now, id: run }, setting);
console.log(JSON.stringify(incident));
await store.close();

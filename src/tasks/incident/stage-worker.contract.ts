/**
 * An investigation in a process of its own, which kills itself so many events after a stage began:
 * `stage-worker.contract.ts DATABASE RUN TOLD STAGE EVENTS`. What leaves the process is told to a file first.
 */
import { appendFileSync } from 'node:fs';
import type { Signal } from '../../core/index.ts';
import { type Model, scriptedModel } from '../../model/index.ts';
import { openStore } from '../../store/index.ts';
import type { Sink } from './deliver/sink.ts';
import { alertJson, answer, noWait, now, pool, signalOf } from './incident.contract.ts';
import { type IncidentSetting, incidentRun } from './run.ts';

const [database, run, told, stage, after] = process.argv.slice(2) as [string, string, string, string, string];
const store = openStore(database);
const tell = (what: string): void => appendFileSync(told, `${what}\n`);

const model: Model = {
  ...scriptedModel('unused'),
  async generate(request) {
    tell(`model ${request.idempotencyKey}`);
    return scriptedModel(answer(request) as never).generate(request);
  },
};
const whole = signalOf(pool);
const signal: Signal = {
  ...whole,
  questions: whole.questions.map((question) => ({
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
const begun = (await store.runs.list(10)).some(({ id }) => id === run);
const { incident } = begun
  ? await incidentRun.resume(run, setting)
  : await incidentRun.start({ alert: alertJson(), root: '/systems', now, id: run }, setting);
console.log(JSON.stringify(incident));
await store.close();

/** The graphs of LangGraph that a program can hold, stop, resume, and use in graphs of its own. */
import type { CheckedIncident, InvestigationResult, RunResult } from '../../core/index.ts';
import {
  type CompileOptions,
  createStagedGraph,
  type StagedRun,
  type StagedWatch,
} from '../../session/staged-graph.ts';
import { createTalkGraph } from '../../session/talk-graph.ts';
import {
  type AskOptions,
  askOptionNames,
  type Incident,
  type Investigate,
  incidentOptionNames,
  investigateOptionNames,
} from '../library.ts';
import type { CallerParts } from '../runs/run-kind.ts';
import { openCallerParts, type PartsForm } from './caller-parts.ts';
import {
  type Chat,
  type Conversation,
  chat,
  chatOptionNames,
  type MessageOptions,
  type Turn,
} from './chat.ts';
import { checkOptions } from './known-options.ts';
import type { OwnParts, RunOptions } from './options.ts';
import { createSteppedRun } from './stepped-run.ts';

type WatchOption = 'signal' | 'onRun' | 'onEvent';

interface GraphKind<Result> {
  readonly form: PartsForm;
  start(asked: string, more: GraphRequest): Promise<Result>;
  resume(run: string, more: GraphRequest): Promise<Result>;
}

interface GraphRequest extends StagedWatch {
  readonly callerParts: CallerParts;
  readonly onRun: (run: string) => void;
}

/** The runs of a graph in this process, by their ids. */
function openGraphRuns<Result>(own: OwnParts, { form, start, resume }: GraphKind<Result>) {
  const stagedRuns = new Map<string, StagedRun<Result> & { readonly isOver: () => boolean }>();

  function startWork(work: (more: GraphRequest) => Promise<Result>, watch: StagedWatch) {
    const run = createSteppedRun<Result>();
    const runStarted = Promise.withResolvers<string>();
    const end = (async () => {
      const { callerParts, close } = await openCallerParts(own, form);
      try {
        return await work({
          ...watch,
          callerParts: { ...callerParts, drive: run.drive },
          onRun: runStarted.resolve,
        });
      } finally {
        await close();
      }
    })();
    end.catch(runStarted.reject);
    run.follow(end);
    return { run, id: runStarted.promise };
  }

  /** Without an id, this starts a new run, whose id is known once it has begun. */
  async function keepRun(work: (more: GraphRequest) => Promise<Result>, watch: StagedWatch, known?: string) {
    const { run, id: started } = startWork(work, watch);
    const id = known ?? (await started);
    const staged = { id, advance: run.advance, result: run.result, isOver: () => run.isOver };
    stagedRuns.set(id, staged);
    const forget = () => stagedRuns.get(id) === staged && stagedRuns.delete(id);
    run.result().then(forget, forget);
    return staged;
  }

  return {
    begin: (asked: string, watch: StagedWatch) => keepRun((more) => start(asked, more), watch),
    async resume(id: string, watch: StagedWatch) {
      const existing = stagedRuns.get(id);
      return existing !== undefined && !existing.isOver()
        ? existing
        : keepRun((more) => resume(id, more), watch, id);
    },
  };
}

type Kinds = typeof import('../kinds/kinds.ts')['kinds'];
const loadKinds = async (): Promise<Kinds> => (await import('../kinds/kinds.ts')).kinds;

const toSettings = ({ settings, onNote }: Pick<RunOptions, 'settings' | 'onNote'>) => ({
  ...(settings && { settings }),
  ...(onNote && { onNote }),
});

const dropAbsent = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;

/** `ask` as a graph. Input: `question`, output: `result`. */
export function researchGraph(options: Omit<AskOptions, WatchOption> = {}, compiling: CompileOptions = {}) {
  checkOptions('researchGraph', options, askOptionNames);
  const { root = '.', scope } = options;
  const runs = openGraphRuns<RunResult>(options, {
    form: 'tools',
    start: async (question, more) =>
      (
        await (
          await loadKinds()
        ).research.start({ question, root, scope, ...toSettings(options), ...more } as never)
      ).value,
    resume: async (run, more) => (await (await loadKinds()).research.resume({ run, ...more } as never)).value,
  });
  return createStagedGraph(
    { input: 'question', stages: ['plan', 'choose', 'act', 'call'], ...runs },
    compiling,
  );
}

/** `investigate` as a graph. Input: `prompt`, output: `result`. */
export function investigationGraph(
  options: Omit<Investigate, WatchOption> = {},
  compiling: CompileOptions = {},
) {
  checkOptions('investigationGraph', options, investigateOptionNames);
  const { root, workspace, scope, context, schema, depth } = options;
  const place = workspace === undefined ? { root: root ?? '.' } : { workspace };
  const runs = openGraphRuns<InvestigationResult>(options, {
    form: 'tools',
    start: async (prompt, more) =>
      (
        await (
          await loadKinds()
        ).investigation.start(
          dropAbsent({
            prompt,
            ...place,
            scope,
            context,
            schema,
            depth,
            ...toSettings(options),
            ...more,
          }) as never,
        )
      ).value,
    resume: async (run, more) =>
      (await (await loadKinds()).investigation.resume({ run, ...more } as never)).value,
  });
  return createStagedGraph({ input: 'prompt', stages: ['begin', 'plan', 'run'], ...runs }, compiling);
}

const incidentStages = [
  ...['resolve_integrations', 'extract_alert', 'plan_actions', 'gather_evidence', 'diagnose', 'deliver'],
];

/** `incident` as a graph. Input: `alert`, output: `result`. */
export function incidentGraph(
  options: Omit<Incident, WatchOption | 'alert'> = {},
  compiling: CompileOptions = {},
) {
  checkOptions('incidentGraph', options, incidentOptionNames);
  const { replay } = options;
  const runs = openGraphRuns<CheckedIncident>(options, {
    form: 'signals',
    start: async (alert, more) =>
      (
        await (
          await loadKinds()
        ).incident.start(
          dropAbsent({
            alert: alert === '' ? undefined : alert,
            replay,
            ...toSettings(options),
            ...more,
          }) as never,
        )
      ).value,
    resume: async (run, more) => (await (await loadKinds()).incident.resume({ run, ...more } as never)).value,
  });
  return createStagedGraph({ input: 'alert', stages: incidentStages, ...runs }, compiling);
}

/**
 * `chat` as a graph. Input: `message`, output: `answer`; questions of the agent are interrupts. `talk` is the id of the
 * conversation, which is opened for each turn and closed after it.
 */
export function conversationGraph(options: Omit<Chat, 'thread'> = {}, compiling: CompileOptions = {}) {
  checkOptions('conversationGraph', options, chatOptionNames);
  async function takeTurn(thread: string, work: (talk: Conversation) => Promise<Turn>): Promise<Turn> {
    const talk = await chat({ ...options, thread });
    try {
      return await work(talk);
    } finally {
      await talk.close();
    }
  }
  return createTalkGraph<Turn>(
    {
      send: (thread, message, id, watch: MessageOptions) =>
        takeTurn(thread, (talk) => talk.send(message, { id, ...watch })),
      answer: (thread, question, value, watch: MessageOptions) =>
        takeTurn(thread, async (talk) => {
          const { questions } = await talk.standing();
          // A question that was answered before a kill is not answered again.
          return questions.some(({ id }) => id === question)
            ? talk.answer(value, { question, ...watch })
            : talk.resume(watch);
        }),
    },
    compiling,
  );
}

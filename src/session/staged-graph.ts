/**
 * Makes a LangGraph graph of a run: its stages are the nodes, and its progress is the state. Results of stages stay in
 * the run's own journal. A checkpointer stores the id of the run and its progress, so that any process can resume the
 * thread there.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Annotation, type BaseCheckpointSaver, END, START, StateGraph } from '@langchain/langgraph';

/** A run that pauses between its stages. */
export interface StagedRun<Result> {
  readonly id: string;
  /** Runs until `stages` stages are done; returns the name of the next, or null at the end. */
  advance(stages: number): Promise<string | null>;
  /** The result of the run. */
  result(): Promise<Result>;
}

export interface StagedOptions<Input extends string, Result> {
  /** The name of the channel that holds the question. */
  readonly input: Input;
  readonly stages: readonly string[];
  /** Begins a run. `watch` receives its events. */
  begin(question: string, watch: StagedWatch): Promise<StagedRun<Result>>;
  /** Resumes the run of this process, or one left by another. */
  resume(run: string, watch: StagedWatch): Promise<StagedRun<Result>>;
}

export interface StagedWatch {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: unknown) => void;
}

/** Options for compiling. Without a checkpointer, that of the enclosing graph is used. */
export interface CompileOptions {
  readonly checkpointer?: BaseCheckpointSaver;
}

/** More steps than the longest run has. A budget ends a run long before. */
const recursionLimit = 4_000;

const latest = <Value>(start: Value) =>
  Annotation<Value>({ reducer: (_, next) => next, default: () => start });

/**
 * Runs outside the context of the graph, so that graphs within a run are not nested in it: they have their own threads.
 */
const runOutside = AsyncLocalStorage.snapshot();

export function createStagedGraph<const Input extends string, Result>(
  { input, stages, begin, resume }: StagedOptions<Input, Result>,
  { checkpointer }: CompileOptions = {},
) {
  const Channels = Annotation.Root({
    ...({ [input]: latest<string>('') } as Record<Input, ReturnType<typeof latest<string>>>),
    run_id: latest<string | null>(null),
    /** The number of finished stages. */
    stages_done: latest<number>(0),
    next_stage: latest<string | null>(null),
    result: latest<Result | null>(null),
  });
  type StagedState = {
    readonly run_id: string | null;
    readonly stages_done: number;
    readonly next_stage: string | null;
  };
  interface Config {
    readonly signal?: AbortSignal;
    readonly writer?: (chunk: unknown) => void;
  }
  const toWatch = ({ signal, writer }: Config): StagedWatch => ({
    ...(signal && { signal }),
    ...(writer && { onEvent: (event: unknown) => writer(event) }),
  });

  async function start(state: Record<Input, string>, config: Config) {
    const run = await runOutside(begin, state[input], toWatch(config));
    return { run_id: run.id, stages_done: 0, next_stage: await run.advance(0), result: null };
  }
  async function stage({ run_id, stages_done }: StagedState, config: Config) {
    const run = await runOutside(resume, run_id!, toWatch(config));
    const next_stage = await run.advance(stages_done + 1);
    return { stages_done: stages_done + 1, next_stage };
  }
  async function finish({ run_id }: StagedState, config: Config) {
    return { result: await (await runOutside(resume, run_id!, toWatch(config))).result() };
  }

  const endNode = 'finish_run';
  const chooseNext = ({ next_stage }: StagedState) => next_stage ?? endNode;
  const targets = Object.fromEntries([...stages, endNode].map((name) => [name, name]));
  // Node names are known only at run time, while the builder's type tracks each of them.
  const graph = new StateGraph(Channels) as unknown as UntypedGraph;
  graph.addNode('start_run', start as never).addNode(endNode, finish as never);
  for (const name of stages) graph.addNode(name, stage as never);
  graph
    .addEdge(START, 'start_run')
    .addEdge(endNode, END)
    .addConditionalEdges('start_run', chooseNext as never, targets);
  for (const name of stages) graph.addConditionalEdges(name, chooseNext as never, targets);
  const compiled = (graph as unknown as StateGraph<typeof Channels.spec>).compile({
    ...(checkpointer && { checkpointer }),
  });
  return compiled.withConfig({ recursionLimit }) as typeof compiled;
}

interface UntypedGraph {
  addNode(name: string, work: never): UntypedGraph;
  addEdge(from: string, to: string): UntypedGraph;
  addConditionalEdges(from: string, next: never, targets: Readonly<Record<string, string>>): UntypedGraph;
}

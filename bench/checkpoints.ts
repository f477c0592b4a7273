/**
 * What a checkpoint costs: a graph of one node that adds a message of 2 KB at every step, under several
 * checkpointers, beside none at all, a saver that keeps nothing, and a bare append of the same messages to a file.
 * What has to be on the disk before a step is over can't be quicker than `one page, synced`.
 * `node bench/checkpoints.ts [--stock DIR] [--steps 50,200,1000] [--rounds 3] [--slow]`
 *
 * DIR is where `npm install --ignore-scripts @langchain/langgraph-checkpoint-sqlite` was run: LangGraph's own
 * SQLite saver, whose code is used as it is over node:sqlite, since its driver has to be compiled. `--slow` runs
 * what takes minutes, too: the stock saver at 1,000 steps.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  Annotation,
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointTuple,
  DeltaChannel,
  END,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { openDatabase, openSessionsIn } from '../src/bench.ts';
import { ThreadCheckpointer } from '../src/langgraph.ts';

const { values: flags } = parseArgs({
  options: {
    stock: { type: 'string' },
    steps: { type: 'string', default: '50,200,1000' },
    rounds: { type: 'string', default: '3' },
    slow: { type: 'boolean', default: false },
  },
});
const sizes = flags.steps.split(',').map(Number);
const rounds = Number(flags.rounds);
const folder = mkdtempSync(join(tmpdir(), 'sonde-checkpoints-'));
const filler = 'All work and no play makes a dull log. '.repeat(60).slice(0, 1980);

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}
type Durability = 'sync' | 'async' | 'exit';

const message = (n: number): Message => ({ id: `m-${n}`, role: 'user', content: `${n} ${filler}` });

function graph(steps: number, delta: boolean, checkpointer: BaseCheckpointSaver | undefined) {
  const messages = delta
    ? () =>
        new DeltaChannel<Message[], Message[]>((held, writes) => held.concat(...writes), {
          initialValueFactory: () => [],
        })
    : Annotation<Message[]>({ reducer: (held, more) => held.concat(more), default: () => [] });
  const Channels = Annotation.Root({
    messages: messages as ReturnType<typeof Annotation<Message[]>>,
    step: Annotation<number>(),
  });
  return new StateGraph(Channels)
    .addNode('work', async ({ step }) => ({ messages: [message(step)], step: step + 1 }))
    .addEdge(START, 'work')
    .addConditionalEdges('work', ({ step }) => (step < steps ? 'work' : END), ['work', END])
    .compile(checkpointer ? { checkpointer } : {});
}

interface Saver {
  readonly saver: BaseCheckpointSaver;
  close(): void;
}
interface Subject {
  readonly name: string;
  readonly durability: Durability;
  readonly delta?: boolean;
  readonly open?: (path: string) => Saver | Promise<Saver>;
  /** Grows with the square of the steps. */
  readonly slow?: boolean;
}

const sonde = (path: string) => opened(path, false);
const unsynced = (path: string) => opened(path, true);

async function opened(path: string, unsynced: boolean): Promise<Saver> {
  const db = openDatabase({ path, schemas: [], busyMs: 1000 });
  const { threads, checkpoints, close } = openSessionsIn(db);
  if (!(await threads.has('thread'))) await threads.create({ id: 'thread' });
  const lease = await threads.acquire('thread');
  const saver = new ThreadCheckpointer({ checkpoints, leaseOf: () => lease, unsynced });
  return {
    saver,
    close() {
      close();
      db.close();
    },
  };
}

/** The stock saver's driver by the few methods it uses, with the defaults that driver is built with. */
const driver = `
import { DatabaseSync } from 'node:sqlite';
export default class {
  constructor(path) { this.db = new DatabaseSync(path); this.db.exec('PRAGMA synchronous = NORMAL'); }
  pragma(text) { this.db.exec('PRAGMA ' + text); this.db.exec('PRAGMA synchronous = NORMAL'); }
  exec(sql) { this.db.exec(sql); }
  prepare(sql) { return this.db.prepare(sql); }
  transaction(work) {
    return (...all) => {
      this.db.exec('BEGIN');
      const value = work(...all);
      this.db.exec('COMMIT');
      return value;
    };
  }
  close() { this.db.close(); }
}`;

async function stock(directory: string): Promise<(path: string) => Saver> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'better-sqlite3'
        ? { url: `data:text/javascript,${encodeURIComponent(driver)}`, shortCircuit: true }
        : next(specifier, context),
  });
  const file = join(directory, 'node_modules/@langchain/langgraph-checkpoint-sqlite/dist/index.js');
  if (!existsSync(file))
    throw new Error(`${file} is not there: run npm install --ignore-scripts in ${directory}`);
  const { SqliteSaver } = await import(pathToFileURL(file).href);
  return (path) => {
    const saver = SqliteSaver.fromConnString(path);
    return { saver, close: () => saver.db.close() };
  };
}

/** What LangGraph itself does for a checkpointer. */
class KeepsNothing extends BaseCheckpointSaver {
  override async getTuple(): Promise<undefined> {}
  override async *list(): AsyncGenerator<CheckpointTuple> {}
  override async put(config: RunnableConfig, { id }: Checkpoint): Promise<RunnableConfig> {
    return { configurable: { ...config.configurable, checkpoint_id: id } };
  }
  override async putWrites(): Promise<void> {}
  override async deleteThread(): Promise<void> {}
}

const subjects: Subject[] = [
  { name: 'LangGraph, no checkpointer', durability: 'async' },
  {
    name: 'LangGraph, a saver that keeps nothing',
    durability: 'sync',
    open: () => ({ saver: new KeepsNothing(), close() {} }),
  },
  {
    name: 'LangGraph, MemorySaver',
    durability: 'async',
    open: () => ({ saver: new MemorySaver(), close() {} }),
    slow: true,
  },
  { name: 'Sonde, async', durability: 'async', open: sonde },
  { name: 'Sonde, sync', durability: 'sync', open: sonde },
  { name: 'Sonde, sync, not synced to the disk', durability: 'sync', open: unsynced },
  { name: 'Sonde, exit', durability: 'exit', open: sonde },
  { name: 'Sonde, delta channel', durability: 'async', open: sonde, delta: true },
];
if (flags.stock === undefined) console.log('The stock SQLite saver is left out: it needs --stock DIR.\n');
else {
  const open = await stock(flags.stock);
  subjects.push(
    { name: 'stock SQLite', durability: 'async', open, slow: true },
    { name: 'stock SQLite, delta channel', durability: 'async', open, delta: true },
  );
}

interface Figures {
  readonly ms: number;
  readonly bytes: number | null;
  readonly reload: number | null;
  readonly right: boolean;
}

function inOrder(messages: readonly Message[] | undefined, steps: number): boolean {
  return messages?.length === steps && messages.every(({ content }, n) => content === message(n).content);
}

async function run({ durability, delta = false, open }: Subject, steps: number): Promise<Figures> {
  const path = join(mkdtempSync(join(folder, 'db-')), 'checkpoints.db');
  const first = await open?.(path);
  const config = { configurable: { thread_id: 'thread' }, recursionLimit: steps + 10, durability };
  const began = performance.now();
  const end = await graph(steps, delta, first?.saver).invoke({ messages: [], step: 0 }, config);
  const ms = (performance.now() - began) / steps;
  const right = inOrder(end.messages, steps);
  if (open === undefined || first === undefined || inMemory(first.saver))
    return { ms, bytes: null, reload: null, right };
  // Closing writes the log of changes back into the file.
  first.close();
  const again = performance.now();
  const second = await open(path);
  const { values } = await graph(steps, delta, second.saver).getState(config);
  const reload = performance.now() - again;
  second.close();
  return { ms, bytes: statSync(path).size, reload, right: right && inOrder(values['messages'], steps) };
}

const inMemory = (saver: BaseCheckpointSaver): boolean =>
  saver instanceof MemorySaver || saver instanceof KeepsNothing;

/** The disk alone: what one commit waits for. */
function onePage(steps: number): Figures {
  const path = join(mkdtempSync(join(folder, 'page-')), 'pages');
  const file = openSync(path, 'a');
  const page = Buffer.alloc(4096, 'x');
  const began = performance.now();
  for (let n = 0; n < steps; n += 1) {
    writeSync(file, page);
    fdatasyncSync(file);
  }
  const ms = (performance.now() - began) / steps;
  closeSync(file);
  return { ms, bytes: statSync(path).size, reload: null, right: true };
}

function append(steps: number, synced: boolean): Figures {
  const path = join(mkdtempSync(join(folder, 'log-')), 'messages.jsonl');
  const file = openSync(path, 'a');
  const began = performance.now();
  for (let n = 0; n < steps; n += 1) {
    writeSync(file, `${JSON.stringify(message(n))}\n`);
    if (synced) fdatasyncSync(file);
  }
  const ms = (performance.now() - began) / steps;
  closeSync(file);
  const again = performance.now();
  const read = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Message);
  const reload = performance.now() - again;
  return { ms, bytes: statSync(path).size, reload, right: inOrder(read, steps) };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

const all: readonly (readonly [
  name: string,
  slow: boolean,
  work: (steps: number) => Figures | Promise<Figures>,
])[] = [
  ...subjects.map(
    (subject) => [subject.name, subject.slow ?? false, (steps: number) => run(subject, steps)] as const,
  ),
  ['bare append', false, (steps) => append(steps, false)],
  ['bare append, synced', false, (steps) => append(steps, true)],
  ['one page, synced', false, onePage],
];

function cell(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}

for (const steps of sizes) {
  const found = new Map<string, Figures[]>(all.map(([name]) => [name, []]));
  // The first round only warms up.
  for (let round = -1; round < rounds; round += 1)
    for (const [name, slow, work] of all) {
      const heavy = slow && steps > 300;
      if (heavy && (!flags.slow || round !== rounds - 1)) continue;
      const figures = await work(round < 0 ? Math.min(steps, 50) : steps);
      if (round >= 0) found.get(name)!.push(figures);
    }
  const base = median(found.get(all[0]![0])!.map(({ ms }) => ms));
  console.log(`### ${steps} steps, ${(2 * steps) / 1000} MB of messages\n`);
  console.log('| | ms a step | beside none | MB | cold reload ms | history |');
  console.log('|---|---|---|---|---|---|');
  for (const [name, runs] of found) {
    if (runs.length === 0) continue;
    const ms = median(runs.map((each) => each.ms));
    const bytes = runs[0]!.bytes;
    const reload = runs[0]!.reload === null ? null : median(runs.map((each) => each.reload!));
    const right = runs.every((each) => each.right) ? 'exact' : 'differs';
    console.log(
      `| ${name} | ${ms.toFixed(3)} | x${(ms / base).toFixed(1)} | ${cell(bytes === null ? null : bytes / 1e6, 2)} | ${cell(reload, 1)} | ${right} |`,
    );
  }
  console.log('');
}
rmSync(folder, { recursive: true });

/**
 * Research inside a graph of your own, with a checkpointer of your own; killed in the middle, and taken up again by that
 * checkpointer: `npx node examples/langgraph.ts`. No key, no network.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import {
  Annotation,
  type BaseCheckpointSaver,
  END,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { type Model, type RunResult, scriptedModel } from 'sonde';
import { researchGraph } from 'sonde/langgraph';

const [home = mkdtempSync(join(tmpdir(), 'sonde-example-')), wish] = process.argv.slice(2);
process.env['SONDE_HOME'] = home;
const asked = join(home, 'asked.txt');

/** Keeps in a file what MemorySaver keeps in memory: like any saver that outlives its process. */
class FileSaver extends MemorySaver {
  readonly #path: string;
  constructor(path: string) {
    super();
    this.#path = path;
    try {
      const [storage, writes] = deserialize(readFileSync(path));
      Object.assign(this, { storage, writes });
    } catch {
      // The first time there is none.
    }
  }
  #keep<Value>(value: Value): Value {
    writeFileSync(this.#path, serialize([this.storage, this.writes]));
    return value;
  }
  override async put(...put: Parameters<MemorySaver['put']>) {
    return this.#keep(await super.put(...put));
  }
  override async putWrites(...put: Parameters<MemorySaver['putWrites']>) {
    return this.#keep(await super.putWrites(...put));
  }
}

/** Looks once, and answers with what it saw. What it is asked is counted; with the wish to die it dies at its second call. */
function model(): Model {
  return scriptedModel(({ messages }) => {
    appendFileSync(asked, 'asked\n');
    const said = messages
      .slice(1)
      .map(({ text }) => text)
      .join('\n');
    const isSecond = said.includes('list_paths');
    if (isSecond && wish === 'die') process.kill(process.pid, 'SIGKILL');
    const id = /ev-[0-9a-f]{10}/.exec(said)?.[0];
    return isSecond
      ? {
          calls: [
            {
              name: 'finalize',
              input: { answer: `It says "an answer is at most 4 KB" [${id}].`, confidence: 0.9 },
            },
          ],
        }
      : { calls: [{ name: 'list_paths', input: {} }] };
  }, 'mine:planner');
}

const State = Annotation.Root({
  question: Annotation<string>,
  result: Annotation<RunResult | null>,
  brief: Annotation<string>,
});

/** The graph of somebody else: research is one node of it, and takes its checkpointer. */
const graphWith = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode('word_it', () => ({ question: 'How long may an answer be?' }))
    .addNode('research', researchGraph({ root: import.meta.dirname, scope: 'ask.ts', model: model() }))
    .addNode('shorten', ({ result }) => ({ brief: result?.answer.split('[')[0]?.trim() ?? '' }))
    .addEdge(START, 'word_it')
    .addEdge('word_it', 'research')
    .addEdge('research', 'shorten')
    .addEdge('shorten', END)
    .compile({ checkpointer });

const thread = { configurable: { thread_id: 'one' } };
const saver = join(home, 'saver.bin');

if (wish === 'die') {
  await graphWith(new FileSaver(saver)).invoke({}, thread);
  throw new Error('it was to be killed');
}

// 1. In memory, from its beginning to its end.
const whole = await graphWith(new MemorySaver()).invoke({}, thread);
assert.equal(whole.brief, 'It says "an answer is at most 4 KB"');
assert.equal(whole.result?.status, 'verified');
const calls = () => readFileSync(asked, 'utf8').split('\n').length - 1;
assert.equal(calls(), 2);

// 2. In another process, which is killed while its model is asked a second time.
rmSync(asked);
const killed = spawnSync(process.execPath, [import.meta.filename, home, 'die'], { stdio: 'ignore' });
assert.equal(killed.signal, 'SIGKILL');
assert.equal(calls(), 2);

// 3. Here again: the checkpointer knows the run, and only what was not answered is asked once more.
const graph = graphWith(new FileSaver(saver));
const resumed = await graph.invoke(null, thread);
assert.equal(resumed.brief, 'It says "an answer is at most 4 KB"');
assert.equal(calls(), 3);
console.log(`ok: ${resumed.result?.run_id} went on after it was killed`);
rmSync(home, { recursive: true, force: true });

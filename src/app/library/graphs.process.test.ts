/** The graphs of the library: each comes to what its function comes to, can be stopped, and asks who holds it. */
import { rmSync } from 'node:fs';
import { Annotation, Command, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as door from '../../index.ts';
import * as graphs from '../../langgraph.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

let home: string;
let root: string;
let before: string | undefined;
beforeEach(() => {
  home = newHome();
  root = createSmallTree();
  before = process.env['SONDE_HOME'];
  process.env['SONDE_HOME'] = home;
});
afterEach(() => {
  if (before === undefined) delete process.env['SONDE_HOME'];
  else process.env['SONDE_HOME'] = before;
  rmSync(home, { recursive: true });
  rmSync(root, { recursive: true });
});

const settings = { model: 'extractive' } as const;
const alert = '{"title": "shop is slow", "service": "shop", "time": "2026-05-12T07:45:00Z"}';
const question = 'How is a failed delivery retried?';
const at = (thread_id: string) => ({ configurable: { thread_id } });
const saved = () => ({ checkpointer: new MemorySaver() });

describe('a graph comes to what its function comes to', () => {
  it('research', async () => {
    const found = await graphs.researchGraph({ root, settings }, saved()).invoke({ question }, at('a'));
    const same = await door.ask(question, { root, settings });
    expect(found.result).toMatchObject({ answer: same.answer, status: same.status });
    expect(found.run_id).toBe(found.result?.run_id);
    // It is a run like any other.
    expect((await door.replay(found.run_id!)).answer).toBe(same.answer);
  });

  it('an investigation', async () => {
    const asked = {
      root,
      model: door.scriptedModel('```python\nFINAL(str(len(kb_list())))\n```', 'mine:one'),
    };
    const graph = graphs.investigationGraph(asked, saved());
    const found = await graph.invoke({ prompt: 'How many files?' }, at('a'));
    expect(found.result).toMatchObject({ answer: expect.stringContaining('4') });
  });

  it('an incident', async () => {
    const found = await graphs.incidentGraph({ settings }, saved()).invoke({ alert }, at('a'));
    const same = await door.incident(alert, { settings });
    expect(found.result).toMatchObject({ verdict: same.verdict });
  });
});

describe('research', () => {
  it('is stopped before each of its stages, and goes on there', async () => {
    const script = ({ messages }: door.ModelRequest) => {
      const said = messages
        .slice(1)
        .map(({ text }) => text)
        .join('\n');
      return said.includes('list_paths')
        ? { calls: [{ name: 'finalize', input: { answer: 'Nothing is known.', confidence: 0.1 } }] }
        : { calls: [{ name: 'list_paths', input: {} }] };
    };
    const model = door.scriptedModel(script, 'mine:one');
    const graph = graphs.researchGraph({ root, model }, saved());
    const stages: unknown[] = [];
    const every = { ...at('a'), interruptAfter: '*' as const };
    let state = await graph.invoke({ question }, every);
    for (let n = 0; state.result === null && n < 50; n += 1) {
      stages.push(state.next_stage);
      state = await graph.invoke(null, every);
    }
    expect(stages.slice(0, 4)).toEqual(['plan', 'choose', 'call', 'plan']);
    expect(stages.at(-1)).toBeNull();
    expect(state.stages_done).toBe(stages.length - 1);
    const whole = door.scriptedModel(script, 'mine:one');
    expect(state.result?.answer).toBe((await door.ask(question, { root, model: whole })).answer);
    expect(model.calls).toHaveLength(whole.calls.length);
  });

  it('tells what happens in it to who streams the graph', async () => {
    const graph = graphs.researchGraph({ root, settings }, saved());
    const kinds = new Set<string>();
    for await (const told of await graph.stream({ question }, { ...at('a'), streamMode: 'custom' }))
      kinds.add((told as { event: { kind: string } }).event.kind);
    expect([...kinds]).toEqual(expect.arrayContaining(['run_started', 'action_finished']));
  });

  it('fails where its input is wrong, as its function does', async () => {
    const graph = graphs.researchGraph({ root, settings }, saved());
    await expect(graph.invoke({ question: ' ' }, at('a'))).rejects.toMatchObject({ code: 'bad_argument' });
  });

  it('ends partial where the graph is cancelled, and can be gone on with', async () => {
    const stop = new AbortController();
    const model = door.scriptedModel((_, n) => {
      if (n === 0) stop.abort();
      return { calls: [{ name: 'finalize', input: { answer: 'Nothing is known.', confidence: 0.1 } }] };
    }, 'mine:one');
    const graph = graphs.researchGraph({ root, model }, saved());
    await graph.invoke({ question }, { ...at('a'), signal: stop.signal }).catch(() => {});
    await expect
      .poll(async () =>
        graph.invoke(null, at('a')).then(
          ({ result }) => result?.answer,
          () => '',
        ),
      )
      .toContain('Nothing is known');
  });
});

describe('a conversation', () => {
  const model = () =>
    door.scriptedModel(({ messages }) => {
      const said = messages
        .slice(1)
        .map(({ text }) => text)
        .join('\n');
      if (said.includes('the red one')) return 'You chose the red one.';
      return { calls: [{ name: 'ask_user', input: { question: 'Which one?' } }] };
    }, 'mine:one');

  it('asks who holds the graph around it, by an interrupt', async () => {
    const Outer = Annotation.Root({ message: Annotation<string>, answer: Annotation<string> });
    const outer = new StateGraph(Outer)
      .addNode('talk_it_over', graphs.conversationGraph({ workspace: 'notes', model: model() }))
      .addEdge(START, 'talk_it_over')
      .addEdge('talk_it_over', END)
      .compile({ checkpointer: new MemorySaver() });
    const asked = (await outer.invoke({ message: 'Paint it.' }, at('a'))) as {
      __interrupt__?: readonly { value: { question: string } }[];
    };
    expect(asked.__interrupt__?.[0]?.value.question).toBe('Which one?');
    const answered = await outer.invoke(new Command({ resume: 'the red one' }), at('a'));
    expect(answered.answer).toBe('You chose the red one.');
  });

  it('goes on under its name with each message', async () => {
    const talker = door.scriptedModel(
      ({ messages }) => `heard ${messages.at(-1)?.text.length ? 'you' : ''}`,
      'mine:one',
    );
    const graph = graphs.conversationGraph({ workspace: 'notes', model: talker }, saved());
    const first = await graph.invoke({ message: 'My name is Ada.' }, at('a'));
    expect(first.answer).toBe('heard you');
    await graph.invoke({ message: 'What is my name?' }, at('a'));
    expect(
      talker.calls
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join('\n'),
    ).toContain('Ada');
    await using talk = await door.chat({ workspace: 'notes', model: talker, thread: first.talk });
    expect(await talk.standing()).toMatchObject({ state: 'idle', last: { text: 'heard you' } });
  });
});

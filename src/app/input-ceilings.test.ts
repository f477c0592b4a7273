/**
 * How many tokens the calls of each kind of run carry: one play of each over a small material, counted as it was sent.
 * A ceiling is what was sent when it was last set and a hundredth more, since ids differ in their tokens. Whoever makes
 * calls smaller lowers it; whoever has to make them larger raises it here, where it is seen.
 */
import { afterAll, expect, it } from 'vitest';
import { syntaxReader } from '../code/index.ts';
import { memorySymbols } from '../code/memory-tree.contract.ts';
import { systemClock } from '../core/index.ts';
import { chooseModels, countTokens, type Model, type ModelRequest } from '../model/index.ts';
import * as incidents from '../tasks/incident/incident.contract.ts';
import * as investigations from '../tasks/investigation/investigation.contract.ts';
import * as researches from '../tasks/research/research.contract.ts';
import { scriptedMaterial } from '../tasks/research/scripted.ts';
import { decision, openConversation } from './testbed/conversation.contract.ts';
import { modelServer, type Reply, type RequestBody } from './testbed/model-server.ts';

interface Sent {
  /** What stands before anything is said, the tools and the instructions. Of the first call. */
  readonly fixed: number;
  /** Of the first call: hardly more than what is the same in each. */
  readonly first: number;
  /** Of a call, on average. */
  readonly mean: number;
  readonly calls: number;
}

/** Line breaks as they are read, not as JSON writes them. */
const tokensOf = (body: RequestBody): number => countTokens(JSON.stringify(body).replaceAll('\\n', '\n'));

function fixedIn({ tools = [], messages = [] }: RequestBody): number {
  // Without the frame that is this wire's own.
  const told = tools.map((tool) => JSON.stringify((tool as { readonly function: object }).function));
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [String(content)] : []));
  return countTokens([...told, ...system].join('\n'));
}

function sentIn(bodies: readonly RequestBody[]): Sent {
  const tokens = bodies.map(tokensOf);
  const sum = tokens.reduce((total, one) => total + one, 0);
  return {
    fixed: fixedIn(bodies[0]!),
    first: tokens[0]!,
    mean: Math.round(sum / tokens.length),
    calls: tokens.length,
  };
}

/** A run whose planner is asked over the wire, and answers as it is told to. */
async function played(reply: Reply, play: (planner: Model) => Promise<unknown>): Promise<Sent> {
  const server = await modelServer(reply);
  const { planner } = await chooseModels(
    { model: 'openai-compatible:planned', values: { openai_base_url: server.address } },
    { fetch, clock: systemClock, env: {}, which: () => undefined, readFile: () => '' },
  );
  await play(planner.model);
  await server.close();
  return sentIn(server.served.map(({ body }) => body));
}

type Line = string | object | ((prompt: string) => object);

/** One line for each call, the last one for all that follow. */
function inTurn(...lines: readonly Line[]): Reply {
  let call = 0;
  return (prompt) => {
    const line = lines[Math.min(call++, lines.length - 1)]!;
    if (typeof line === 'string') return line;
    return JSON.stringify(typeof line === 'function' ? line(prompt) : line);
  };
}

const incident = incidents.bench();
const investigation = investigations.bench();
const research = researches.openTestStore();
const syntax = syntaxReader();
/** All that a folder has, so that every action is counted. */
const symbols = memorySymbols(researches.files, syntax);
afterAll(async () => {
  incident.close();
  research.close();
  await investigation.close();
  await syntax.close();
});

const { search, open, answer, answerFromPage } = researches;

const plays: Readonly<Record<string, () => Promise<Sent>>> = {
  research: () =>
    played(
      inTurn(
        search('expire session'),
        open('src/session.py', 1, 9),
        open('src/server.py', 1, 6),
        search('guide default hour'),
        (prompt) => answer(answerFromPage(prompt)),
      ),
      (planner) =>
        researches.runTrial(research.store, {
          script: [],
          material: { ...scriptedMaterial({ files: researches.files }), symbols },
          setting: { models: { planner, analyst: planner } },
        }),
    ),
  investigation: () =>
    played(
      inTurn(
        investigations.code('print(kb_search("expire session"))'),
        investigations.code('print(kb_read("src/session.py", 1, 12))'),
        investigations.code('print(len(kb_glob("**/*.py")))'),
        investigations.code('FINAL("It was not found.")'),
      ),
      (planner) => investigations.runTrial(investigation, { planner }),
    ),
  incident: () =>
    played(
      (prompt, { body }) => {
        const results = (body.tools ?? []).length > 0 && (body.messages ?? []).length > 2;
        const asked = results ? '<result of="made_traces"' : '';
        const messages = [{ role: 'user', text: `${prompt}${asked}` }];
        return JSON.stringify(incidents.answer({ messages } as unknown as ModelRequest));
      },
      (model) => incidents.runTrial(incident.store, { model }),
    ),
  conversation: async () => {
    const talk = await openConversation({
      reply: inTurn(
        decision('', ['search_pages', { query: 'lamp' }]),
        decision('', ['read_page', { page: 'Lighthouse/Lamp' }]),
        decision('It burns paraffin.'),
        decision('', ['read_page', { page: 'Lighthouse/Keeper' }], ['read_page', { page: 'Harbour' }]),
        decision('He climbs 172 steps twice a day.'),
        decision('You are welcome.'),
      ),
    });
    for (const said of ['What does the lamp burn?', 'And who climbs up there?', 'Thank you.'])
      await talk.send(said);
    const sent = sentIn(talk.model.served.map(({ body }) => body));
    await talk.close();
    return sent;
  },
};

const ceilings: Readonly<Record<string, Sent>> = {
  research: { fixed: 1_565, first: 2_230, mean: 2_590, calls: 5 },
  investigation: { fixed: 1_835, first: 1_985, mean: 2_340, calls: 4 },
  incident: { fixed: 1_840, first: 4_375, mean: 4_420, calls: 2 },
  conversation: { fixed: 2_600, first: 2_905, mean: 3_320, calls: 6 },
};

it.each(Object.entries(ceilings))('%s sends no more than it did', async (shape, ceiling) => {
  const sent = await plays[shape]!();
  expect(sent.calls).toBe(ceiling.calls);
  expect(sent.fixed).toBeLessThanOrEqual(ceiling.fixed);
  expect(sent.first).toBeLessThanOrEqual(ceiling.first);
  expect(sent.mean).toBeLessThanOrEqual(ceiling.mean);
});

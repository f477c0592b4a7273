/** A pool that is said to have ended was used: what is kept back of it is what the last turn needs, and no more. */
import { afterAll, describe, expect, it, test } from 'vitest';
import { countTokens, type Model, type ModelRequest, scriptedModel } from '../model/index.ts';
import {
  createCountedCeiling,
  createLearnedCeiling,
  type InputCeiling,
} from '../model/tokens/input-ceiling.ts';
import * as incidents from './incident/incident.contract.ts';
import {
  answer,
  answerFromPage,
  isLastTurn,
  openTestStore,
  runTrial,
  search,
} from './research/research.contract.ts';
import { scriptedMaterial } from './research/scripted.ts';

const { store, close } = openTestStore();
const alerts = incidents.bench();
afterAll(() => {
  close();
  alerts.close();
});

type Says = (request: ModelRequest, call: number) => string | object;

/** Counts and reports what it is asked as providers do. */
function counting(says: Says, ceiling: InputCeiling): Model {
  const inner = scriptedModel((request, call) => {
    const said = says(request, call);
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    const input = countTokens(
      request.messages.map((message) => message.text).join('\n') + JSON.stringify(request.schema?.json ?? ''),
    );
    ceiling.learn(request, input);
    return { text, usage: { input, output: countTokens(text), cacheRead: 0, cacheWrite: 0 } };
  });
  return { ...inner, maxInput: ceiling.maxTokens };
}

const words = 'session expire store keep drop ttl key clock wait lock'.split(' ');
const word = (n: number) => words[n % words.length]!;
/** Every search finds something new. */
const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => [
    `src/part-${n}.ts`,
    Array.from(
      { length: 80 },
      (_, at) =>
        `  const ${word(n * at)}Of${word(n + at * 3)} = ${word(at)}.${word(n)}(${word(at + 7 * n)}, ${n * at}); // SessionStore keeps what ${word(at * n)} wants`,
    ).join('\n'),
  ]),
);
const textOf = ({ messages }: ModelRequest) => messages.map(({ text }) => text).join('\n');

const planners: Readonly<Record<string, Says>> = {
  'that searches on and on': (request, call) =>
    isLastTurn(request)
      ? answer(answerFromPage(textOf(request))).action
      : search(`${words[call % 10]} ${words[(call * 3 + 1) % 10]}`, 8),
};
const ceilings: Readonly<Record<string, () => InputCeiling>> = {
  'its tokenizer is known': () => createCountedCeiling('known'),
  'its tokenizer is learned': () => createLearnedCeiling('learned'),
};

const everyTrial = process.env['TRIALS'] === 'all';
const sizes = (all: readonly number[]) => (everyTrial ? all : all.slice(1, 3));

const cases = Object.keys(ceilings).flatMap((ceiling) => [
  ...sizes([10_000, 20_000, 30_000, 50_000]).map(
    (tokens) => ['that searches on and on', ceiling, tokens] as const,
  ),
]);

/** Each question brings lines that nobody has seen. */
const chatty: Parameters<typeof incidents.signalOf>[1] = {
  lines: {
    topic: 'logs',
    script: {
      answer: (args) => {
        const { nth = 0 } = args as { nth?: number };
        return {
          kind: 'lines',
          lines: Array.from({ length: 30 }, (_, n) => ({
            at: null,
            service: 'orders',
            level: 'INFO',
            text: `${word(n)} ${word(n * 3 + nth)} ${nth} of ${n * 17} took ${word(nth + 2 * n)} by ${word(n + nth)}`,
          })),
        };
      },
    },
  },
};

const investigators: Readonly<Record<string, Says>> = {
  'asks on and on': (request, call) =>
    incidents.requestKind(request) === 'turn'
      ? incidents.turn(['made_lines', { nth: call + 1 }])
      : incidents.conclude(incidents.verdictOn(incidents.page(request))),
  'asks three at once': (request, call) =>
    incidents.requestKind(request) === 'turn'
      ? incidents.turn(...[1, 2, 3].map((n) => ['made_lines', { nth: call * 3 + n }] as const))
      : incidents.conclude(incidents.verdictOn(incidents.page(request))),
};

const incidentCases = Object.keys(investigators).flatMap((how) =>
  Object.keys(ceilings).flatMap((ceiling) =>
    sizes([10_000, 13_000, 14_000, 20_000, 30_000, 50_000]).map((tokens) => [how, ceiling, tokens] as const),
  ),
);

async function researched(model: Model, tokens: number) {
  const { result } = await runTrial(store, {
    script: '',
    material: scriptedMaterial({ files }),
    limits: { tokens, steps: 20 },
    setting: { models: { planner: model, analyst: model } },
  });
  return result;
}

describe('what is said to be at its end was used, and never more:', () => {
  test.each(cases)('a model %s, where %s, of %i tokens', async (planner, ceiling, tokens) => {
    const result = await researched(counting(planners[planner]!, ceilings[ceiling]!()), tokens);
    expect(result.stop_reason).toBe('budget');
    expect(result.spent.tokens).toBeLessThanOrEqual(tokens);
    expect(result.spent.tokens / tokens).toBeGreaterThan(0.85);
  });

  test.each(incidentCases)(
    'an incident whose model %s, where %s, of %i tokens',
    async (how, ceiling, tokens) => {
      const model = counting(investigators[how]!, ceilings[ceiling]!());
      const { result, incident } = await incidents.runTrial(alerts.store, {
        model,
        signals: [incidents.signalOf(incidents.pool, chatty)],
        limits: { tokens },
      });
      expect(result.stop_reason).toBe('budget');
      expect(result.spent.tokens).toBeLessThanOrEqual(tokens);
      // Below that, no second round fits beside what the form of a claim takes.
      expect(result.spent.tokens / tokens).toBeGreaterThan(
        tokens < 14_000 ? 0.3 : tokens < 20_000 ? 0.8 : 0.85,
      );
      expect(JSON.stringify({ result, incident })).not.toContain('before a model could conclude');
    },
  );

  it('where no round is paid for, an incident concludes over its first words and what was found since', async () => {
    const asked: ModelRequest[] = [];
    const model = counting((request, call) => {
      asked.push(request);
      return investigators['asks three at once']!(request, call);
    }, createLearnedCeiling('learned'));
    const { result } = await incidents.runTrial(alerts.store, {
      model,
      signals: [incidents.signalOf(incidents.pool, chatty)],
      limits: { tokens: 16_500 },
    });
    const [first, last] = [
      asked.find(({ messages }) => messages.at(-1)?.text.includes('# Alert')),
      asked.at(-1),
    ];
    expect(result.stop_reason).toBe('budget');
    // A model that is given text alone gets both as one message.
    expect(last?.messages[1]?.text.startsWith(first!.messages[1]!.text)).toBe(true);
    expect(incidents.lastMessage(last!)).toContain('All rounds since are left out');
    expect(incidents.lastMessage(last!)).toContain('Evidence that was found since');
  });

  // It is asked for a call once more, and then its research ends with the lines that were found: not by its budget.
  test.each([10_000, 20_000])('a model that never calls anything, of %i tokens', async (tokens) => {
    const model = counting(
      () => 'The lines show that 17 requests of the first host came late.',
      createLearnedCeiling('wordy'),
    );
    const result = await researched(model, tokens);
    expect(result.stop_reason).toBe('stagnant');
    expect(result.spent.tokens).toBeLessThanOrEqual(tokens);
  });
});

/**
 * How a planner writes its code, and how it is answered: as fenced code in text, or as calls of a tool, for models
 * whose reasoning would be lost between messages of text.
 */
import { injectionGuard } from '../../../core/index.ts';
import {
  addEntries,
  beginDialogue,
  type Call,
  callsOf,
  type Dialogue,
  type DialogueTool,
  fillPrompt,
  type Head,
  type Model,
  promptFile,
  type Reply,
  textOf,
} from '../../../model/index.ts';
import { maxAnswerBytes, maxCitationBytes, outputBytes } from '../limits.ts';
import { helperDocs } from './helper-docs.ts';
import { type ReadReply, readReply } from './reply.ts';
import type { PlannerMessage } from './words.ts';

const promptTemplate = promptFile(new URL('../prompts/planner.md', import.meta.url));

const pythonTool: DialogueTool = {
  name: 'python',
  description: 'Runs a cell of Python in the sandbox; variables stay. Gives back what it printed.',
  parameters: {
    type: 'object',
    properties: { code: { type: 'string', description: 'Python 3.13' } },
    required: ['code'],
    additionalProperties: false,
  },
};

const formatCount = (count: number): string => count.toLocaleString('en');

const createHead = (cells: string, tools: readonly DialogueTool[]): Head => ({
  system: fillPrompt(promptTemplate, {
    cells,
    helpers: helperDocs,
    firewall: injectionGuard,
    answer_bytes: formatCount(maxAnswerBytes),
    place_bytes: formatCount(maxCitationBytes),
    output_bytes: formatCount(outputBytes),
  }),
  tools,
});
const inFences = createHead('Each of your replies is one ```python block. It runs', []);
const inToolCalls = createHead('Each of your replies is one call of `python`. Its code runs', [pythonTool]);

/**
 * Models with thinking call a tool: a user's message may make the provider drop their thinking, the result of a call
 * keeps it.
 */
export const headFor = ({ thinking }: Pick<Model, 'thinking'>): Head =>
  thinking === undefined ? inFences : inToolCalls;

export function startDialogue(model: Pick<Model, 'thinking'>, { text }: PlannerMessage): Dialogue {
  return beginDialogue(headFor(model), text);
}

/** Adds the program's answer: as results of the calls of the last reply, or as a message if it made none. */
export function addAnswer(dialogue: Dialogue, { text, brief }: PlannerMessage): Dialogue {
  const calls = callsOf(dialogue.entries.at(-1));
  if (calls.length === 0)
    return addEntries(dialogue, { kind: 'user', text, ...(brief !== undefined && { brief }) });
  const lastIndex = calls.length - 1;
  const results = calls.map(({ id, name }, n) => ({
    call: id,
    name,
    ok: true,
    text: n === lastIndex ? text : 'See the last result.',
  }));
  return addEntries(dialogue, { kind: 'results', results });
}

/** The cells of a reply. `wasCut`: the reply was cut off at its limit. */
export function cellsIn(reply: Reply, wasCut: boolean): ReadReply {
  const calls = callsOf(reply);
  return calls.length === 0 ? readReply(textOf(reply), wasCut) : readCalls(calls);
}

function readCalls(calls: readonly Call[]): ReadReply {
  const cells = calls.flatMap(({ name, input }) => {
    const { code } = input;
    return name === pythonTool.name && typeof code === 'string' && code.trim() !== '' ? [code] : [];
  });
  const emptyCalls = calls.length - cells.length;
  return {
    cells,
    correction:
      emptyCalls === 0
        ? null
        : `${emptyCalls} of your calls held no code: call python with {"code": "…"}, and nothing else.`,
  };
}

import { describe, expect, it } from 'vitest';
import { estimateUsage } from '../call/usage.ts';
import type { Model, ModelRequest } from '../model.ts';
import { samplingModel } from '../providers/mcp/sampling.ts';
import { scriptedModel } from '../scripted.ts';
import {
  answerCalls,
  type DialogueSubject,
  dialogueContract,
  getReply,
  newDialogue,
  requestOptions,
} from './dialogue.contract.ts';
import { addEntries, callsOf } from './dialogue.ts';
import type { PlayedTurn } from './played-turn.contract.ts';
import { writeTags } from './tags.ts';

/** What a request consists of, for a cache of prefixes. */
const pieces = ({ messages }: ModelRequest) =>
  messages.map(({ role, text }) => JSON.stringify({ role, text }));

/** A turn as a model without tools of its own would write it. */
function written({ text = '', calls = [], stop }: PlayedTurn): string {
  const inputs = calls.map(({ name, args }) => {
    try {
      return { name, input: JSON.parse(args) };
    } catch {
      return { name, input: { pattern: args } };
    }
  });
  const whole = writeTags(text, inputs);
  return stop === 'length' ? whole.slice(0, -'</arg>\n</call>'.length) : whole;
}

function textSubject(
  make: (answer: () => { text: string; stop: 'end' | 'length' }) => DialogueSubject['model'],
  requests: ModelRequest[],
): DialogueSubject {
  let queue: readonly PlayedTurn[] = [];
  const model = make(() => {
    const [turn = { text: 'ok' }, ...rest] = queue;
    queue = rest;
    return { text: written(turn), stop: turn.stop === 'length' ? 'length' : 'end' };
  });
  return {
    model,
    play: (...turns) => {
      queue = turns;
    },
    sent: () => requests.map(pieces),
    close: () => {},
  };
}

const traits = { rawArguments: false, reasons: false };

dialogueContract('a script', traits, () => {
  const requests: ModelRequest[] = [];
  return textSubject(
    (answer) =>
      scriptedModel((request) => {
        requests.push(request);
        return answer();
      }),
    requests,
  );
});

/** A model without `reply`, as every model is that some program brings. */
dialogueContract('text alone', traits, () => {
  const requests: ModelRequest[] = [];
  return textSubject((answer): Model => {
    return {
      name: 'text',
      real: true,
      local: true,
      maxOutput: 4_000,
      contextWindow: 32_000,
      async generate(request) {
        if (request.signal?.aborted)
          return {
            kind: 'failure',
            code: 'cancelled',
            message: '',
            remedy: '',
            retryable: false,
            usage: 'none',
          };
        requests.push(request);
        const { text, stop } = answer();
        request.onText?.(text);
        return { kind: 'reply', text, stop, model: 'text', usage: estimateUsage(request, text) };
      },
    };
  }, requests);
});

dialogueContract('sampling', traits, () => {
  const requests: ModelRequest[] = [];
  return textSubject(
    (answer) =>
      samplingModel(async ({ systemPrompt = '', messages }) => {
        const shown = messages.map(({ role, content }) => ({ role, text: content.text }));
        requests.push({
          messages: [{ role: 'system', text: systemPrompt }, ...shown],
          maxOutputTokens: 1,
          timeoutMs: 1,
        });
        const { text, stop } = answer();
        return { content: { type: 'text', text }, stopReason: stop === 'length' ? 'maxTokens' : 'endTurn' };
      }),
    requests,
  );
});

describe('a dialogue as text', () => {
  it('names the tools and their fields once, and answers in results that only grow', async () => {
    const requests: ModelRequest[] = [];
    const lines = [
      { text: 'I look.', calls: [{ name: 'grep', input: { pattern: 'a' } }] },
      { text: 'Found.', calls: [] },
    ];
    const model = scriptedModel((request, n) => {
      requests.push(request);
      return lines[n] ?? 'ok';
    });
    const reply = await getReply(model, { dialogue: newDialogue(), ...requestOptions });
    const dialogue = addEntries(
      newDialogue(),
      { kind: 'reply', by: reply.by, parts: reply.parts },
      ...answerCalls(reply, false),
    );
    await getReply(model, { dialogue, ...requestOptions });
    const [system, , , results] = requests[1]?.messages ?? [];
    expect(system?.text.match(/- grep: Lines that match/g)).toHaveLength(1);
    expect(system?.text).toContain('`pattern` (string)');
    expect(results?.text).toBe(
      '<result of="grep" failed="true">\nwhat grep gave\n\n7 rounds are left.\n</result>',
    );
  });

  it.each([
    [
      { reasoning: 'r', action: { name: 'grep', pattern: 'a' } },
      undefined,
      [{ name: 'grep', input: { pattern: 'a' } }],
    ],
    [
      { answer: 'x', confidence: 1 },
      'finalize',
      [{ name: 'finalize', input: { answer: 'x', confidence: 1 } }],
    ],
    [{ answer: 'x' }, undefined, []],
  ])('a script of before there were dialogues still plays: %j', async (line, must, calls) => {
    const reply = await getReply(scriptedModel([line]), {
      dialogue: newDialogue(),
      ...requestOptions,
      ...(must && { must }),
    });
    expect(callsOf(reply).map(({ name, input }) => ({ name, input }))).toEqual(calls);
  });
});

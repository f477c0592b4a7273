/**
 * Guards a model that a program implements itself: its exceptions and malformed replies become failures of the model.
 */
import { SondeError } from '../core/index.ts';
import { failure } from './call/failure.ts';
import type { DialogueReply, DialogueRequest } from './dialogue/reply.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from './model.ts';

/**
 * Failures are not retried, since the program would fail again. The members are read one by one, since a spread leaves
 * out the methods and getters of a class. Throws `model_config` if a required member is missing.
 */
export function guardModel(model: Model): Model {
  checkMembers(model);
  const { name, real, maxOutput, contextWindow, local, thinking } = model;
  const maxInput = model.maxInput?.bind(model);
  const onRecall = model.onRecall?.bind(model);
  const reply = model.reply?.bind(model);
  return {
    ...{ name, real, maxOutput, contextWindow, local },
    ...(thinking !== undefined && { thinking }),
    ...(maxInput && { maxInput }),
    ...(onRecall && { onRecall }),
    generate: (request: ModelRequest) =>
      guardCall(model.name, request, () => model.generate(request), isTextReply),
    ...(reply && {
      reply: (request: DialogueRequest) =>
        guardCall(model.name, request, () => reply(request), isDialogueReply),
    }),
  };
}

const requiredMembers = {
  ...{ name: 'string', real: 'boolean', local: 'boolean' },
  ...{ maxOutput: 'number', contextWindow: 'number', generate: 'function' },
} as const satisfies Partial<Record<keyof Model, string>>;

function checkMembers(model: Model): void {
  for (const [member, type] of Object.entries(requiredMembers) as [keyof typeof requiredMembers, string][])
    if (typeof model[member] !== type)
      throw new SondeError('model_config', {
        message: `The model that was passed in has no ${member} that is a ${type}`,
        remedy: 'Give it: docs/library.md has the interface Model.',
      });
}

async function guardCall<Answer extends { readonly kind: string }>(
  name: string,
  { signal }: Pick<ModelRequest, 'signal'>,
  ask: () => Promise<Answer>,
  isReply: (answer: unknown) => boolean,
): Promise<Answer | ModelFailure> {
  try {
    const answer = await ask();
    if (isReply(answer) || isFailure(answer)) return answer;
    return createFailure(name, 'it gave something that is no reply: see Model in docs/library.md');
  } catch (thrown) {
    if (signal?.aborted) return failure('cancelled', failureContext(name, 'cancelled'), 'unknown');
    return createFailure(name, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** The usage is unknown: the model may have called a provider before it failed. */
const createFailure = (name: string, detail: string): ModelFailure =>
  failure('bad_response', { ...failureContext(name, detail), remedy }, 'unknown', false);

const remedy = 'Mend the model that was passed in: it must return a reply or a failure, and not throw.';

const failureContext = (name: string, detail: string) => ({
  provider: name,
  model: name,
  secrets: [],
  detail,
});

const isTextReply = (answer: unknown): answer is ModelReply =>
  hasKind(answer, 'reply') && typeof answer['text'] === 'string' && isUsage(answer['usage']);

const isDialogueReply = (answer: unknown): answer is DialogueReply =>
  hasKind(answer, 'reply') && Array.isArray(answer['parts']) && isUsage(answer['usage']);

const isFailure = (answer: unknown): boolean =>
  hasKind(answer, 'failure') && typeof answer['message'] === 'string';

const isUsage = (usage: unknown): boolean =>
  isObject(usage) &&
  ['input', 'output', 'cacheRead', 'cacheWrite'].every((name) => Number.isFinite(usage[name]));

const hasKind = (answer: unknown, kind: string): answer is Readonly<Record<string, unknown>> =>
  isObject(answer) && answer['kind'] === kind;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

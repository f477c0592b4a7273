/** A model that a program wrote itself: what it throws, or gives in another form, becomes a failure of the model. */
import { SondeError } from '../core/index.ts';
import { failure } from './call/failure.ts';
import type { DialogueReply, DialogueRequest } from './dialogue/reply.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from './model.ts';

/**
 * Its failures are not tried again, since a program that fails does so each time. The model may be an object of a class:
 * its members are read one by one, since a spread leaves out methods and getters of the class. Throws `model_config` if
 * it lacks a member that every model needs.
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
      guarded(model.name, request, () => model.generate(request), isTextReply),
    ...(reply && {
      reply: (request: DialogueRequest) =>
        guarded(model.name, request, () => reply(request), isDialogueReply),
    }),
  };
}

const needed = {
  ...{ name: 'string', real: 'boolean', local: 'boolean' },
  ...{ maxOutput: 'number', contextWindow: 'number', generate: 'function' },
} as const satisfies Partial<Record<keyof Model, string>>;

function checkMembers(model: Model): void {
  for (const [member, type] of Object.entries(needed) as [keyof typeof needed, string][])
    if (typeof model[member] !== type)
      throw new SondeError('model_config', {
        message: `The model that was passed in has no ${member} that is a ${type}`,
        remedy: 'Give it: docs/library.md has the interface Model.',
      });
}

async function guarded<Came extends { readonly kind: string }>(
  name: string,
  { signal }: Pick<ModelRequest, 'signal'>,
  ask: () => Promise<Came>,
  isReply: (came: unknown) => boolean,
): Promise<Came | ModelFailure> {
  try {
    const came = await ask();
    if (isReply(came) || isFailure(came)) return came;
    return failed(name, 'it gave something that is no reply: see Model in docs/library.md');
  } catch (thrown) {
    if (signal?.aborted) return failure('cancelled', aboutModel(name, 'cancelled'), 'unknown');
    return failed(name, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** It may have called a provider before it failed, so that its cost is unknown. */
const failed = (name: string, said: string): ModelFailure =>
  failure('bad_response', { ...aboutModel(name, said), remedy }, 'unknown', false);

const remedy = 'Mend the model that was passed in: it must return a reply or a failure, and not throw.';

const aboutModel = (name: string, said: string) => ({ provider: name, model: name, secrets: [], said });

const isTextReply = (came: unknown): came is ModelReply =>
  isOf(came, 'reply') && typeof came['text'] === 'string' && isUsage(came['usage']);

const isDialogueReply = (came: unknown): came is DialogueReply =>
  isOf(came, 'reply') && Array.isArray(came['parts']) && isUsage(came['usage']);

const isFailure = (came: unknown): boolean => isOf(came, 'failure') && typeof came['message'] === 'string';

const isUsage = (usage: unknown): boolean =>
  isObject(usage) &&
  ['input', 'output', 'cacheRead', 'cacheWrite'].every((name) => Number.isFinite(usage[name]));

const isOf = (came: unknown, kind: string): came is Readonly<Record<string, unknown>> =>
  isObject(came) && came['kind'] === kind;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Reads the request of a chat page or an editor: the last message, the messages before it, and a role. */
import { z } from 'zod';
import { ChatError } from './chat-error.ts';

const part = z.object({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part), z.null()]).optional();

const body = z.looseObject({
  model: z.string().min(1).max(300),
  messages: z
    .array(z.looseObject({ role: z.string(), content }))
    .min(1)
    .max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

export interface ChatAsk {
  readonly model: string;
  /** The last message of the person. */
  readonly lastMessage: string;
  /** The last message with all messages before it, for a conversation that begins here. */
  readonly conversationText: string;
  /** The role that the request asks for; null: the stored one. */
  readonly role: string | null;
  readonly stream: boolean;
  readonly usage: boolean;
}

/**
 * Parameters that would change the answer in a way that is not supported. Others, such as a temperature, are ignored.
 */
const unsupportedFields = [
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'audio',
  'prediction',
] as const;
/** Maximum characters. */
const maxRole = 8_000;
const maxMessage = 200_000;

/** Throws `ChatError` if the request is malformed or asks for something unsupported. */
export function readChat(value: unknown): ChatAsk {
  const parsedBody = body.safeParse(value);
  if (!parsedBody.success) {
    const [issue] = parsedBody.error.issues;
    throw new ChatError(400, `${issue?.path.join('.') || 'The body'}: ${issue?.message}`, {
      param: issue?.path.join('.') ?? null,
    });
  }
  const { model, messages, stream, stream_options, ...more } = parsedBody.data;
  for (const param of unsupportedFields)
    if (isSet(more[param]))
      throw new ChatError(400, `${param} is not taken: the agent has tools of its own`, { param });
  if (typeof more['n'] === 'number' && more['n'] !== 1)
    throw new ChatError(400, 'One answer is given, and no more', { param: 'n' });
  const { type } = (more['response_format'] ?? {}) as { readonly type?: unknown };
  if (type !== undefined && type !== 'text')
    throw new ChatError(400, 'Answers are texts', { param: 'response_format' });
  const texts = messages.map(({ role, content }, at) => ({ role, text: toText(content, at), at }));
  const roleTexts = texts.filter(({ role }) => role === 'system' || role === 'developer');
  const dialogue = texts.filter(({ role }) => role === 'user' || role === 'assistant');
  for (const { role, at } of texts)
    if (!['system', 'developer', 'user', 'assistant'].includes(role))
      throw new ChatError(400, `A message of the role ${role} is not taken`, {
        param: `messages.${at}.role`,
      });
  const lastMessage = dialogue.at(-1);
  if (lastMessage?.role !== 'user' || lastMessage.text.trim() === '')
    throw new ChatError(400, 'The last message is none of the person', { param: 'messages' });
  const role = roleTexts.map(({ text }) => text).join('\n\n');
  if (role.length > maxRole)
    throw new ChatError(400, `What system says is longer than ${maxRole} characters`, { param: 'messages' });
  const wholeText = prependEarlier(dialogue.slice(0, -1), lastMessage.text);
  if (wholeText.length > maxMessage)
    throw new ChatError(400, `The conversation is longer than ${maxMessage} characters`, {
      param: 'messages',
      code: 'context_length_exceeded',
    });
  return {
    model,
    lastMessage: lastMessage.text,
    conversationText: wholeText,
    role: role.trim() === '' ? null : role,
    stream: stream === true,
    usage: stream_options?.include_usage === true,
  };
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0) && value !== 'none';

function toText(given: z.output<typeof content>, at: number): string {
  if (given === undefined || given === null) return '';
  if (typeof given === 'string') return given;
  return given
    .map(({ type, text }) => {
      if (type === 'text' && text !== undefined) return text;
      throw new ChatError(400, `A part of the type ${type} is not taken: only text is`, {
        param: `messages.${at}.content`,
      });
    })
    .join('\n');
}

function prependEarlier(
  earlierMessages: readonly { readonly role: string; readonly text: string }[],
  lastText: string,
): string {
  if (earlierMessages.length === 0) return lastText;
  const lines = earlierMessages.map(
    ({ role, text }) => `${role === 'user' ? 'I said' : 'You said'}: ${text}`,
  );
  return `What was said before:\n\n${lines.join('\n\n')}\n\nNow:\n\n${lastText}`;
}

/** Builds the agent's replies to messages. All have the same fields. */
import { isSondeError, messageOf } from '../../core/index.ts';
import { type AgentReply, agentMessage } from './channel/channel.ts';

export const okReply = (id: string, message: string, details: AgentReply['details']): AgentReply => ({
  type: 'reply',
  id,
  status: 'ok',
  error_code: null,
  message,
  details,
});

export function failureReply(id: string, thrown: unknown, redact: (text: string) => string): AgentReply {
  const isKnown = isSondeError(thrown);
  const remedy = isKnown && thrown.remedy !== undefined ? { remedy: redact(thrown.remedy) } : {};
  return {
    type: 'reply',
    id,
    status: 'error',
    error_code: isKnown ? thrown.code : 'internal',
    message: redact(messageOf(thrown)),
    details: { ...remedy, ...(isKnown && (thrown.details as AgentReply['details'])) },
  };
}

/** All message types. A message of another type, such as a tool call, is refused as unknown. */
const messageTypes: ReadonlySet<unknown> = new Set(agentMessage.options.map(({ shape }) => shape.type.value));

export function toRefusal(
  value: unknown,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): AgentReply {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { id, type } = fields;
  const isUnknownType = typeof type === 'string' && !messageTypes.has(type);
  return {
    type: 'reply',
    id: typeof id === 'string' && id.length <= 200 ? id : null,
    status: 'error',
    error_code: isUnknownType ? 'unknown_message' : 'malformed_message',
    message: isUnknownType
      ? `There is no message ${JSON.stringify(type.slice(0, 60))} on this channel`
      : 'The message does not fit',
    details: isUnknownType
      ? { known: [...messageTypes].map(String) }
      : {
          issues: issues
            .slice(0, 8)
            .map(({ path, message }) => `${path.join('.') || 'the message'}: ${message}`),
        },
  };
}

/** Checks requests on the three wires, with the error messages of the real servers. */
import { type Body, sign } from './played-turn.contract.ts';

export function findRefusal(path: string, body: Body, key: string): string | null {
  if (path.endsWith('/messages')) return refusalByAnthropic(body, key);
  return path.endsWith('/responses') ? refusalByResponses(body, key) : refusalByChat(body);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const maxMarks = 4;

function refusalByAnthropic(body: Body, key: string): string | null {
  const blocks = [
    ...(body.tools ?? []),
    ...(Array.isArray(body.system) ? body.system : []),
    ...body.messages.flatMap((message: Body) => (Array.isArray(message.content) ? message.content : [])),
  ];
  const marks = blocks.filter((block: Body) => block.cache_control !== undefined).length;
  if (marks > maxMarks) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  const thinks = body.thinking?.type === 'enabled';
  if (thinks && (body.tool_choice?.type === 'tool' || body.tool_choice?.type === 'any'))
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  if (thinks && body.max_tokens <= body.thinking.budget_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  const lastSpoken = body.messages.findLastIndex((message: Body) => message.role === 'assistant');
  const ids = new Set<string>();
  for (const [index, message] of body.messages.entries()) {
    const content: Body[] = Array.isArray(message.content) ? message.content : [];
    if (content.length === 0 && typeof message.content !== 'string')
      return `messages.${index}: content is empty`;
    for (const block of content) {
      const wrong = blockRefusal(block, key);
      if (wrong !== null) return `messages.${index}: ${wrong}`;
    }
    const uses = content.filter(({ type }) => type === 'tool_use');
    for (const { id } of uses) {
      if (ids.has(id)) return `messages.${index}: \`tool_use\` ids must be unique`;
      ids.add(id);
    }
    const first = content[0]?.type ?? '';
    const inLoop = body.messages.at(-1).content.some?.(({ type }: Body) => type === 'tool_result');
    if (thinks && inLoop && uses.length > 0 && index === lastSpoken && !first.includes('thinking'))
      return `messages.${index}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\``;
    const next: Body[] = body.messages[index + 1]?.content ?? [];
    const missing = uses.filter((use) => !next.some((result) => result.tool_use_id === use.id));
    if (missing.length > 0)
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${missing[0].id}`;
    const before: Body[] = body.messages[index - 1]?.content ?? [];
    for (const result of content.filter(({ type }) => type === 'tool_result'))
      if (!before.some((use) => use.id === result.tool_use_id))
        return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${result.tool_use_id}`;
  }
  return null;
}

function blockRefusal(block: Body, key: string): string | null {
  if (block.type === 'thinking' && block.signature !== sign(block.thinking, key))
    return 'Invalid `signature` in `thinking` block';
  if (block.type === 'redacted_thinking' && block.data !== sign('redacted', key))
    return 'Invalid `data` in `redacted_thinking` block';
  if (block.type === 'tool_use' && !isObject(block.input))
    return 'tool_use.input: Input should be a valid dictionary';
  if (block.type === 'tool_use' && !/^[\w-]{1,128}$/.test(block.id))
    return 'tool_use.id: String should match pattern';
  if (block.type === 'tool_use' && !/^[\w-]{1,128}$/.test(block.name))
    return 'tool_use.name: String should match pattern';
  if (block.type === 'text' && block.text.trim() === '')
    return 'text content blocks must contain non-whitespace text';
  return null;
}

function refusalByResponses(body: Body, key: string): string | null {
  if (body.store !== false) return 'the dialogue would be stored';
  const items: Body[] = body.input;
  const calls = new Set(items.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])));
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') {
      if (item.encrypted_content !== sign(item.id ?? '', key))
        return `input[${index}]: The encrypted content could not be verified.`;
      const next = items[index + 1];
      if (next === undefined || next.type === 'function_call_output' || next.role === 'user')
        return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
    if (item.type === 'function_call_output' && !calls.has(item.call_id))
      return `No tool call found for function call output with call_id ${item.call_id}.`;
    if (item.type !== 'function_call') continue;
    if (!items.some((other) => other.type === 'function_call_output' && other.call_id === item.call_id))
      return `No tool output found for function call ${item.call_id}.`;
    if (typeof item.arguments !== 'string') return `input[${index}].arguments: expected a string`;
    const made = /^call_of_(rs_\d+)_/.exec(item.call_id)?.[1];
    if (made !== undefined && item.id !== undefined && !items.slice(0, index).some(({ id }) => id === made))
      return `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item: '${made}'.`;
  }
  return null;
}

function refusalByChat(body: Body): string | null {
  const { messages } = body;
  for (const [index, message] of messages.entries()) {
    const calls: Body[] = message.tool_calls ?? [];
    for (const [n, call] of calls.entries()) {
      if (messages[index + 1 + n]?.tool_call_id !== call.id)
        return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${call.id}`;
      try {
        if (!isObject(JSON.parse(call.function.arguments)))
          return 'tool_calls.function.arguments is no object';
      } catch {
        return 'tool_calls.function.arguments is no JSON';
      }
    }
    if (message.role === 'tool') {
      const owner = messages.slice(0, index).findLast((other: Body) => other.role !== 'tool');
      if (!owner?.tool_calls?.some((call: Body) => call.id === message.tool_call_id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
    }
    if (message.role === 'assistant' && !message.content && calls.length === 0)
      return `messages[${index}]: content or tool_calls is required`;
  }
  return null;
}

import type { ModelRequest } from '../model.ts';
import { fillPrompt, promptFile } from '../prompt-file.ts';

const prompt = promptFile(new URL('../prompts/schema.md', import.meta.url));

/** Appends the schema to the request, for a model that can't be held to one. */
export function withSchemaText(request: ModelRequest): ModelRequest {
  if (!request.schema) return request;
  const { schema, ...rest } = request;
  const text = fillPrompt(prompt, { schema: JSON.stringify(schema.json) });
  const lastMessage = request.messages.at(-1);
  const messages =
    lastMessage?.role === 'user'
      ? [...request.messages.slice(0, -1), { ...lastMessage, text: `${lastMessage.text}\n\n${text}` }]
      : [...request.messages, { role: 'user' as const, text }];
  return { ...rest, messages };
}

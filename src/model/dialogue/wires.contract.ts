/** The three wires over the strict server, for the tests of this folder. */
import { systemClock } from '../../core/index.ts';
import type { Model } from '../model.ts';
import { anthropicModel } from '../providers/anthropic/anthropic.ts';
import { openaiModel } from '../providers/openai/openai.ts';
import { openaiCompatibleModel } from '../providers/openai-compatible/openai-compatible.ts';
import type { DialogueSubject } from './dialogue.contract.ts';
import type { Body } from './played-turn.contract.ts';
import { type StrictServer, strictServer } from './strict-server.contract.ts';

export const connection = (origin: string) => ({
  apiKey: 'sk-0123456789',
  baseUrl: `${origin}/v1`,
  fetch: globalThis.fetch,
  clock: systemClock,
});

export const wires = {
  anthropic: (origin: string) => anthropicModel('claude-sonnet-4-6', connection(origin)),
  'anthropic, thinking': (origin: string) =>
    anthropicModel('claude-sonnet-4-6', { ...connection(origin), thinking: 1_024 }),
  openai: (origin: string) => openaiModel('gpt-5.1', connection(origin)),
  chat: (origin: string) => openaiCompatibleModel('openai-compatible', 'some-model', connection(origin)),
} satisfies Record<string, (origin: string) => Model>;

export type Wire = keyof typeof wires;

/** The parts of a request that a prefix cache compares, in order and without cache marks. */
export function toPieces(body: Body): readonly string[] {
  const unmarked = JSON.parse(
    JSON.stringify(body, (name, value) => (name === 'cache_control' ? undefined : value)),
  );
  const list: Body[] = unmarked.input ?? unmarked.messages;
  const blocks = list.flatMap((item) =>
    Array.isArray(item.content) ? item.content.map((part: Body) => ({ role: item.role, part })) : [item],
  );
  return [unmarked.tools ?? null, unmarked.system ?? null, ...blocks].map((piece) => JSON.stringify(piece));
}

export async function openWire(
  wire: Wire,
  whole: boolean,
): Promise<DialogueSubject & { readonly server: StrictServer }> {
  const server = await strictServer();
  server.answersWhole = whole;
  return {
    server,
    model: wires[wire](server.origin),
    play: server.play,
    sent: () => server.requests.map(({ body }) => toPieces(body)),
    close: server.close,
  };
}

/** Converts the content of a provider's library into the parts of a reply. */
import type { LanguageModelV4Content } from '@ai-sdk/provider';
import { readArguments } from './arguments.ts';
import { callsOf, type Dialogue, type Opaque, type Part } from './dialogue.ts';

/** Changes nothing that a provider made, except ids and names of calls that no provider would accept again. */
export function toParts(
  content: readonly LanguageModelV4Content[],
  { entries }: Pick<Dialogue, 'entries'>,
): readonly Part[] {
  const ids = new Set(entries.flatMap((entry) => callsOf(entry).map(({ id }) => id)));
  return content.flatMap((one, n): Part[] => {
    const opaque =
      'providerMetadata' in one && one.providerMetadata ? { opaque: asOpaque(one.providerMetadata) } : {};
    if (one.type === 'reasoning') return [{ kind: 'reasoning', text: one.text, ...opaque }];
    if (one.type === 'text')
      return one.text === '' && !('opaque' in opaque) ? [] : [{ kind: 'text', text: one.text, ...opaque }];
    if (one.type !== 'tool-call') return [];
    const id = idOf(one.toolCallId, ids, `call_${entries.length}_${n}`);
    ids.add(id);
    return [{ kind: 'call', id, name: nameOf(one.toolName), ...readArguments(one.input), ...opaque }];
  });
}

/** Some servers give every call the same id, or none. */
function idOf(given: string, taken: ReadonlySet<string>, own: string): string {
  return /^[\w-]{1,64}$/.test(given) && !taken.has(given) ? given : own;
}

function nameOf(given: string): string {
  return given.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Through JSON, as the journal holds it: what is sent is then the same before and after a crash. */
function asOpaque(metadata: unknown): Opaque {
  return JSON.parse(JSON.stringify(metadata)) as Opaque;
}

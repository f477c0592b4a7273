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
  return content.flatMap((item, n): Part[] => {
    const opaque =
      'providerMetadata' in item && item.providerMetadata ? { opaque: toOpaque(item.providerMetadata) } : {};
    if (item.type === 'reasoning') return [{ kind: 'reasoning', text: item.text, ...opaque }];
    if (item.type === 'text')
      return item.text === '' && !('opaque' in opaque) ? [] : [{ kind: 'text', text: item.text, ...opaque }];
    if (item.type !== 'tool-call') return [];
    const id = chooseId(item.toolCallId, ids, `call_${entries.length}_${n}`);
    ids.add(id);
    return [{ kind: 'call', id, name: cleanName(item.toolName), ...readArguments(item.input), ...opaque }];
  });
}

/** Some servers give every call the same id, or none. */
function chooseId(original: string, taken: ReadonlySet<string>, fallback: string): string {
  return /^[\w-]{1,64}$/.test(original) && !taken.has(original) ? original : fallback;
}

function cleanName(original: string): string {
  return original.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Converts the metadata to JSON and back, as the journal does, so that the same is sent before and after a crash. */
function toOpaque(metadata: unknown): Opaque {
  return JSON.parse(JSON.stringify(metadata)) as Opaque;
}

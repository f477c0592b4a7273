/** Masks texts of a dialogue that must not be sent, stored or shown. */
import type { Dialogue, Entry, Part } from './dialogue.ts';
import type { DialogueReply } from './reply.ts';

type Mask = (text: string) => string;

/**
 * Signed reasoning can't be changed and sent back. If it contains something to mask, it is left out, and no opaque data
 * of the reply is sent.
 */
export function maskReply(reply: DialogueReply, mask: Mask): DialogueReply {
  const hasMaskedReasoning = reply.parts.some(
    (part) => part.kind === 'reasoning' && mask(part.text) !== part.text,
  );
  const parts = reply.parts
    .filter((part) => !hasMaskedReasoning || part.kind !== 'reasoning')
    .map((part) => maskPart(part, mask));
  return Object.freeze({ ...reply, parts, ...(hasMaskedReasoning && { by: `${reply.by} (masked)` }) });
}

export function maskDialogue(dialogue: Dialogue, mask: Mask): Dialogue {
  return {
    ...dialogue,
    system: mask(dialogue.system),
    entries: dialogue.entries.map((entry) => maskEntry(entry, mask)),
  };
}

function maskEntry(entry: Entry, mask: Mask): Entry {
  if (entry.kind === 'user') return { ...entry, text: mask(entry.text) };
  if (entry.kind === 'reply') return { ...entry, parts: entry.parts.map((part) => maskPart(part, mask)) };
  return {
    ...entry,
    results: entry.results.map((result) => ({ ...result, text: mask(result.text) })),
    ...(entry.note !== undefined && { note: mask(entry.note) }),
  };
}

function maskPart(part: Part, mask: Mask): Part {
  if (part.kind === 'reasoning') return part;
  if (part.kind === 'text') return { ...part, text: mask(part.text) };
  return { ...part, input: maskValue(part.input, mask) as typeof part.input };
}

function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mask(key), maskValue(inner, mask)]));
}

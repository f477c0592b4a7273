/**
 * Finds the lines of a text that address a model: a deterministic classifier, after published injections.
 * Plain imperatives don't count: every second line of a manual is one. What it finds is reported, never
 * changed or left out; what it misses is inside a quoted block all the same.
 */

/** Written as a person would see it: without hidden letters, look-alike forms, and case. */
function normalizeSeen(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\u{e0000}-\u{e007f}]/gu, '')
    .replace(/&(?:nbsp|#160);/gi, ' ')
    .toLowerCase();
}

const speaks: readonly RegExp[] = [
  // What it was told before.
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|prompts?|guidelines|directives|orders|rules|messages|everything)\b/u,
  /\b(?:system prompt|developer message|jailbreak|(?:new|updated|additional) instructions?|end of (?:the )?(?:document|context|user))\b/u,
  // Addresses a model by name.
  /\b(?:as an?|dear|hey|attention,?|note to|instructions? (?:for|to)) (?:the )?(?:ai|a\.i\.|assistant|agent|model|llm|chatbot|language model)\b/u,
  /(?:^|["'>|])\s*(?:assistant|system|user|human|ai)\s*:\s*\S/u,
  /<\/?(?:system|information|important|instructions?|admin|prompt|tool_call|function_calls?)\b/u,
  /\byou are now\b/u,
  // Speaks of its output.
  /\byour (?:response|answer|reply|output|summary|final|instructions?|next (?:message|reply|response))\b|\bthe (?:response|answer) you\b/u,
];

/** A line longer than this is looked at in part: no text holds the program up. Characters. */
const maxLineLength = 20_000;

/** The lines as they stand, the first first. */
export function linesToModels(text: string): readonly string[] {
  return text.split('\n').filter((line) => {
    const part = normalizeSeen(line).slice(0, maxLineLength);
    return speaks.some((pattern) => pattern.test(part));
  });
}

/**
 * Finds all secrets of a text: one pass finds the keywords of all rules, and each rule then looks only around its own
 * keywords.
 */

import { contextRules } from './by-context.ts';
import { innerRules, prefixRules } from './by-prefix.ts';
import { cookieRules } from './cookies.ts';
import { inventedPasswordRules } from './invented-passwords.ts';
import { keyBlockRules } from './key-block.ts';
import { KeywordAutomaton } from './keyword-automaton.ts';
import type { SecretRule, SecretSpan } from './rule.ts';
import { spaceSeparatedRules } from './space-separated.ts';
import { tableRules } from './tables.ts';

const rules: readonly SecretRule[] = [
  ...keyBlockRules,
  ...prefixRules,
  ...innerRules,
  ...contextRules,
  ...spaceSeparatedRules,
  ...inventedPasswordRules,
  ...cookieRules,
  ...tableRules,
];
const keywords = rules.flatMap((rule) => rule.keywords.map((keyword) => ({ keyword, rule })));
const automaton = new KeywordAutomaton(keywords.map(({ keyword }) => keyword));

/** Whether any rule may apply to these bytes. If none does, they need no decoding. */
export function mayHoldSecret(bytes: Uint8Array, length = bytes.length): boolean {
  return automaton.hasKeyword(bytes, length);
}

/** The secrets of a text, in order and without overlaps. */
export function findSecrets(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  // The inside of a long secret is not searched again.
  let searchFrom = 0;
  automaton.find(text, (number, at) => {
    if (at < searchFrom) return;
    const match = keywords[number]!.rule.find(text, at);
    if (match === null) return;
    for (const span of 'kind' in match ? [match] : match) {
      found.push(span);
      if (span.end - span.start > 200 && span.start <= at + 200) searchFrom = Math.max(searchFrom, span.end);
    }
  });
  return found.length < 2 ? found : mergeSpans(found);
}

/** Merges overlapping spans into one, with the kind of the first. */
function mergeSpans(found: readonly SecretSpan[]): readonly SecretSpan[] {
  const sorted = found
    .map((span, order) => ({ ...span, order }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: (SecretSpan & { order: number })[] = [];
  for (const span of sorted) {
    const last = kept.at(-1);
    if (last === undefined || span.start >= last.end) kept.push(span);
    else kept[kept.length - 1] = { ...last, end: Math.max(last.end, span.end), kind: kindOf(last, span) };
  }
  return kept.map(({ start, end, kind }) => ({ start, end, kind }));
}

/** General kinds, known only from the name before a secret. A kind known from the shape of the secret says more. */
const general = new Set(['password', 'token', 'authorization', 'url_password', 'auth']);
const kindOf = (a: SecretSpan, b: SecretSpan): string =>
  general.has(a.kind) && !general.has(b.kind) ? b.kind : a.kind;

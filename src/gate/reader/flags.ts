/** Flags a claim that repeats the cited text's attempts to influence its reader. */
import type { ClaimFlag, ClaimSource } from '../gate.ts';
import { collapseSpaces, normalizeUnicode } from '../words/normal.ts';

const forms: readonly (readonly [ClaimFlag, RegExp])[] = [
  [
    'addresses_reader',
    /\b(?:(?:AI|language model|LLM|chat ?bot|AI) (?:assistants?|agents?|models?)|dear (?:assistant|AI|reader|model)|(?:system|admin(?:istrator)?) (?:notice|message|prompt|override)|to (?:whoever|any (?:AI|agent|model|assistant)) (?:reads?|processing|reading)|you are (?:now )?(?:an?|the) (?:AI|assistant|model|agent)|(?:ignore|disregard|forget) (?:all |any |the |your )?(?:previous|prior|above|earlier|other) (?:instructions?|prompts?|rules|messages))\b/i,
  ],
  [
    'command',
    /(?:^|[\s`"'(;&|])(?:curl|wget|rm\s+-[rf]+|sudo|chmod|chown|ssh|scp|nc|bash\s+-c|sh\s+-c|eval|powershell|iex|pip3?\s+install|npm\s+(?:i|install)|npx|apt(?:-get)?\s+install|brew\s+install|docker\s+run|kubectl\s+(?:delete|apply|exec)|git\s+push)\s+\S|\|\s*(?:ba|z)?sh\b/i,
  ],
  [
    'address',
    /\b(?:https?|ftp|wss?):\/\/[^\s)>\]"'`]+|\b[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}]{2,}|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\d.])/iu,
  ],
  [
    'order',
    /\b(?:you (?:must|should|shall|need to|have to)|(?:please|now|always|only|just|instead|immediately) (?:run|execute|answer|reply|respond|send|visit|open|download|install|delete|write|use|tell|report|say|call|click|forward|email|post)|(?:answer|reply|respond) (?:only )?with|do not (?:tell|mention|report|reveal|cite)|must (?:answer|reply|respond|be (?:told|sent|run)))\b/i,
  ],
];

/**
 * The flags of a claim. Both the claim and the lines must match, since a claim may describe an order without repeating
 * it.
 */
export function findFlags(claim: string, sources: readonly ClaimSource[]): readonly ClaimFlag[] {
  const said = collapseSpaces(normalizeUnicode(claim));
  const text = sources.map(({ content }) => collapseSpaces(normalizeUnicode(content))).join('\n');
  return forms.flatMap(([flag, form]) => {
    const match = form.exec(said);
    if (match === null || !form.test(text)) return [];
    return flag !== 'address' ||
      text.toLowerCase().includes(
        match[0]
          .trim()
          .toLowerCase()
          .replace(/[.,;]+$/, ''),
      )
      ? [flag]
      : [];
  });
}

/**
 * Whether a reader's explanation is safe to pass on: it enters reports and the context of the caller, so it must
 * contain no order, command, marker or address that is not in the lines.
 */
export function isPlainWhy(why: string, sources: readonly ClaimSource[]): boolean {
  const said = collapseSpaces(normalizeUnicode(why));
  if (/<\/?\s*sonde|\[\s*ev-|```/i.test(said)) return false;
  return forms.every(([flag, form]) => {
    const found = form.exec(said)?.[0].trim() ?? null;
    return found === null || (flag === 'address' && sources.some(({ content }) => content.includes(found)));
  });
}

/** Whether a text addresses a model that reads it. */
export const isForReader = (text: string): boolean =>
  forms[0]![1].test(collapseSpaces(normalizeUnicode(text)));

/** Whether the lines address a model that reads them. */
export const addressReader = (sources: readonly ClaimSource[]): boolean =>
  sources.some(({ content, header = '' }) => isForReader(`${header}\n${content}`));

/** The conclusion as a tool of the dialogue: its parameters, and how a call is read. */

import { z } from 'zod';
import { incidentVerbs, rootCauseCategories } from '../../../core/incidents.ts';
import { evidenceIdPattern, type IncidentClaim, type IncidentFields } from '../../../core/index.ts';
import { checkFields, formatSentence } from '../../../gate/index.ts';
import type { DialogueTool } from '../../../model/index.ts';
import { toolParameters } from '../../tool-parameters.ts';

const verdicts = [
  'code_change',
  'config_change',
  'no_code_change',
  'state',
  'healthy',
  'unrelated',
  'inconclusive',
] as const;

/** A diagnosis, by a model or by rules, before it is checked. */
export interface WrittenDiagnosis {
  readonly verdict: (typeof verdicts)[number];
  /** The hash of a commit, or the name of a flag or setting. */
  readonly culprit?: string;
  readonly root_cause: IncidentClaim;
  readonly root_cause_category: string;
  /** The cause in a few words, in addition to a category of the list. */
  readonly detail?: string;
  readonly causal_chain: readonly IncidentClaim[];
  readonly claims: readonly IncidentClaim[];
  readonly remediation_steps: readonly string[];
}

const max = { chain: 10, claims: 20, steps: 8 } as const;
/** Characters. */
const maxFieldLength = 600;

/** The fields of a claim, besides its verb. The prompt explains them. */
const fieldNames = ['actor', 'object', 'series', 'from', 'to', 'time', 'hunk'] as const;

const claimForm = z.object({
  verb: z.enum(incidentVerbs),
  ...Object.fromEntries(fieldNames.map((name) => [name, z.string().optional()])),
  text: z.string().optional().describe('Of `other`: the sentence'),
  evidence: z.array(z.string()).describe('ev-…'),
});
/** The form is described only once, since descriptions of tools cost tokens in each turn. */
const laterClaimForm = z.object({}).loose().describe('A claim of the same form');

export const concludeTool: DialogueTool = {
  name: 'conclude',
  description: 'Ends the investigation. A claim is fields, each held against one record of its evidence.',
  parameters: toolParameters(
    z.object({
      verdict: z.enum(verdicts),
      culprit: z
        .string()
        .optional()
        .describe(
          'code_change: the hash of the commit. config_change: the flag, or the hash of the commit. state: the object that is in it. no_code_change: the provider or the demand',
        ),
      root_cause: claimForm.describe('What was changed, or what failed'),
      root_cause_category: z.string().describe(`One of ${rootCauseCategories.join(', ')}`),
      detail: z
        .string()
        .optional()
        .describe('The cause in two or three words, like: cache expiry, slow query'),
      causal_chain: z
        .array(laterClaimForm)
        .describe(`Claims from the cause to the alert, in order; at most ${max.chain}`),
      claims: z.array(laterClaimForm).optional().describe('What else the conclusion rests on'),
      remediation_steps: z.array(z.string()).describe('What people should do, the most urgent first'),
    }),
  ),
};

export type ReadConclusion =
  | { readonly kind: 'read'; readonly written: WrittenDiagnosis }
  | { readonly kind: 'unfit'; readonly why: string };

/** Accepts each claim as an object of fields or as a text. */
export function readConclusion(input: Readonly<Record<string, unknown>>): ReadConclusion {
  const verdict = String(input['verdict'] ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const known = verdicts.find((candidate) => candidate === verdict);
  if (known === undefined) return { kind: 'unfit', why: `verdict is one of ${verdicts.join(', ')}` };
  const cause = readClaim([input['root_cause']].flat()[0]);
  if (cause.text === '') return { kind: 'unfit', why: 'root_cause says what happened: a claim' };
  const culprit = readText(input['culprit']);
  return {
    kind: 'read',
    written: {
      verdict: known,
      ...(culprit !== '' && culprit !== 'null' && { culprit }),
      root_cause: cause,
      root_cause_category: readText(input['root_cause_category']),
      ...(readText(input['detail']) !== '' && { detail: readText(input['detail']) }),
      causal_chain: readClaims(input['causal_chain']).slice(0, max.chain),
      claims: readClaims(input['claims']).slice(0, max.claims),
      remediation_steps: readList(input['remediation_steps'])
        .map(readText)
        .filter((step) => step !== '')
        .slice(0, max.steps),
    },
  };
}

const idSource = 'ev-[0-9a-f]{10}';
/** Is never empty, so that a backtick between two ids can be read in one way only. */
const idSeparatorSource = String.raw`(?:\s*[,;]\s*(?:and\b\s*)?|\s+(?:and\b\s*)?|and\b\s*)`;
/** `[ev-0123456789]`, and several of them in one pair of brackets. */
const inBrackets = new RegExp(
  `\\s*[[(]\\s*\`?${idSource}(?:(?:\`?${idSeparatorSource}\`?|\`{0,2})${idSource})*\`?${idSeparatorSource}?[\\])]`,
  'g',
);

/** A sentence with the evidence that it names. */
export function parseClaim(sentence: string): IncidentClaim {
  return {
    text: sentence
      .replace(inBrackets, '')
      .replace(/\s+/g, ' ')
      .replace(/\s+([.!?])$/, '$1')
      .trim(),
    evidence: [...new Set(sentence.match(evidenceIdPattern))],
  };
}

function readClaims(value: unknown): readonly IncidentClaim[] {
  return readList(value).flatMap((item) => {
    const claim = readClaim(item);
    return claim.text === '' ? [] : [claim];
  });
}

function readClaim(value: unknown): IncidentClaim {
  if (typeof value !== 'object' || value === null) return parseClaim(readText(value));
  const given = value as Readonly<Record<string, unknown>>;
  const claim = parseClaim(readText(given['text'] ?? given['claim']));
  const match = [given['evidence'] ?? given['ids']].flat().map(readText).join(' ').match(evidenceIdPattern);
  const evidence = [...new Set([...(match ?? []), ...claim.evidence])];
  const fields = readFields(given);
  if (fields === null) return { text: claim.text, evidence };
  // If the fields are enough, the sentence is made from them, so that readers see exactly what was checked.
  const isEnough = fields.verb !== 'other' && checkFields(fields, []).verdict !== 'unclear';
  return { text: isEnough || claim.text === '' ? formatSentence(fields) : claim.text, evidence, fields };
}

/** Null if it has no verb. */
function readFields(given: Readonly<Record<string, unknown>>): IncidentFields | null {
  const verbText = readText(given['verb']).toLowerCase();
  if (verbText === '') return null;
  const verb = incidentVerbs.find((verb) => verb === verbText) ?? 'other';
  const filled = fieldNames.flatMap((name) => {
    const text = readText(given[name]).slice(0, maxFieldLength);
    return text === '' || text.toLowerCase() === 'null' ? [] : [[name, text] as const];
  });
  return { verb, ...Object.fromEntries(filled) };
}

/** Accepts a single value as a list of one, and a text of several lines as a list of lines. */
function readList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return value === undefined || value === null ? [] : [value];
  return value
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '');
}

function readText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** Decides claims that one definition returns, throws, calls, takes or extends another name. */

import type { Reading } from '../../claim/reading.ts';
import { getLastPart, type Term } from '../../claim/terms.ts';
import { findDefinitions } from '../../lines/definition.ts';
import type { Source } from '../../lines/source.ts';
import { findTurns } from '../../words/turns.ts';
import type { Decision } from '../decide-text.ts';
import { isPlainName, type Relation, relations, type Scope } from './relation-lines.ts';

const filler =
  '(?:(?:the|an?|its|both|either|new|then|also|only|always|directly|itself|result|results|value|call|of|to|from|instance|function|method|error|exception|class|type|argument|parameter|list|array|with|in|that|case|first|immediately|internally)\\s+)';
const createActiveForm = (verb: string): RegExp =>
  new RegExp(
    `^(?:\\(\\))?["'\`]*,?\\s+(?:(?:then|also|always|directly|itself|first|either|immediately|internally|and|only|can|may|will)\\s+){0,3}(?:${verb})\\s+${filler}{0,4}["'\`(]*$`,
    'i',
  );
const createPassiveForm = (verb: string): RegExp =>
  new RegExp(
    `^(?:\\(\\))?["'\`]*\\s+(?:is|are|gets|was)\\s+(?:(?:also|always|only|directly)\\s+)?(?:${verb})\\s+(?:by|from|in|inside|within)\\s+(?:the\\s+)?["'\`]*$`,
    'i',
  );
const relationForms = relations.map((relation) => ({
  relation,
  active: createActiveForm(relation.verb),
  passive: createPassiveForm(relation.verb),
}));
const listJoint = /^(?:\(\))?["'`]*\s*(?:,|or|and|, and|, or)\s+(?:the\s+|an?\s+|new\s+)*["'`]*$/i;

const takingVerb = /\btak(?:es?|ing)\b/i;

interface RelationClaim {
  readonly subject: string;
  readonly objects: readonly string[];
  readonly relation: Relation;
  readonly start: number;
  readonly end: number;
}

/**
 * `shown`: the claim states one relation and nothing else, and the relation holds in the only definition of its
 * subject. `not shown`: the lines contain the whole body of the subject, and the relation does not hold there.
 * `unclear`: the lines show neither the relation nor its absence. Null: the relation alone does not decide the claim.
 */
export function decideRelation(reading: Reading, source: Source): Decision | null {
  const related = findRelations(reading);
  let isShown = isAlone(reading, related);
  let openReason: string | null = null;
  for (const { subject, objects, relation } of related) {
    const scope = findScope(subject, source);
    isShown &&= scope?.definitions.length === 1;
    if (scope === null) continue;
    for (const object of objects) {
      const name = spellAsSource(object, source);
      if (relation.holds(name, scope, source)) continue;
      if (isWhole(scope) && relation.lacks(name, scope, source))
        return {
          verdict: 'not shown',
          why: `The cited lines hold all of "${subject}", and it does not do this with "${object}".`,
        };
      openReason ??= `The lines do not show that "${subject}" does this with "${object}".`;
    }
  }
  if (openReason !== null) return { verdict: 'unclear', why: openReason };
  return isShown ? { verdict: 'shown' } : null;
}

const isWhole = ({ definitions }: Scope): boolean =>
  definitions.length > 0 && definitions.every((definition) => definition.isWhole);

/** Whether the claim states one relation and nothing else. */
function isAlone(reading: Reading, [related, ...more]: readonly RelationClaim[]): boolean {
  if (related === undefined || more.length > 0 || reading.figures.length > 0) return false;
  const turns = findTurns(reading.text);
  return (
    fillerOnly.test(`${reading.text.slice(0, related.start)} ${reading.text.slice(related.end)}`) &&
    !turns.negation &&
    !turns.quantifier &&
    !turns.modal &&
    !turns.proposal
  );
}

const fillerOnly =
  /^[\s"'`.:()]*(?:(?:the|a|an|function|method|class|instance|object|error|exception|argument|parameter|value|of|type)[\s"'`.:()]+)*$/i;

function findRelations({ terms: all, text }: Reading): readonly RelationClaim[] {
  const terms = all.filter(({ kind }) => kind === 'name' || kind === 'code');
  return terms.slice(0, -1).flatMap((first, index) => {
    const second = terms[index + 1]!;
    const between = text.slice(first.end, second.start);
    const relationForm = relationForms.find((one) => one.active.test(between));
    // In `takes x from y`, x is not a parameter.
    if (
      relationForm !== undefined &&
      !(takingVerb.test(between) && /^["'`)]*\s+(?:from|out of)\b/.test(text.slice(second.end)))
    ) {
      const objects = listAlternatives(second, terms, text);
      return [
        {
          subject: first.text,
          objects: objects.map((term) => term.text),
          relation: relationForm.relation,
          start: first.start,
          end: objects.at(-1)!.end,
        },
      ];
    }
    const relation = relationForms.find((one) => one.passive.test(between))?.relation;
    return relation === undefined
      ? []
      : [
          {
            subject: second.text,
            objects: [first.text],
            relation: relation,
            start: first.start,
            end: second.end,
          },
        ];
  });
}

/** `A or B`: each is an object of the verb. */
function listAlternatives(first: Term, terms: readonly Term[], text: string): readonly Term[] {
  const found = [first];
  for (const next of terms.slice(terms.indexOf(first) + 1)) {
    if (!listJoint.test(text.slice(found.at(-1)!.end, next.start))) break;
    found.push(next);
  }
  return found;
}

/**
 * Where a relation of the subject is looked for: in its definitions, or in all cited lines if they contain none. Null
 * if the cited lines contain no code: then nothing is decided here.
 */
function findScope(subject: string, source: Source): Scope | null {
  const definitions = findDefinitions(getLastPart(subject), source);
  if (definitions.length > 0)
    return { definitions, segments: [...new Set(definitions.flatMap(({ segments }) => segments))] };
  const code = source.segments.flatMap(({ isCode, isRecord }, at) => (isCode && !isRecord ? [at] : []));
  return code.length === 0 ? null : { definitions, segments: source.segments.map((_, at) => at) };
}

/** The name as the lines write it: `cache.get` if they do, `get` if only the claim names its owner. */
function spellAsSource(object: string, { segments }: Source): string {
  if (!isPlainName(object)) return object;
  const bare = object.replace(/\(\)$/, '');
  return segments.some(({ isCode, text }) => isCode && text.includes(bare)) ? bare : getLastPart(object);
}

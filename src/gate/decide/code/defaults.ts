/** Decides claims about the default value of a parameter. */

import { findDefinitions } from '../../lines/definition.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';
import { isOtherValue, isSameValue, parseClaimValue, parseCodeValue } from './values.ts';

const subjectForm = String.raw`(?:[Tt]he\s)?(?:\x60(?<subject>[\p{L}_][\p{L}\p{N}_.]*)(?:\(\))?\x60)(?:\s(?:function|method|class|constructor))?`;
const parameterForm = String.raw`(?:an?\s|the\s|its\s)?\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\x60(?:\s(?:parameter|argument|option|flag))?`;
const valueForm = String.raw`(?<value>\x60[^\x60]+\x60|None|null|nil|undefined|[Tt]rue|[Ff]alse|-?\d+(?:\.\d+)?|"[^"]*")`;
const forms: readonly RegExp[] = [
  String.raw`^${subjectForm}\s(?:takes|has|accepts)\s${parameterForm}\s(?:that|which)\s(?:is\s${valueForm}\sby\sdefault|defaults\sto\s${valueForm})$`,
  String.raw`^${subjectForm}\s(?:takes|has|accepts)\s${parameterForm}\swith\s(?:a|the)\sdefault\s(?:value\s)?(?:of\s)?${valueForm}$`,
  String.raw`^(?:In|For|By default, in)\s${subjectForm},?\s${parameterForm}\s(?:defaults\sto|is)\s${valueForm}(?:\sby\sdefault)?$`,
  String.raw`^[Tt]he\s${parameterForm}\sof\s${subjectForm}\s(?:defaults\sto\s${valueForm}|is\s${valueForm}\sby\sdefault)$`,
  String.raw`^\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\x60\s(?:defaults\sto\s${valueForm}|is\s${valueForm}\sby\sdefault)\sin\s${subjectForm}$`,
].map((text) => new RegExp(numberGroups(text), 'u'));
/** \`connect has \`weak=False\` as its default\`. */
const writtenDefault = new RegExp(
  String.raw`^${subjectForm}\s(?:takes|has|accepts)\s\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\s?=\s?(?<value>[^\x60]+)\x60(?:\s(?:as\s(?:its|the)\sdefault|by\sdefault))?$`,
  'u',
);

/**
 * Gives the two `value` groups of a pattern different names, since a name may occur only once in a pattern.
 */
function numberGroups(text: string): string {
  return text.replace('(?<value>', '(?<value1>').replace('(?<value>', '(?<value2>');
}

export function decideDefault(claim: string, source: Source): Decision | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const groups = [...forms, writtenDefault]
    .map((form) => form.exec(text)?.groups)
    .find((one) => one !== undefined);
  if (groups === undefined) return null;
  const subject = groups['subject']!.split('.').at(-1)!;
  const said =
    groups['value'] === undefined
      ? parseClaimValue(groups['value1'] ?? groups['value2'] ?? '')
      : parseCodeValue(groups['value']);
  const [definition, ...more] = findDefinitions(subject, source);
  if (said === null || definition === undefined || more.length > 0 || definition.parameters === null)
    return null;
  const given = findDefault(definition.parameters, groups['name']!);
  if (given === null) return null;
  if (isSameValue(said, given)) return { verdict: 'shown' };
  return isOtherValue(said, given)
    ? {
        verdict: 'contradicted',
        why: `The head of "${subject}" has another default for "${groups['name']!}".`,
      }
    : null;
}

function findDefault(parameters: string, name: string) {
  const found = new RegExp(
    `(?<![\\p{L}\\p{N}_$.])${RegExp.escape(name)}\\s*(?::\\s*[^=,]+)?=\\s*(?<value>"[^"]*"|'[^']*'|\\[\\]|\\{\\}|[^,(){}[\\]]+)(?=\\s*(?:,|\\}|$))`,
    'u',
  ).exec(parameters)?.groups?.['value'];
  return found === undefined ? null : parseCodeValue(found);
}

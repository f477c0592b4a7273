/** Claims about the default of a parameter. */

import { findDefinitions } from '../../lines/definition.ts';
import type { Source } from '../../lines/source.ts';
import type { Decision } from '../decide-text.ts';
import { isOtherValue, isSameValue, parseClaimValue, parseCodeValue } from './values.ts';

const own = String.raw`(?:[Tt]he\s)?(?:\x60(?<subject>[\p{L}_][\p{L}\p{N}_.]*)(?:\(\))?\x60)(?:\s(?:function|method|class|constructor))?`;
const parameter = String.raw`(?:an?\s|the\s|its\s)?\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\x60(?:\s(?:parameter|argument|option|flag))?`;
const value = String.raw`(?<value>\x60[^\x60]+\x60|None|null|nil|undefined|[Tt]rue|[Ff]alse|-?\d+(?:\.\d+)?|"[^"]*")`;
const forms: readonly RegExp[] = [
  String.raw`^${own}\s(?:takes|has|accepts)\s${parameter}\s(?:that|which)\s(?:is\s${value}\sby\sdefault|defaults\sto\s${value})$`,
  String.raw`^${own}\s(?:takes|has|accepts)\s${parameter}\swith\s(?:a|the)\sdefault\s(?:value\s)?(?:of\s)?${value}$`,
  String.raw`^(?:In|For|By default, in)\s${own},?\s${parameter}\s(?:defaults\sto|is)\s${value}(?:\sby\sdefault)?$`,
  String.raw`^[Tt]he\s${parameter}\sof\s${own}\s(?:defaults\sto\s${value}|is\s${value}\sby\sdefault)$`,
  String.raw`^\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\x60\s(?:defaults\sto\s${value}|is\s${value}\sby\sdefault)\sin\s${own}$`,
].map((text) => new RegExp(numberGroups(text), 'u'));
/** \`connect has \`weak=False\` as its default\`. */
const written = new RegExp(
  String.raw`^${own}\s(?:takes|has|accepts)\s\x60(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\s?=\s?(?<value>[^\x60]+)\x60(?:\s(?:as\s(?:its|the)\sdefault|by\sdefault))?$`,
  'u',
);

/**
 * One pattern may hold a named group only once on each side of a choice; the first of its kind that matched is read.
 */
function numberGroups(text: string): string {
  return text.replace('(?<value>', '(?<value1>').replace('(?<value>', '(?<value2>');
}

export function decideDefault(claim: string, source: Source): Decision | null {
  const text = claim.replace(/[.]\s*$/, '').trim();
  const groups = [...forms, written].map((form) => form.exec(text)?.groups).find((one) => one !== undefined);
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

/**
 * Decides whether a log line, or a pattern with its count, shows that a text was logged: which text, by whom, how
 * often, and when.
 */
import type { IncidentFields } from '../../core/index.ts';
import type { LogRecord } from './records.ts';
import { against, type Finding, lacks, shown } from './records.ts';
import { containsName, isSameTime, isSameValue, normalizeText } from './same.ts';

/** Minimum letters of a text: a shorter one may occur anywhere. */
const minLetters = 4;

export function compareLog(fields: IncidentFields, record: LogRecord): Finding {
  const { actor, object = '', to, from, time } = fields;
  const { owner, text, count, baseline, times } = record;
  if (normalizeText(object).replace(/[^\p{L}\p{N}]/gu, '').length < minLetters)
    return lacks('what is said to have been logged is too short to be found');
  if (!containsWords(text, object)) return lacks(`no line among what it names says "${object.slice(0, 80)}"`);
  if (actor !== undefined && owner !== null && !containsName(owner, actor))
    return against(`${owner} logged that, not ${actor}`);
  if (actor !== undefined && owner === null && !containsName(text, actor))
    return lacks(`that ${actor} logged it is not told`);
  if (to !== undefined && (count === null || !isSameValue(to, count)))
    return count === null
      ? lacks('how often is not told')
      : against(`it was logged ${count} times, not ${to}`);
  if (from !== undefined && (baseline === null || !isSameValue(from, baseline)))
    return baseline === null
      ? lacks('how often before is not told')
      : against(`it was logged ${baseline} times before, not ${from}`);
  if (time !== undefined && !times.some((at) => isSameTime(time, at)))
    return times.length === 0
      ? lacks('when is not told')
      : against(`it was logged at ${times[0]}, not at ${time}`);
  return shown;
}

/** Whether a line contains the words. In a pattern, variable parts match any text. */
function containsWords(text: string, object: string): boolean {
  const [held, said] = [normalizeText(text), normalizeText(object)];
  if (held.includes(said)) return true;
  const parts = held.split(/<[^<>]*>/);
  if (parts.length < 2) return false;
  const texts = parts.map((part) => part.trim());
  return (
    texts.join('').length >= minLetters &&
    new RegExp(`^\\W*${texts.map(RegExp.escape).join('.{1,80}?')}\\W*$`).test(said)
  );
}

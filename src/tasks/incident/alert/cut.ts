/** Cuts a message so that it is short and shallow enough to be stored, with marks at the cuts. */
import { alertLimits } from './limits.ts';

/** The field that an alert in JSON gets when it is cut. */
export const cutField = 'sonde_cut';

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash] = [code('"'), code('\\')];
const [openList, closeList, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')];

/**
 * The same JSON with nothing deeper than the limit; null for a deeper text that cannot be JSON. Works on the
 * text, since parsing fails on deep JSON.
 */
export function limitDepth(text: string, maxDepth: number = alertLimits.depth): string | null {
  const keptParts: string[] = [];
  let [depth, inText, done, from] = [0, false, 0, -1];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inText) {
      if (character === backslash) at += 1;
      else if (character === quote) inText = false;
    } else if (character === quote) inText = true;
    else if (character === openList || character === openObject) {
      depth += 1;
      if (depth === maxDepth + 1) from = at;
    } else if (character === closeList || character === closeObject) {
      depth -= 1;
      if (depth !== maxDepth || from < 0) continue;
      const cut = `[cut: ${at + 1 - from} characters, deeper than ${maxDepth} lists and objects]`;
      keptParts.push(text.slice(done, from), JSON.stringify(cut));
      [done, from] = [at + 1, -1];
    }
  }
  if (from >= 0) return null;
  return done === 0 ? text : keptParts.join('') + text.slice(done);
}

/** An alert as it is stored: unchanged if it is short enough, otherwise its beginning, or JSON with marks. */
export function cutAlert(text: string): string {
  if (text.length <= alertLimits.characters) return text;
  const mark = `[cut: the alert had ${text.length} characters]`;
  return cutJson(text, mark) ?? `${takeBeginning(text, alertLimits.characters - mark.length - 1)}\n${mark}`;
}

/** Null if the text is no JSON, or can't be made short enough. */
function cutJson(text: string, mark: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(limitDepth(text) ?? '');
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  // Half of the maximum, since JSON may escape a character as six.
  const cut = JSON.stringify(markCut(shorten(value, { characters: alertLimits.characters / 2 }), mark));
  return cut.length <= alertLimits.characters ? cut : null;
}

/** The mark comes first in the object, or in the first object of a list, where readers see it. */
function markCut(value: unknown, mark: string): unknown {
  if (Array.isArray(value)) return [markCut(value[0], mark), ...value.slice(1)];
  const field = { [cutField]: mark };
  return typeof value === 'object' ? { ...field, ...value, ...field } : value;
}

function shorten(value: unknown, remaining: { characters: number }): unknown {
  if (typeof value === 'string') return shortenText(value, remaining);
  if (typeof value !== 'object' || value === null) {
    remaining.characters -= 20;
    return value;
  }
  if (remaining.characters <= 0) return '[cut]';
  const entries = Object.entries(value);
  const keptParts: [string, unknown][] = [];
  for (const [name, item] of entries.slice(0, alertLimits.items)) {
    if (remaining.characters <= 0) break;
    keptParts.push([Array.isArray(value) ? name : shortenText(name, remaining), shorten(item, remaining)]);
  }
  const missing = entries.length - keptParts.length;
  if (Array.isArray(value))
    return [...keptParts.map(([, item]) => item), ...(missing > 0 ? [`[cut: ${missing} more]`] : [])];
  return Object.fromEntries([
    ...keptParts,
    ...(missing > 0 ? [[cutField, `[cut: ${missing} more fields]`]] : []),
  ]);
}

function shortenText(text: string, remaining: { characters: number }): string {
  const room = Math.min(alertLimits.textCharacters, Math.max(remaining.characters, 40));
  remaining.characters -= Math.min(text.length, room) + 20;
  return text.length <= room ? text : `${takeBeginning(text, room)}[cut: ${text.length} characters]`;
}

/** The beginning of a text, cut before a word and never within a character. */
function takeBeginning(text: string, max: number): string {
  const start = text.slice(0, max);
  const word = /\s\S{1,400}$/.exec(start.slice(-401));
  if (word !== null) return start.slice(0, start.length - word[0].length);
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}

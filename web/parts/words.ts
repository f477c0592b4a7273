/** Times, amounts and names, as people read them. */
import type { Amounts } from '../api/types.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const plural = (some: number, unit: string): string =>
  `${count(some)} ${unit}${some === 1 ? '' : 's'}`;

export function since(at: number, now = Date.now()): string {
  const passed = now - at;
  if (passed < minute) return 'just now';
  if (passed < hour) return `${plural(Math.floor(passed / minute), 'minute')} ago`;
  if (passed < day) return `${plural(Math.floor(passed / hour), 'hour')} ago`;
  if (passed < 30 * day) return `${plural(Math.floor(passed / day), 'day')} ago`;
  return new Date(at).toISOString().slice(0, 10);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** In the time of whoever looks. By hand: the browser's own way loads tables of languages at its first use. */
export function exact(at: number): string {
  const when = new Date(at);
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())} ${clock(at)}`;
}

export function clock(at: number): string {
  const when = new Date(at);
  return [when.getHours(), when.getMinutes(), when.getSeconds()].map(two).join(':');
}

export function lasted(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.round((ms % minute) / 1_000)} s`;
  return `${Math.floor(ms / hour)} h ${Math.round((ms % hour) / minute)} min`;
}

export const count = (value: number): string =>
  value < 10_000
    ? String(Math.round(value)).replace(/(\d)(\d{3})$/, '$1,$2')
    : `${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)}k`;

/** Formats a share from 0 to 1. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const money = (usd: number): string =>
  usd === 0 ? '$0' : usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;

export function amounts({ tokens, usd, wall_ms, calls, steps }: Amounts): string {
  return [
    tokens === undefined ? '' : `${count(tokens)} tokens`,
    usd === undefined || usd === 0 ? '' : money(usd),
    calls === undefined || calls === 0 ? '' : plural(calls, 'call'),
    steps === undefined || steps === 0 ? '' : plural(steps, 'step'),
    wall_ms === undefined ? '' : lasted(wall_ms),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Invisible characters, and those that reverse the order of a line: shown as their code. */
const hidden = /(?![\t\n\r])[\p{Cc}\p{Cf}]/gu;
/** Joins the parts of one picture, such as those of a family. */
const joined = /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/u;

export const plainText = (text: string): string =>
  text.replace(hidden, (one, at: number) =>
    one === '\u200d' && joined.test(text.slice(Math.max(0, at - 6), at + 3))
      ? one
      : `⟨U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Formats a number of bytes. */
export const size = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

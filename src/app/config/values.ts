/** Values as people write them: text from a flag or the environment, or the JSON of a file. */
import { z } from 'zod';

const numeral = /^\d+(\.\d+)?$/;

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && numeral.test(value.trim()) ? Number(value) : value;

export const wholeNumber = (least: number, most: number) =>
  z.preprocess(asNumber, z.int().min(least).max(most));

export const amount = (least: number, most: number) =>
  z.preprocess(asNumber, z.number().min(least).max(most));

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

export const yesOrNo = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? (words[value.trim().toLowerCase()] ?? value) : value),
    z.boolean(),
  );

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `2m`, `1.5h`, `30d`, `500ms`; a bare number is seconds. Gives milliseconds, null where it is none of these. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  return count === undefined ? null : Math.round(Number(count) * units[unit ?? 's']!);
}

export const duration = (leastMs: number, mostMs: number) =>
  z.preprocess(
    (value) =>
      typeof value === 'number' ? value * 1000 : typeof value === 'string' ? parseDuration(value) : value,
    z.int().min(leastMs).max(mostMs),
  );

/** Milliseconds as a person would write them: `90s`, `2m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (ms >= units[unit]! && ms % units[unit]! === 0) return `${ms / units[unit]!}${unit}`;
  return `${ms}ms`;
}

const longestText = 2000;

export const text = () => z.string().trim().min(1).max(longestText);

/** Text of which a terminal may be told: no control characters. */
export const plain = () => text().regex(/^\P{Cc}+$/u);

/** Protocol, host and path of an HTTP service; no credentials in it, since addresses are shown. */
export const address = () =>
  plain().refine((value) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  });

/** As Ollama takes it: an address, or a host with or without a port. */
export const host = () =>
  plain().refine((value) => {
    const url = URL.parse(/^https?:\/\//.test(value) ? value : `http://${value}`);
    return url !== null && url.username === '' && url.password === '';
  });

export const list = (separator: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(separator).filter((item) => item !== '') : value),
    z.array(plain()).max(100),
  );

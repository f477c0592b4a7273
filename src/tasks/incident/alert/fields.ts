/** Reads values from payloads of unknown form. */
import { canonicalJson, sha256 } from '../../../core/index.ts';
import { withoutHashes } from './hashes.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The first of these fields that holds a text or a number. */
export function textIn(fields: Fields, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  }
  return null;
}

/** The largest number that is a valid date. Milliseconds since the Unix epoch. */
const maxTime = 8.64e15;

/**
 * ISO 8601, or seconds or milliseconds since the Unix epoch, also in a text. Prometheus writes the year 1 for never.
 */
export function timeIn(fields: Fields, ...names: readonly string[]): number | null {
  for (const name of names) {
    const raw = fields[name];
    const value = typeof raw === 'string' && /^\s*\d{9,13}(?:\.\d+)?\s*$/.test(raw) ? Number(raw) : raw;
    const at =
      typeof value === 'number'
        ? value < 1e11
          ? value * 1000
          : value
        : typeof value === 'string'
          ? Date.parse(value)
          : Number.NaN;
    if (at > 0 && at <= maxTime) return at;
  }
  return null;
}

/** Fields that are texts, numbers or booleans, as texts. */
export function toLabels(...all: readonly unknown[]): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const fields of all.map(fieldsIn))
    for (const [name, value] of Object.entries(fields))
      if (['string', 'number', 'boolean'].includes(typeof value)) labels[name] = String(value).slice(0, 500);
  return labels;
}

const serviceNames = [
  'service',
  'service_name',
  'app',
  'application',
  'component',
  'job',
  'deployment',
  'workload',
  'unit',
];

export const serviceIn = (labels: Readonly<Record<string, string>>): string | null =>
  serviceNames.map((name) => labels[name]).find((value) => value !== undefined && value !== '') ?? null;

/** The hash of the parts that identify the problem. They must not contain times or severities. */
export const fingerprintOf = (parts: unknown): string => sha256(canonicalJson(parts)).slice(0, 16);

/** The sender's own id of the problem. An id over 200 characters is hashed. */
export function readSenderId(fields: Fields, ...names: readonly string[]): string | null {
  const id = textIn(fields, ...names);
  return id === null || id.length <= 200 ? id : fingerprintOf(id);
}

const moments = /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b/gi;
const uuids = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
/** Signatures and other long tokens. */
const longTokens = /[A-Za-z\d+/=_]{40,}/g;
/** Numbers, except those that are part of a name, such as web-03 or eu2. */
const numbers = /(?<![\p{L}\d_.]-?)\d+(?:[.,:]\d+)*/gu;
const address = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * A text without the parts that differ between messages about the same problem: times, measured values, ids, hashes
 * of pods.
 */
export const withoutVariables = (text: string): string =>
  withoutHashes(text.toLowerCase().replace(moments, '#').replace(uuids, '#'))
    .replace(longTokens, (token) => (/\d/.test(token) ? '#' : token))
    .replace(numbers, (number) => (address.test(number) ? number : '#'))
    .replace(/\s+/g, ' ')
    .trim();

/** Names of fields whose values differ between alerts about the same problem: its state, its times, its counts. */
const volatileField =
  /^(?:(?:current_?|old_?|new_?|previous_?)?(?:state|status|severity|level|value)|priority|urgency|(?:last_?|event_?|start_?)?(?:time|timestamp|date|datetime)|[a-z_]*_at|[a-z]+At|count|attempts?|duration|(?:event|incident|message|request|trace|delivery)_?id)$/i;

const withoutVolatile = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutVolatile)
    : isFields(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, item]) =>
            volatileField.test(name) && !isFields(item) ? [] : [[name, withoutVolatile(item)]],
          ),
        )
      : value;

/** The fingerprint of an alert without a name: all its fields, except those for its present state. */
export function fingerprintContent(payload: unknown): string {
  const lasting = withoutVolatile(payload);
  const content = isFields(lasting) && Object.keys(lasting).length === 0 ? payload : lasting;
  return fingerprintOf(withoutVariables(canonicalJson(content)));
}

/** The expression in a link to Prometheus. */
export function parseLinkQuery(link: string | null): string | null {
  const url = link === null ? null : URL.parse(link, 'http://localhost');
  const expression = url?.searchParams.get('g0.expr') ?? url?.searchParams.get('expr') ?? null;
  return expression === null || expression.trim() === '' ? null : expression.trim();
}

const selector = /\b([a-zA-Z_:][a-zA-Z0-9_:]{3,})\s*(?:\{|\[|$|[<>=!+*/)-])/g;
const functions =
  /^(sum|avg|min|max|count|rate|irate|increase|histogram_quantile|abs|ceil|clamp\w*|delta|deriv|by|without|on|and|or|unless|bool|offset|topk|bottomk|quantile|label_\w+|time|vector|absent\w*)$/;

/** The metric of an expression. */
export function findMetric(query: string | null): string | null {
  if (query === null) return null;
  for (const [, name] of `${query} `.matchAll(selector)) if (!functions.test(name!)) return name!;
  return null;
}

/** Joins texts, without repeating one. */
export const joinTexts = (...parts: readonly (string | null | undefined)[]): string =>
  [...new Set(parts.filter((part) => part !== null && part !== undefined && part !== ''))]
    .join(' — ')
    .slice(0, 2_000);

/** `key:value` or `key=value`, separated by commas, or one in each item of a list. */
export function parseTags(tags: unknown): Readonly<Record<string, string>> {
  const all = Array.isArray(tags) ? tags : typeof tags === 'string' ? tags.split(/[,\n]/) : [];
  const labels: Record<string, string> = {};
  for (const tag of all) {
    const [, name, value] = /^\s*([\w.-]{1,100})\s*[:=]\s*(.{1,500}?)\s*$/.exec(String(tag)) ?? [];
    if (name !== undefined) labels[name] ??= value!;
  }
  return labels;
}

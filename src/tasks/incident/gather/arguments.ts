/** Fills in the arguments of a question from the alert. */
import { z } from 'zod';
import type { SignalQuestion } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';

export type Arguments = Readonly<Record<string, unknown>>;

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Property;
}

interface ArgumentsSchema {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

function toSchema(question: Pick<SignalQuestion, 'parameters'>): ArgumentsSchema {
  const json = z.toJSONSchema(question.parameters, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return { properties: json.properties ?? {}, required: json.required ?? [] };
}

/** Whether a question covers everything, or only what the alert names. */
export type Width = 'wide' | 'narrow';

/**
 * Returns the arguments for a question, or the names of required ones that the alert does not give. Optional arguments
 * are filled only if `width` is narrow, except for one that requests diffs.
 */
export function fillArguments(
  question: Pick<SignalQuestion, 'parameters' | 'topic'>,
  alert: Alert,
  width: Width,
): { readonly arguments: Arguments } | { readonly missing: readonly string[] } {
  const { properties, required } = toSchema(question);
  const given: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    if (!isRequired && width === 'wide' && !/diff|patch/i.test(name)) continue;
    const value = findValue(name, property, alert, question.topic);
    if (value !== null) given[name] = value;
    else if (isRequired) missing.push(name);
  }
  if (missing.length > 0) return { missing };
  return question.parameters.safeParse(given).success ? { arguments: given } : { missing: required };
}

function findValue(name: string, property: Property, alert: Alert, topic: string): unknown {
  const known = findPlainValue(name, alert, topic);
  if (known === null) return null;
  const types = [property.type ?? 'string'].flat();
  if (property.enum !== undefined && !property.enum.includes(known)) return null;
  if (types.includes('boolean')) return typeof known === 'boolean' ? known : null;
  if (types.includes('array')) return typeof known === 'string' ? [known] : null;
  return types.includes('string') && typeof known === 'string' ? known : null;
}

const threshold = /\s*(?:==|!=|>=|<=|>|<)\s*(?:bool\s+)?[-+]?\d[\d.e+-]*\s*$/i;

/**
 * The query of the alerting rule without its comparison: then a range shows the values over time, and not only whether
 * the rule fired.
 */
export function stripComparison({ query }: Pick<Alert, 'query'>): string | null {
  if (query === null) return null;
  const bare = query.replace(threshold, '').trim();
  return bare === '' ? query : bare;
}

/** A selector for all series of the alert's subject, by its most specific label. */
export function createSelector({ labels }: Pick<Alert, 'labels'>): string | null {
  const name = ['service', 'job', 'app', 'deployment', 'pod', 'instance'].find(
    (label) => (labels[label] ?? '') !== '',
  );
  return name === undefined ? null : `{${name}=${JSON.stringify(labels[name])}}`;
}

/** A value by the usual name of the argument. */
function findPlainValue(name: string, alert: Alert, topic: string): string | boolean | null {
  const findLabel = (...names: readonly string[]): string | null =>
    names.map((name) => alert.labels[name]).find((value) => value !== undefined && value !== '') ?? null;
  if (/^(with_?)?(diffs?|patch(es)?)$/i.test(name)) return true;
  if (/^(query|expr|expression|promql)$/i.test(name))
    return topic === 'metrics' ? (stripComparison(alert) ?? alert.metric) : null;
  if (/^(metric|metrics|metric_name|series)$/i.test(name)) return alert.metric;
  if (/^(service|services|app|application|job|component|deployment|workload|project)$/i.test(name))
    return alert.service;
  if (/^(unit|units)$/i.test(name)) return findLabel('unit', 'name') ?? alert.service;
  if (/^namespace$/i.test(name)) return alert.namespace;
  if (/^pod$/i.test(name)) return findLabel('pod', 'pod_name');
  if (/^container$/i.test(name)) return findLabel('container');
  if (/^(node|host|instance)$/i.test(name)) return findLabel('node', 'host', 'instance');
  return null;
}

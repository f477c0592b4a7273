/**
 * The fields of an index that contain time, service, level and message. Shippers name them differently (ECS,
 * OpenTelemetry, Fluent Bit, Logstash), so the mapping decides which names exist, with their types.
 */
import { z } from 'zod';

export const capsReply = z.object({
  indices: z.union([z.array(z.string()), z.string()]).optional(),
  fields: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ searchable: z.boolean().default(true), aggregatable: z.boolean().default(true) }),
    ),
  ),
});
type Caps = z.infer<typeof capsReply>['fields'];

const timeFields = ['@timestamp', 'timestamp', 'time', 'ts', 'datetime', 'date', 'eventTime'];
const serviceFields = [
  'service.name',
  'resource.attributes.service.name',
  'resource.service.name',
  'kubernetes.deployment.name',
  'kubernetes.labels.app_kubernetes_io/name',
  'kubernetes.labels.app.kubernetes.io/name',
  'kubernetes.labels.app',
  'kubernetes.container_name',
  'kubernetes.container.name',
  'service_name',
  'serviceName',
  'service',
  'application',
  'app',
  'container.name',
  'container_name',
  'fields.service',
  'program',
  'unit',
];
const levelFields = ['log.level', 'severity_text', 'level', 'severity', 'loglevel', 'log_level', 'levelname'];
const messageFields = ['message', 'msg', 'log', 'body.text', 'body', 'event.original', 'MESSAGE', 'text'];

/** Adds the field that keeps the whole value of a text, since the text itself is split into words. */
const withKeyword = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `${name}.keyword`]);

export const soughtFields: readonly string[] = [
  ...timeFields,
  ...withKeyword(serviceFields),
  ...withKeyword(levelFields),
  ...messageFields,
];

/** A field of a document, and the field by which it is searched. */
export interface Field {
  /** Its name in the document. */
  readonly name: string;
  /** The field by which whole values are found and counted. */
  readonly whole: string;
}

export interface Fields {
  readonly time: string;
  /** The likeliest first. An index may hold documents of several shippers, so all are kept. */
  readonly services: readonly Field[];
  readonly levels: readonly Field[];
  /** Searched by words. */
  readonly messages: readonly string[];
}

/** Finds the fields with a role by their usual names. Null if there is no field with a time. */
export function fieldsOf(caps: Caps): Fields | null {
  const hasField = (name: string, type: RegExp): boolean =>
    Object.keys(caps[name] ?? {}).some((one) => type.test(one)) &&
    Object.values(caps[name] ?? {}).some(({ searchable }) => searchable);
  const time = timeFields.find((name) => hasField(name, /^date/));
  if (time === undefined) return null;
  const wholeValueFields = (names: readonly string[]): readonly Field[] =>
    names.flatMap((name) => {
      const keywordField = [name, `${name}.keyword`].find((one) =>
        hasField(one, /keyword|wildcard|long|short|byte|integer/),
      );
      return keywordField === undefined ? [] : [{ name, whole: keywordField }];
    });
  return {
    time,
    services: wholeValueFields(serviceFields),
    levels: wholeValueFields(levelFields),
    messages: messageFields.filter((name) => hasField(name, /text|wildcard|keyword/)),
  };
}

/** Reads a field of a document, whether its name is nested (`a: { b }`) or joined by dots (`a.b`). */
export function valueAt(source: unknown, name: string): unknown {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return undefined;
  const object = source as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(object, name)) return object[name];
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    if (!Object.hasOwn(object, outer)) continue;
    const found = valueAt(object[outer], name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

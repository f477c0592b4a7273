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

const times = ['@timestamp', 'timestamp', 'time', 'ts', 'datetime', 'date', 'eventTime'];
const services = [
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
const levels = ['log.level', 'severity_text', 'level', 'severity', 'loglevel', 'log_level', 'levelname'];
const messages = ['message', 'msg', 'log', 'body.text', 'body', 'event.original', 'MESSAGE', 'text'];

/** Texts are analyzed; a separate field keeps the whole value. */
const withKeyword = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `${name}.keyword`]);

export const soughtFields: readonly string[] = [
  ...times,
  ...withKeyword(services),
  ...withKeyword(levels),
  ...messages,
];

/** A field of a document, and by what name and how it is searched. */
export interface Field {
  /** In the document. */
  readonly name: string;
  /** The field by which whole values are found and counted. */
  readonly whole: string;
}

export interface Fields {
  readonly time: string;
  /** The likeliest first; documents of several shippers lie side by side. */
  readonly services: readonly Field[];
  readonly levels: readonly Field[];
  /** Searched by words. */
  readonly messages: readonly string[];
}

/** Null if no document has a time. */
export function fieldsOf(caps: Caps): Fields | null {
  const has = (name: string, type: RegExp): boolean =>
    Object.keys(caps[name] ?? {}).some((one) => type.test(one)) &&
    Object.values(caps[name] ?? {}).some(({ searchable }) => searchable);
  const time = times.find((name) => has(name, /^date/));
  if (time === undefined) return null;
  const whole = (names: readonly string[]): readonly Field[] =>
    names.flatMap((name) => {
      const known = [name, `${name}.keyword`].find((one) =>
        has(one, /keyword|wildcard|long|short|byte|integer/),
      );
      return known === undefined ? [] : [{ name, whole: known }];
    });
  return {
    time,
    services: whole(services),
    levels: whole(levels),
    messages: messages.filter((name) => has(name, /text|wildcard|keyword/)),
  };
}

/** A value of a document, whether its names are nested or joined by points. */
export function valueAt(source: unknown, name: string): unknown {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return undefined;
  const held = source as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(held, name)) return held[name];
  for (let at = name.indexOf('.'); at > 0; at = name.indexOf('.', at + 1)) {
    const outer = name.slice(0, at);
    if (!Object.hasOwn(held, outer)) continue;
    const found = valueAt(held[outer], name.slice(at + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

import { z } from 'zod';
import { SondeError } from '../../core/index.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A zod schema, converted to the JSON schema that the answer of a model must fit. */
export interface OutputSchema {
  readonly json: Json;
  /** The model answers `{"value": ...}`, since providers demand an object at the root. */
  readonly wrapped: boolean;
}

/**
 * A JSON Schema in the form that the strict modes of providers require: an object at the root, `anyOf` for
 * alternatives, all properties required (an optional one may be null instead), no further properties. Throws
 * `bad_argument` for a schema that JSON can't express.
 */
export function toOutputSchema(name: string, schema: z.ZodType): OutputSchema {
  let raw: Json;
  try {
    // `input`: the model writes what zod reads, before defaults and transformations.
    raw = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Json;
  } catch (thrown) {
    throw new SondeError('bad_argument', {
      message: `The output of signature ${name} can't be written as a JSON schema: ${String((thrown as Error).message)}`,
      remedy: 'Use only types that JSON has; put conversions after the call.',
      cause: thrown,
    });
  }
  const { $schema: _, ...json } = tighten(raw) as Record<string, unknown>;
  if (json['type'] === 'object') return { json, wrapped: false };
  const { definitions, ...value } = json;
  return {
    json: {
      type: 'object',
      properties: { value },
      required: ['value'],
      additionalProperties: false,
      ...(definitions !== undefined && { definitions }),
    },
    wrapped: true,
  };
}

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const schemaKeywords = new Set(['items', 'not', 'contains']);
const listKeywords = new Set(['anyOf', 'allOf', 'prefixItems']);
const mapKeywords = new Set(['definitions', '$defs']);

function tighten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tighten);
  if (typeof schema !== 'object' || schema === null) return schema;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'oneOf' || listKeywords.has(key)) result[key === 'oneOf' ? 'anyOf' : key] = tighten(value);
    else if (schemaKeywords.has(key)) result[key] = tighten(value);
    else if (mapKeywords.has(key)) result[key] = mapSchema(value, tighten);
    else if (!isSafeBound(key, value)) result[key] = value;
  }
  if (result['type'] !== 'object' || result['properties'] === undefined) return result;
  const required = new Set((result['required'] as string[] | undefined) ?? []);
  const properties = mapSchema(result['properties'], tighten);
  for (const [name, property] of Object.entries(properties))
    if (!required.has(name)) properties[name] = toNullable(property as Json);
  return { ...result, properties, required: Object.keys(properties), additionalProperties: false };
}

function mapSchema(value: unknown, change: (inner: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, change(inner)]));
}

function toNullable({ default: _, description, ...schema }: Json): Json {
  const descriptionField = description === undefined ? {} : { description };
  return { anyOf: [schema, { type: 'null' }], ...descriptionField };
}

/** zod writes the bounds of a safe integer, which say nothing to a model. */
function isSafeBound(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** Whether OpenAI's strict mode takes a schema. It refuses maps, free objects and `any`. */
export function isStrict(schema: Json): boolean {
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) return false;
  const isTyped = ['type', 'anyOf', 'allOf', 'enum', 'const', '$ref'].some((key) => key in schema);
  return isTyped && listChildren(schema).every(isStrict);
}

function listChildren(schema: Json): readonly Json[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (schemaKeywords.has(key)) return [value as Json];
    if (listKeywords.has(key)) return value as Json[];
    return mapKeywords.has(key) || key === 'properties' ? Object.values(value as Record<string, Json>) : [];
  });
}

/**
 * Returns the value without the properties that are null: a strict schema forces a model to write null for an absent
 * optional property.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}

/** The fields of an object schema for a prompt: `- k (integer): how many`. */
export function describeFields(json: Json): string {
  const properties = (json['properties'] ?? {}) as Readonly<Record<string, Json>>;
  return Object.entries(properties)
    .map(
      ([name, field]) =>
        `- \`${name}\` (${typeName(field)})${field['description'] ? `: ${field['description']}` : ''}`,
    )
    .join('\n');
}

function typeName(field: Json): string {
  if (Array.isArray(field['enum'])) return field['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if (field['const'] !== undefined) return JSON.stringify(field['const']);
  if (Array.isArray(field['anyOf'])) return field['anyOf'].map((part) => typeName(part as Json)).join(' or ');
  if (field['type'] === 'array') return `list of ${typeName((field['items'] ?? {}) as Json)}`;
  if (field['type'] === 'object' && field['properties']) {
    const inner = Object.entries(field['properties'] as Readonly<Record<string, Json>>);
    return `object {${inner.map(([name, part]) => `${name}: ${typeName(part)}${part['description'] ? `, ${part['description']}` : ''}`).join('; ')}}`;
  }
  return typeof field['type'] === 'string' ? field['type'] : 'any JSON';
}

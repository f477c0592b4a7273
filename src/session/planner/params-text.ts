/**
 * The parameters of delegated work in one line: a JSON Schema would be long to read. A parameter without a type is a
 * text; parameters for programs only, or with a single value, are left out.
 */

type Schema = Readonly<Record<string, unknown>>;

/** `said` holds descriptions already printed, which are not repeated. */
export function paramsText(schema: unknown, said: Set<string> = new Set()): string {
  return typeText((schema ?? {}) as Schema, said);
}

function typeText(schema: Schema, said: Set<string>): string {
  const { type, enum: values, const: constant, items, anyOf, oneOf, properties } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (constant !== undefined) return JSON.stringify(constant);
  const either = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (either !== undefined) return [...new Set(either.map((one) => typeText(one, said)))].join(' | ');
  if (type === 'array') return `[${typeText((items ?? {}) as Schema, said)}]`;
  if (properties !== undefined) return fieldsText(schema, said);
  if (type === 'integer' || type === 'number') return `${type}${rangeText(schema)}`;
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any JSON';
}

function fieldsText({ properties, required = [] }: Schema, said: Set<string>): string {
  const needed = new Set(required as readonly string[]);
  const shown = Object.entries(properties as Readonly<Record<string, Schema>>).filter(isChoice);
  const fields = shown.map(([name, schema]) => {
    const { description, default: defaultValue, type, enum: values } = schema;
    const saying = description === undefined ? '' : String(description);
    const about = saying === '' || said.has(saying) ? '' : ` (${saying})`;
    said.add(saying);
    const unless =
      defaultValue === undefined || defaultValue === '' ? '' : ` = ${JSON.stringify(defaultValue)}`;
    const isText = type === 'string' && values === undefined && schema['const'] === undefined;
    const form = isText ? '' : `: ${typeText(schema, said)}`;
    return `${name}${needed.has(name) ? '' : '?'}${form}${unless}${about}`;
  });
  return `{${fields.join('; ')}}`;
}

const isChoice = ([, { forPrograms, enum: values, default: defaultValue }]: readonly [
  string,
  Schema,
]): boolean =>
  forPrograms !== true && !(Array.isArray(values) && values.length === 1 && values[0] === defaultValue);

/** Only limits that a caller can't guess. */
function rangeText({ minimum, maximum }: Schema): string {
  const hasMax = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (!hasMax) return typeof minimum === 'number' && minimum > 1 ? ` from ${minimum}` : '';
  return typeof minimum === 'number' ? ` ${minimum} to ${maximum}` : ` up to ${maximum}`;
}

/**
 * Formats the parameters of delegated work in one line, since a JSON Schema would be long. A parameter without a type
 * is a text. Parameters for programs only, or with a single value, are left out.
 */

type Schema = Readonly<Record<string, unknown>>;

/** `printed`: descriptions that are printed already, which are not repeated. */
export function formatParams(schema: unknown, printed: Set<string> = new Set()): string {
  return formatType((schema ?? {}) as Schema, printed);
}

function formatType(schema: Schema, printed: Set<string>): string {
  const { type, enum: values, const: constant, items, anyOf, oneOf, properties } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (constant !== undefined) return JSON.stringify(constant);
  const alternatives = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (alternatives !== undefined)
    return [...new Set(alternatives.map((option) => formatType(option, printed)))].join(' | ');
  if (type === 'array') return `[${formatType((items ?? {}) as Schema, printed)}]`;
  if (properties !== undefined) return formatFields(schema, printed);
  if (type === 'integer' || type === 'number') return `${type}${formatRange(schema)}`;
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any JSON';
}

function formatFields({ properties, required = [] }: Schema, printed: Set<string>): string {
  const requiredNames = new Set(required as readonly string[]);
  const shownProperties = Object.entries(properties as Readonly<Record<string, Schema>>).filter(isChoice);
  const fields = shownProperties.map(([name, schema]) => {
    const { description, default: defaultValue, type, enum: values } = schema;
    const text = description === undefined ? '' : String(description);
    const comment = text === '' || printed.has(text) ? '' : ` (${text})`;
    printed.add(text);
    const defaultText =
      defaultValue === undefined || defaultValue === '' ? '' : ` = ${JSON.stringify(defaultValue)}`;
    const isText = type === 'string' && values === undefined && schema['const'] === undefined;
    const typeText = isText ? '' : `: ${formatType(schema, printed)}`;
    return `${name}${requiredNames.has(name) ? '' : '?'}${typeText}${defaultText}${comment}`;
  });
  return `{${fields.join('; ')}}`;
}

const isChoice = ([, { forPrograms, enum: values, default: defaultValue }]: readonly [
  string,
  Schema,
]): boolean =>
  forPrograms !== true && !(Array.isArray(values) && values.length === 1 && values[0] === defaultValue);

/** Only limits that a caller can't guess. */
function formatRange({ minimum, maximum }: Schema): string {
  const hasMax = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (!hasMax) return typeof minimum === 'number' && minimum > 1 ? ` from ${minimum}` : '';
  return typeof minimum === 'number' ? ` ${minimum} to ${maximum}` : ` up to ${maximum}`;
}

/** The parameters of work that can be handed on, in a line: their JSON Schema is no field of a tool, and long to read. */

type Schema = Readonly<Record<string, unknown>>;

/** `said` holds what was said of parameters before in the same text: of one of the same name it is not said again. */
export function paramsText(schema: unknown, said: Set<string> = new Set()): string {
  return typeText((schema ?? {}) as Schema, said);
}

function typeText(schema: Schema, said: Set<string>): string {
  const { type, enum: values, const: only, items, anyOf, oneOf, properties } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  const either = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (either !== undefined) return [...new Set(either.map((one) => typeText(one, said)))].join(' | ');
  if (type === 'array') return `[${typeText((items ?? {}) as Schema, said)}]`;
  if (properties !== undefined) return fieldsText(schema, said);
  if (type === 'integer' || type === 'number') return `${type}${rangeText(schema)}`;
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any JSON';
}

function fieldsText({ properties, required = [] }: Schema, said: Set<string>): string {
  const needed = new Set(required as readonly string[]);
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, schema]) => {
    const { description, default: usual } = schema;
    const saying = `${name}: ${String(description)}`;
    const about = description === undefined || said.has(saying) ? '' : ` (${String(description)})`;
    said.add(saying);
    const unless = usual === undefined || usual === '' ? '' : ` = ${JSON.stringify(usual)}`;
    return `${name}${needed.has(name) ? '' : '?'}: ${typeText(schema, said)}${unless}${about}`;
  });
  return `{${fields.join('; ')}}`;
}

/** Only what a caller can't guess. */
function rangeText({ minimum, maximum }: Schema): string {
  const bounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (!bounded) return typeof minimum === 'number' && minimum > 1 ? ` from ${minimum}` : '';
  return typeof minimum === 'number' ? ` ${minimum} to ${maximum}` : ` up to ${maximum}`;
}

/**
 * The forms in which models that are not held to a schema write a choice, brought to the one that is asked for:
 * `{reasoning, action: {name, ...fields}}`. What fits no form is left as it is, for the schema to refuse.
 */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameKeys = ['name', 'action', 'type', 'tool'];
const inputKeys = ['input', 'inputs', 'arguments', 'args', 'parameters', 'params'];
const reasonKeys = ['reasoning', 'reason', 'thought', 'thoughts'];

/** The first of the keys that holds a text, and the rest. */
function taken(
  fields: Fields,
  keys: readonly string[],
): { readonly text: string | null; readonly rest: Fields } {
  const key = keys.find((one) => typeof fields[one] === 'string');
  if (key === undefined) return { text: null, rest: fields };
  const { [key]: text, ...rest } = fields;
  return { text: text as string, rest };
}

/** The fields of an action, also where they stand one level deeper: under `input`, or under the action's name. */
function flattened(name: string, fields: Fields): Fields {
  for (const key of [name, ...inputKeys]) {
    const inner = fields[key];
    if (!isFields(inner)) continue;
    const { [key]: _, ...rest } = fields;
    return { ...rest, ...inner };
  }
  return fields;
}

export function asChoice(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { text: reasoning, rest } = taken(value, reasonKeys);
  const inner = rest['action'];
  const { text: name, rest: fields } = taken(isFields(inner) ? inner : rest, nameKeys);
  if (name === null) return value;
  return { reasoning: reasoning ?? '', action: { ...flattened(name, fields), name } };
}

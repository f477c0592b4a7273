/** Formats the result of delegated work: the answer first, then the other fields. */

/** Fields in which shapes put their answer, the likeliest first. */
const answerFields = ['answer', 'summary', 'root_cause'] as const;
/** Fields for programs and the host, which are not shown to the planner. */
const hiddenFields: ReadonlySet<string> = new Set(['read_trail', 'rewind', 'trace', 'spent', 'dropped']);

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for an output without an answer, which is shown as data. */
export function formatWork(output: unknown): string | undefined {
  const fields = asFields(output);
  const inner = asFields(fields?.['form']) ?? fields;
  const answerField = answerFields.find((name) => inner?.[name] !== undefined && inner[name] !== null);
  if (fields === null || inner === null || inner === undefined || answerField === undefined) return undefined;
  const answer = inner[answerField];
  const { form: _, ...otherFields } = fields;
  const shownFields = Object.entries({ ...inner, ...otherFields }).filter(
    ([name, value]) => name !== answerField && !hiddenFields.has(name) && !isEmpty(value),
  );
  const lines = shownFields.map(([name, value]) => `${name}: ${toLine(value)}`);
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 1);
  return [text, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}

function toLine(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const items = value.map(
    (item) => formatPlace(item) ?? (typeof item === 'string' ? item : JSON.stringify(item)),
  );
  return items.every((item) => item.length < 60 && !item.includes('\n'))
    ? items.join(', ')
    : items.map((item) => `\n- ${item}`).join('');
}

/** Formats a citation; null for any other value. */
function formatPlace(item: unknown): string | null {
  const { id, path, start_line, end_line } = asFields(item) ?? {};
  if (typeof path !== 'string' || typeof start_line !== 'number') return null;
  return `${String(id)} ${path}:${start_line}${end_line === start_line ? '' : `-${String(end_line)}`}`;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

import type { WorldOperation } from '../world-write.ts';

/** The type of a field of an operation; `?` marks optional fields. */
type FieldKind =
  | 'id'
  | 'text'
  | 'name'
  | 'record?'
  | 'record'
  | 'names?'
  | 'id or null?'
  | 'id or null'
  | 'count'
  | 'count?'
  | 'decision'
  | 'name?'
  | 'yes?';

type Fields<Operation> = {
  readonly [Field in Exclude<keyof Operation, 'op'>]-?: FieldKind;
};

/** The fields of each operation. The compiler requires an entry for each operation. */
const fieldsByOperation: {
  readonly [Op in WorldOperation['op']]: Fields<Extract<WorldOperation, { op: Op }>>;
} = {
  create_page: { path: 'name', text: 'text', properties: 'record?', tags: 'names?' },
  update_block: { block: 'id', text: 'text' },
  add_block: { page: 'id', after: 'id or null?', text: 'text' },
  delete_block: { block: 'id' },
  update_page: { page: 'id', text: 'text' },
  move_page: { page: 'id', to: 'name', alone: 'yes?' },
  rename_page: { page: 'id', name: 'name' },
  delete_page: { page: 'id', revision: 'count?' },
  set_properties: { page: 'id', set: 'record' },
  add_tag: { content: 'id', tag: 'name' },
  remove_tag: { content: 'id', tag: 'name' },
  add_derivation_link: { derived: 'id', source: 'id', link_type: 'name' },
  add_attachment: { page: 'id or null', path: 'name', bytes: 'count', hash: 'name' },
  remove_attachment: { path: 'name' },
  promote: { content: 'id', revision: 'count?' },
  reject: { content: 'id', revision: 'count?' },
  resolve_deviation: { deviation: 'id', decision: 'decision', note: 'name?', revision: 'count?' },
  clear_flag: { flag: 'id' },
  undo: { write: 'id' },
  restore_page: { page: 'id' },
};

/** The names of all operations. Events have the same names. */
export const worldOperations: readonly string[] = Object.keys(fieldsByOperation);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matchesKind(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'id':
    case 'text':
    case 'name':
      return typeof value === 'string';
    case 'yes?':
      return value === undefined || typeof value === 'boolean';
    case 'name?':
      return value === undefined || typeof value === 'string';
    case 'record':
      return isRecord(value);
    case 'record?':
      return value === undefined || isRecord(value);
    case 'names?':
      return value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
    case 'id or null':
      return value === null || typeof value === 'string';
    case 'id or null?':
      return value === undefined || value === null || typeof value === 'string';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'count?':
      return value === undefined || matchesKind('count', value);
    case 'decision':
      return (
        value === 'accept' ||
        value === 'keep' ||
        (isRecord(value) && typeof value['text'] === 'string' && Object.keys(value).length === 1)
      );
  }
}

/** Why an untyped value is not an operation; null if it is one. */
export function findOperationProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'the operation is not an object';
  const { op } = value;
  if (typeof op !== 'string' || !Object.hasOwn(fieldsByOperation, op))
    return `there is no operation ${String(op)}`;
  const knownFields: Readonly<Record<string, FieldKind>> = fieldsByOperation[op as WorldOperation['op']];
  for (const [field, kind] of Object.entries(knownFields)) {
    if (!matchesKind(kind, value[field])) return `${op}.${field} must be of type ${kind}`;
  }
  const unknownField = Object.keys(value).find(
    (field) => field !== 'op' && !Object.hasOwn(knownFields, field),
  );
  return unknownField === undefined ? null : `${op} has no field ${unknownField}`;
}

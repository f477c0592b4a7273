/**
 * The facts that the syntax of one file gives. They depend only on its text, not on its path or on other files. Lines
 * are counted from 1, columns from 0.
 */
import type { LanguageName } from '../syntax/languages.ts';

export interface Definition {
  readonly name: string;
  readonly kind: string;
  /** The line and column of the name. */
  readonly line: number;
  readonly column: number;
  /** The first line of the definition, including decorators. */
  readonly start: number;
  readonly end: number;
  /** The last line of its header; the body follows. */
  readonly header: number;
  readonly signature: string;
  /** Index of the enclosing definition; -1: none. */
  readonly parent: number;
  /** The type that a method belongs to, if that is not its parent: a receiver, an `impl`, `A::`. */
  readonly owner?: string;
  readonly bases?: readonly string[];
  /** The declared type of a value, or the declared result of a function. */
  readonly type?: string;
  readonly flags: readonly Flag[];
  /** The comment directly above it, or the docstring at the beginning of its body. */
  readonly doc?: readonly [start: number, end: number];
}

export type Flag =
  /** Other files can name it. */
  | 'exported'
  /** Only its own class, or its own file, can name it. */
  | 'private'
  /** A declaration whose definition is elsewhere. */
  | 'declaration'
  /** It has a decorator, which may store it or call it. */
  | 'decorated'
  /** It is inside a function, and only that function can name it. */
  | 'local'
  /** A member of an object literal. */
  | 'object'
  /** A static member, called without an instance. */
  | 'static'
  /** It implements a member of a trait or an interface. */
  | 'implements'
  /** It merges with declarations of the same name in other files. */
  | 'merged';

/** How a name is used at a place. */
export const roles = [
  'read',
  'call',
  'type',
  'base',
  'import',
  'export',
  'key',
  'string',
  'macro',
  'decorator',
  // A single name passed to a macro, which may do anything with it.
  'word',
] as const;
export type Role = (typeof roles)[number];

/** The receiver recorded for the declaration of a local variable: that name refers to nothing else. */
export const ownName = '=';

/** What a name refers to, as far as its own file shows. */
export type Binding =
  | { readonly kind: 'definition'; readonly index: number }
  | { readonly kind: 'import'; readonly index: number }
  /** A parameter or a local value, with its type if one is written. */
  | { readonly kind: 'local'; readonly type?: string };

export interface Use {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly role: Role;
  /** `a.b` in `a.b.name`; `?` if it is not a chain of names. */
  readonly receiver: string | null;
  /**
   * The binding of the name or, if there is a receiver, of the receiver's first name. Null: nothing in the file binds
   * it.
   */
  readonly binding: Binding | null;
  /** Index of the innermost enclosing definition; -1: none. */
  readonly within: number;
}

export interface Import {
  /** Its name in this file; `*`: all names of the module. */
  readonly local: string;
  readonly module: string;
  /** Its name in the module; `*`: the module itself. */
  readonly name: string;
  readonly line: number;
}

export interface Export {
  /** `*`: everything. */
  readonly name: string;
  /** Its name in this file, or in the module that it is re-exported from. */
  readonly local: string;
  readonly module?: string;
  readonly line: number;
}

/** The declared type of a class's field. */
export interface Field {
  readonly owner: number;
  readonly name: string;
  readonly type: string;
  /** True if the type is written as an annotation; absent if it is inferred from an assigned value. */
  readonly written?: true;
}

export interface FileFacts {
  readonly language: LanguageName;
  /** Lines that the grammar could not parse. */
  readonly errors: readonly number[];
  /** In Go: the name of the package. */
  readonly package: string;
  readonly definitions: readonly Definition[];
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly fields: readonly Field[];
  /** Every use of a name, packed. `listUses` reads them. */
  readonly uses: PackedUses;
}

export interface PackedUses {
  /** Eight numbers each: name, line, column, role, receiver, kind of binding, its index, within. */
  readonly numbers: Int32Array;
  readonly texts: readonly string[];
}

const numbersPerUse = 8;
const bindingKinds = ['none', 'definition', 'import', 'local'] as const;
const roleNumbers = Object.fromEntries(roles.map((role, at) => [role, at])) as Readonly<Record<Role, number>>;

export function packUses(uses: readonly Use[]): PackedUses {
  const texts: string[] = [];
  const ids = new Map<string, number>();
  const idOf = (text: string): number => {
    let id = ids.get(text);
    if (id === undefined) {
      id = texts.push(text) - 1;
      ids.set(text, id);
    }
    return id;
  };
  const numbers = new Int32Array(uses.length * numbersPerUse);
  let offset = 0;
  // Stored as plain numbers: an object for each use would take more memory than all other facts together.
  for (const { name, line, column, role, receiver, binding, within } of uses) {
    const kind = binding?.kind ?? 'none';
    numbers[offset] = idOf(name);
    numbers[offset + 1] = line;
    numbers[offset + 2] = column;
    numbers[offset + 3] = roleNumbers[role];
    numbers[offset + 4] = receiver === null ? -1 : idOf(receiver);
    numbers[offset + 5] = bindingKinds.indexOf(kind);
    numbers[offset + 6] =
      binding?.kind === 'local'
        ? binding.type === undefined
          ? -1
          : idOf(binding.type)
        : (binding?.index ?? -1);
    numbers[offset + 7] = within;
    offset += numbersPerUse;
  }
  return { numbers, texts };
}

/** The uses of one name, or all uses within a definition, in the order of the file. */
export function listUses(
  { uses: { numbers, texts } }: FileFacts,
  filter: { name?: string; start?: number; end?: number },
): Use[] {
  const nameId = filter.name === undefined ? -1 : texts.indexOf(filter.name);
  if (filter.name !== undefined && nameId < 0) return [];
  const found: Use[] = [];
  for (let offset = 0; offset < numbers.length; offset += numbersPerUse) {
    if (nameId >= 0 && numbers[offset] !== nameId) continue;
    const line = numbers[offset + 1]!;
    if (line < (filter.start ?? 0) || line > (filter.end ?? Infinity)) continue;
    const index = numbers[offset + 6]!;
    const kind = bindingKinds[numbers[offset + 5]!]!;
    const binding: Binding | null =
      kind === 'none'
        ? null
        : kind === 'local'
          ? { kind, ...(index >= 0 && { type: texts[index]! }) }
          : { kind, index };
    found.push({
      name: texts[numbers[offset]!]!,
      line,
      column: numbers[offset + 2]!,
      role: roles[numbers[offset + 3]!]!,
      receiver: numbers[offset + 4]! < 0 ? null : texts[numbers[offset + 4]!]!,
      binding,
      within: numbers[offset + 7]!,
    });
  }
  return found;
}

/** The innermost definition that contains a line; -1: none. */
export function findEnclosingDefinition(
  { definitions }: Pick<FileFacts, 'definitions'>,
  line: number,
): number {
  let innermost = -1;
  for (const [index, { start, end }] of definitions.entries())
    if (start <= line && line <= end && (innermost < 0 || start >= definitions[innermost]!.start))
      innermost = index;
  return innermost;
}

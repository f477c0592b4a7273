/**
 * The facts that the syntax of one file gives without any other file, so that they depend only on its text and not on
 * its path. Lines are counted from 1, columns from 0.
 */
import type { LanguageName } from '../syntax/languages.ts';

export interface Definition {
  readonly name: string;
  readonly kind: string;
  /** The line of the name. */
  readonly line: number;
  readonly column: number;
  /** The first line of the whole, decorators included. */
  readonly start: number;
  readonly end: number;
  /** Last line of its head: what comes behind is its body. */
  readonly header: number;
  readonly signature: string;
  /** Index of the definition around it; -1: none. */
  readonly parent: number;
  /** The type that it belongs to where that is not its parent: a receiver, an `impl`, `A::`. */
  readonly owner?: string;
  readonly bases?: readonly string[];
  /** The declared type of a value, or of what a function gives. */
  readonly type?: string;
  readonly flags: readonly Flag[];
  /** Comment lines right above it, or the text that its body begins with. */
  readonly doc?: readonly [start: number, end: number];
}

export type Flag =
  /** Can be named by other files. */
  | 'exported'
  /** Only its own class, or its own file, can name it. */
  | 'private'
  /** Announced here, written elsewhere. */
  | 'declaration'
  /** Something is applied to it that may keep or call it. */
  | 'decorated'
  /** Within a function: only that can name it. */
  | 'local'
  /** Of an object that is a value. */
  | 'object'
  /** Called without an object. */
  | 'static'
  /** Written for a trait or an interface. */
  | 'implements'
  /** One with what other files declare under its name. */
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
  // Alone among the arguments of a macro that may do anything with it.
  'word',
] as const;
export type Role = (typeof roles)[number];

/** The receiver of a name that is given here to a local value, and means nothing else. */
export const ownName = '=';

/** The meaning of a name at its place, as far as its own file tells. */
export type Binding =
  | { readonly kind: 'definition'; readonly index: number }
  | { readonly kind: 'import'; readonly index: number }
  /** A parameter or a local value, with its type where one is written. */
  | { readonly kind: 'local'; readonly type?: string };

export interface Use {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly role: Role;
  /** In `a.b.name`: `a.b`. `?` where it is no chain of names. */
  readonly receiver: string | null;
  /** The binding of the name; with a receiver, of the receiver's first name. Null: nothing in the file binds it. */
  readonly binding: Binding | null;
  /** Index of the innermost definition around it; -1: none. */
  readonly within: number;
}

export interface Import {
  /** As the file calls it; `*`: all that the module has. */
  readonly local: string;
  readonly module: string;
  /** As the module calls it; `*`: the module itself. */
  readonly name: string;
  readonly line: number;
}

export interface Export {
  /** `*`: everything. */
  readonly name: string;
  /** The name in this file, or in the module that it comes from. */
  readonly local: string;
  readonly module?: string;
  readonly line: number;
}

/** The type that a class writes for a field. */
export interface Field {
  readonly owner: number;
  readonly name: string;
  readonly type: string;
  /** As a type, and not told from a value that it is given. */
  readonly written?: true;
}

export interface FileFacts {
  readonly language: LanguageName;
  /** Lines of places that the grammar could not read. */
  readonly errors: readonly number[];
  /** In Go: the name of the package. */
  readonly package: string;
  readonly definitions: readonly Definition[];
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly fields: readonly Field[];
  /** Every use of a name, packed: see `usesOf`. */
  readonly uses: PackedUses;
}

export interface PackedUses {
  /** Eight numbers each: name, line, column, role, receiver, kind of binding, its index, within. */
  readonly numbers: Int32Array;
  readonly texts: readonly string[];
}

const size = 8;
const kinds = ['none', 'definition', 'import', 'local'] as const;
const numberOfRole = Object.fromEntries(roles.map((role, at) => [role, at])) as Readonly<
  Record<Role, number>
>;

export function packUses(uses: readonly Use[]): PackedUses {
  const texts: string[] = [];
  const known = new Map<string, number>();
  const idOf = (text: string): number => {
    let id = known.get(text);
    if (id === undefined) {
      id = texts.push(text) - 1;
      known.set(text, id);
    }
    return id;
  };
  const numbers = new Int32Array(uses.length * size);
  let at = 0;
  // Number by number: an array for each use costs more than all else here.
  for (const { name, line, column, role, receiver, binding, within } of uses) {
    const kind = binding?.kind ?? 'none';
    numbers[at] = idOf(name);
    numbers[at + 1] = line;
    numbers[at + 2] = column;
    numbers[at + 3] = numberOfRole[role];
    numbers[at + 4] = receiver === null ? -1 : idOf(receiver);
    numbers[at + 5] = kinds.indexOf(kind);
    numbers[at + 6] =
      binding?.kind === 'local'
        ? binding.type === undefined
          ? -1
          : idOf(binding.type)
        : (binding?.index ?? -1);
    numbers[at + 7] = within;
    at += size;
  }
  return { numbers, texts };
}

/** In the order of the file: the uses of one name, or all within a definition. */
export function usesOf(
  { uses: { numbers, texts } }: FileFacts,
  which: { name?: string; start?: number; end?: number },
): Use[] {
  const wanted = which.name === undefined ? -1 : texts.indexOf(which.name);
  if (which.name !== undefined && wanted < 0) return [];
  const found: Use[] = [];
  for (let at = 0; at < numbers.length; at += size) {
    if (wanted >= 0 && numbers[at] !== wanted) continue;
    const line = numbers[at + 1]!;
    if (line < (which.start ?? 0) || line > (which.end ?? Infinity)) continue;
    const index = numbers[at + 6]!;
    const kind = kinds[numbers[at + 5]!]!;
    const binding: Binding | null =
      kind === 'none'
        ? null
        : kind === 'local'
          ? { kind, ...(index >= 0 && { type: texts[index]! }) }
          : { kind, index };
    found.push({
      name: texts[numbers[at]!]!,
      line,
      column: numbers[at + 2]!,
      role: roles[numbers[at + 3]!]!,
      receiver: numbers[at + 4]! < 0 ? null : texts[numbers[at + 4]!]!,
      binding,
      within: numbers[at + 7]!,
    });
  }
  return found;
}

/** The innermost definition whose lines hold this one; -1: none. */
export function enclosingDefinition({ definitions }: Pick<FileFacts, 'definitions'>, line: number): number {
  let best = -1;
  for (const [index, { start, end }] of definitions.entries())
    if (start <= line && line <= end && (best < 0 || start >= definitions[best]!.start)) best = index;
  return best;
}

/** Resolves the expression before a dot: to the class of a value, as far as types are written, or to a module. */
import type { Binding, FileFacts } from '../facts/facts.ts';
import {
  type DefinitionRef,
  external,
  familyOf,
  type Meaning,
  type NameResolver,
  unknown,
} from './name-resolver.ts';

export type Receiver =
  | ({ readonly kind: 'class' } & DefinitionRef)
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'external' }
  /** A value returned by external code: it may be a value of this tree that was passed in. */
  | { readonly kind: 'handed' }
  | { readonly kind: 'unknown' };

const handed = { kind: 'handed' } as const;

const classKinds = /^(?:class|interface|struct|enum|type|object)$/;
const maxDepth = 10;

/** Built-in types: their methods are never those of the searched definition. */
const builtin = new Set(
  (
    'Map Set WeakMap WeakSet Array ReadonlyArray ReadonlyMap ReadonlySet String Number Boolean Buffer Date RegExp Error URL Symbol Int32Array Uint8Array Function Object ' +
    'string number boolean bigint symbol any object void {} ' +
    'dict list set tuple str int float bool bytes bytearray frozenset type defaultdict OrderedDict deque Counter Dict List Set Tuple ' +
    'error byte rune int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 [] map chan ' +
    'Vec HashMap HashSet BTreeMap BTreeSet VecDeque u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 char'
  ).split(' '),
);

/** The class that encloses a definition; -1: none. */
export function findEnclosingClass(facts: FileFacts, within: number): number {
  let at = within;
  while (at >= 0 && !classKinds.test(facts.definitions[at]!.kind)) at = facts.definitions[at]!.parent;
  return at;
}

interface ReceiverSite {
  readonly path: string;
  readonly within: number;
  readonly binding: Binding | null;
}

export function resolveReceiver(names: NameResolver, chain: string, from: ReceiverSite, depth = 0): Receiver {
  const facts = names.facts(from.path);
  if (facts === null || chain === '?' || depth > maxDepth) return unknown;
  const parts = chain.replace(/^new /, '').split('.');
  const isNew = chain.startsWith('new ');
  const [given = '', ...rest] = parts;
  const called = given.endsWith('()');
  const first = called ? given.slice(0, -2) : given;
  let at: Receiver = unknown;
  const family = familyOf(facts.language);
  const own = () => findOwnClass(names, from.path, from.within);
  if (
    /^(?:self|this|cls|Self)$/.test(first) &&
    (family !== 'rust' || from.binding === null || from.binding.kind !== 'definition')
  ) {
    at =
      from.binding?.kind === 'local' && from.binding.type !== undefined
        ? resolveType(names, from.path, from.binding.type, depth)
        : own();
    if (family === 'python' && from.binding === null) at = unknown;
  } else if (first === 'super') {
    if (family === 'rust') return resolveRustReceiver(names, from, parts, depth);
    const cls = own();
    at = cls.kind === 'class' ? findSuper(names, cls) : cls;
  } else if (family === 'rust' && from.binding?.kind !== 'local') {
    return resolveRustReceiver(names, from, parts, depth);
  } else if (from.binding?.kind === 'local') {
    at =
      from.binding.type === undefined || called
        ? unknown
        : resolveType(names, from.path, from.binding.type, depth);
  } else {
    const meaning = resolveFirst(names, from, first, family);
    // `import a.b` makes both a and a.b available.
    if (meaning.kind === 'external' && family === 'python' && rest.length > 0) {
      const module = facts.imports.find(
        ({ local, name }) => name === '*' && local.includes('.') && chain.startsWith(local),
      );
      if (module !== undefined) {
        const found = names.resolveModule(from.path, facts.language, module.module);
        if (found.kind === 'file')
          return followMembers(
            names,
            { kind: 'module', path: found.path },
            chain
              .slice(module.local.length + 1)
              .split('.')
              .filter((part) => part !== ''),
            depth,
          );
      }
    }
    at =
      meaning.kind === 'external' && called && !isPlainClassName(first)
        ? resultOfExternalCall(first)
        : toValue(names, meaning, called || isNew, depth);
  }
  return followMembers(names, at, rest, depth);
}

function resolveFirst(
  names: NameResolver,
  { path, binding }: ReceiverSite,
  first: string,
  family: string,
): Meaning {
  if (binding?.kind === 'definition' || binding?.kind === 'import')
    return names.resolveBinding(path, binding);
  if (family === 'go') {
    const meaning = names.resolveInFolder(folderOf(path), first, names.facts(path)?.package);
    return meaning.kind === 'external' ? names.resolveGoImport(path, first) : meaning;
  }
  const found = names.resolveInFile(path, first);
  return found.kind === 'external' && family !== 'python' && family !== 'script' ? unknown : found;
}

/** The value of a meaning: an instance if it was called or constructed, otherwise the thing itself. */
function toValue(names: NameResolver, meaning: Meaning, called: boolean, depth: number): Receiver {
  if (meaning.kind !== 'definition') return meaning;
  const definition = names.definition(meaning);
  if (definition === undefined) return unknown;
  if (classKinds.test(definition.kind)) return { ...meaning, kind: 'class' };
  if (/^(?:function|method)$/.test(definition.kind))
    return called && definition.type !== undefined
      ? resolveType(names, meaning.path, definition.type, depth + 1, definition.parent)
      : unknown;
  if (definition.kind === 'namespace') return unknown;
  return definition.type === undefined || called
    ? unknown
    : resolveType(names, meaning.path, definition.type, depth + 1, definition.parent);
}

function followMembers(
  names: NameResolver,
  from: Receiver,
  parts: readonly string[],
  depth: number,
): Receiver {
  let at = from;
  for (const part of parts) {
    const called = part.endsWith('()');
    const name = called ? part.slice(0, -2) : part;
    if (at.kind === 'module' || at.kind === 'folder') {
      const facts = at.kind === 'module' ? names.facts(at.path) : null;
      const meaning =
        at.kind === 'folder'
          ? names.resolveInFolder(at.path, name)
          : facts !== null && familyOf(facts.language) === 'script'
            ? names.resolveExport(at.path, name)
            : names.resolveInFile(at.path, name);
      if (meaning.kind !== 'definition' && facts?.language === 'python') {
        const sub = names.resolveImport(at.path, { local: name, module: '.', name, line: 0 });
        if (sub.kind === 'module' && /(?:^|\/)__init__\.pyi?$/.test(at.path)) {
          at = sub;
          continue;
        }
      }
      at = toValue(names, meaning, called, depth + 1);
    } else if (at.kind === 'class') {
      const found = findMember(names, at, name);
      if (called) {
        const definition = found.kind === 'found' ? names.definition(found.place) : undefined;
        at =
          definition?.type === undefined || found.kind !== 'found'
            ? unknown
            : resolveType(
                names,
                found.place.path,
                definition.type,
                depth + 1,
                classIndexOf(names, found.place),
              );
      } else at = resolveField(names, at, name, depth);
    } else if (at.kind === 'external' && called && !isPlainClassName(name)) return resultOfExternalCall(name);
    else if (at.kind !== 'external') return at;
  }
  return at;
}

/** A module loaded by a computed name may be one of this tree. */
const resultOfExternalCall = (name: string): Receiver =>
  /^(?:__import__|import_module|import_from_string|import_string|load_module|load_source|module_from_spec|reload)$/.test(
    name,
  )
    ? unknown
    : handed;

/** An external class makes its own values, unless it is a proxy, which returns the values it was given. */
const isPlainClassName = (name: string): boolean =>
  /^_*\p{Lu}/u.test(name) && !/Proxy|Wrapper|Mock/.test(name);

const classIndexOf = (names: NameResolver, { path, index }: DefinitionRef): number =>
  names.facts(path)?.definitions[index]?.parent ?? -1;

function resolveField(names: NameResolver, cls: DefinitionRef, name: string, depth: number): Receiver {
  const line = findLineage(names, cls);
  for (const definitionRef of line.classes) {
    const facts = names.facts(definitionRef.path);
    const fields =
      facts?.fields.filter((field) => field.owner === definitionRef.index && field.name === name) ?? [];
    // An annotated type counts, whatever is assigned.
    const written = fields.filter((field) => field.written === true);
    const types = new Set((written.length > 0 ? written : fields).map(({ type }) => type));
    // A variable with several values has no known type.
    const real = [...types].filter((type) => type !== 'None' && type !== 'null');
    if (real.length === 1)
      return resolveType(names, definitionRef.path, real[0]!, depth + 1, definitionRef.index);
    if (real.length > 1) return unknown;
  }
  return unknown;
}

/** The meaning of a written type in a file; `within` is the class that contains it. */
export function resolveType(
  names: NameResolver,
  path: string,
  given: string,
  depth = 0,
  within = -1,
): Receiver {
  if (depth > maxDepth) return unknown;
  if (given.startsWith('@'))
    return Number(given.slice(1)) >= 0 ? { kind: 'class', path, index: Number(given.slice(1)) } : unknown;
  if (given.startsWith('{') && given !== '{}') {
    const end = given.lastIndexOf('}');
    const rest = given.slice(end + 1).replace(/^\./, '');
    return followMembers(
      names,
      resolveType(names, path, given.slice(1, end), depth + 1, within),
      rest === '' ? [] : rest.split('.'),
      depth + 1,
    );
  }
  if (given.startsWith('=')) {
    const chain = given.slice(1);
    return resolveReceiver(
      names,
      chain,
      { path, within, binding: findTopBinding(names, path, chain.split('.')[0]!) },
      depth + 1,
    );
  }
  if (/^[\w.$]+\(\)(?:\.[\w$]+(?:\(\))?)*$|\(\)$/.test(given)) {
    const first = given.split('.')[0]!.replace('()', '');
    return resolveReceiver(
      names,
      given,
      { path, within, binding: findTopBinding(names, path, first) },
      depth + 1,
    );
  }
  const base = toBareType(given);
  if (base === null) return unknown;
  if (/^(?:Self|this|self)$/.test(base))
    return within >= 0 ? { kind: 'class', path, index: within } : unknown;
  const facts = names.facts(path);
  if (facts === null) return unknown;
  const family = familyOf(facts.language);
  const parts = base.split('.');
  let meaning: Meaning;
  if (family === 'go')
    meaning =
      parts.length === 2
        ? resolveGoName(names, path, parts[0]!, parts[1]!)
        : names.resolveInFolder(folderOf(path), base, facts.package);
  else if (family === 'rust') meaning = names.resolveRustPath(path, parts);
  else if (family === 'c' || family === 'other') meaning = names.resolveInFile(path, parts.at(-1)!);
  else {
    const at = resolveReceiver(
      names,
      base,
      { path, within, binding: findTopBinding(names, path, parts[0]!) },
      depth + 1,
    );
    if (at.kind === 'class') return resolveAlias(names, at, depth);
    meaning =
      at.kind === 'unknown' && builtin.has(base)
        ? external
        : at.kind === 'module' || at.kind === 'folder' || at.kind === 'handed'
          ? unknown
          : at;
    // A type variable may stand for classes of the tree, although its definition is external.
    const isOwn = parts.length === 1 && names.resolveInFile(path, base).kind === 'definition';
    if (family === 'python' || family === 'script')
      return meaning.kind === 'external' && !isOwn ? external : unknown;
  }
  if (meaning.kind === 'definition') {
    const definition = names.definition(meaning);
    if (definition !== undefined && classKinds.test(definition.kind))
      return resolveAlias(names, { ...meaning, kind: 'class' }, depth);
    return unknown;
  }
  if (builtin.has(base)) return external;
  // In Rust a value can be used as what it dereferences to.
  return meaning.kind === 'external' ? (family === 'rust' ? handed : external) : unknown;
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

function resolveGoName(names: NameResolver, path: string, pack: string, name: string): Meaning {
  const found = names.resolveGoImport(path, pack);
  return found.kind === 'folder' ? names.resolveInFolder(found.path, name) : found;
}

/** A type alias is the type that it names. */
function resolveAlias(names: NameResolver, cls: Receiver & { kind: 'class' }, depth: number): Receiver {
  const definition = names.definition(cls);
  if (definition?.kind !== 'type' || definition.type === undefined) return cls;
  const found = resolveType(names, cls.path, definition.type, depth + 1);
  return found.kind === 'class' ? found : cls;
}

function findTopBinding(names: NameResolver, path: string, name: string): Binding | null {
  const facts = names.facts(path);
  const index =
    facts?.definitions.findIndex(
      (definition) =>
        definition.name === name &&
        definition.parent < 0 &&
        !definition.flags.includes('local') &&
        definition.owner === undefined,
    ) ?? -1;
  if (index >= 0) return { kind: 'definition', index };
  const imported = facts?.imports.findIndex(({ local }) => local === name) ?? -1;
  return imported >= 0 ? { kind: 'import', index: imported } : null;
}

const wrappers =
  /^(?:Promise|Awaited|Readonly|Partial|Required|NonNullable|Optional|Annotated|Final|ClassVar|Type|type|Box|Rc|Arc|RefCell|Cell|Result|Option|Awaitable|Coroutine)[<[]\s*(.*)[>\]]$/s;

/** The only name in `Optional[A]`, `A | null`, `*A`, `&mut A` or `Promise<A>`; null if there is none, or several. */
export function toBareType(given: string): string | null {
  let type = given
    .trim()
    .replace(/^["']|["']$/g, '')
    .trim();
  for (let nth = 0; nth < 6; nth += 1) {
    const before = type;
    // Of an intersection, the first name.
    if (!/[<([{]/.test(type.split(/\s+&\s+/)[0] ?? '')) type = type.split(/\s+&\s+/)[0] ?? type;
    const options = type
      .split(/\s*\|\s*/)
      .filter(
        (one) =>
          !/^(?:None|null|undefined|void|string|number|boolean|bigint|symbol|str|int|float|bytes|bool|[\w.]+\[\])?$/.test(
            one,
          ),
      );
    if (!/[<[(]/.test(type) || options.length === 1) {
      if (options.length !== 1) return null;
      type = options[0]!;
    }
    type = type
      .replace(
        /^(?:->\s*|[*&]+\s*|'\w+\s+|mut\s+|dyn\s+|impl\s+|const\s+|readonly\s+|typeof\s+|asserts\s+\w+\s+is\s+|\w+\s+is\s+)+/,
        '',
      )
      .trim();
    const inner = wrappers.exec(type)?.[1];
    if (inner !== undefined) type = firstArgument(inner);
    if (type === before) break;
  }
  if (/\[\]$|^\[|^map\[|^chan\b|^func\b|=>|^\(|^\{/.test(type))
    return /\[\]$/.test(type)
      ? 'Array'
      : type.startsWith('[')
        ? '[]'
        : type.startsWith('map[')
          ? 'map'
          : null;
  const base = type
    .replace(/[<[].*$/s, '')
    .replaceAll('::', '.')
    .trim();
  // A union has no single class.
  if (/^(?:typing\.)?(?:Union|Any)$/.test(base)) return null;
  return /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u.test(base) ||
    base === '{}' ||
    base === '[]'
    ? base
    : null;
}

function firstArgument(text: string): string {
  let depth = 0;
  for (const [at, sign] of [...text].entries()) {
    if ('<[('.includes(sign)) depth += 1;
    else if ('>])'.includes(sign)) depth -= 1;
    else if (sign === ',' && depth === 0) return text.slice(0, at);
  }
  return text;
}

export function findOwnClass(names: NameResolver, path: string, within: number): Receiver {
  const facts = names.facts(path);
  if (facts === null) return unknown;
  for (let at = within; at >= 0; at = facts.definitions[at]!.parent) {
    const { kind, owner } = facts.definitions[at]!;
    if (classKinds.test(kind)) return { kind: 'class', path, index: at };
    if (owner !== undefined) return resolveType(names, path, owner);
  }
  return unknown;
}

function findSuper(names: NameResolver, cls: DefinitionRef): Receiver {
  const { classes, extent } = findLineage(names, cls);
  const [, next] = classes;
  return next === undefined ? (extent === 'unknown' ? unknown : external) : { kind: 'class', ...next };
}

export interface Lineage {
  /** The class, followed by its base classes. */
  readonly classes: readonly DefinitionRef[];
  /** `external`: a base class is outside of the tree. `unknown`: a base class could not be found. */
  readonly extent: 'whole' | 'external' | 'unknown';
}

export function findLineage(names: NameResolver, cls: DefinitionRef): Lineage {
  const classes: DefinitionRef[] = [];
  const seen = new Set<string>();
  let extent: Lineage['extent'] = 'whole';
  const add = (place: DefinitionRef, depth: number): void => {
    const key = `${place.path}#${place.index}`;
    if (seen.has(key) || depth > maxDepth) return;
    seen.add(key);
    classes.push(place);
    const definition = names.definition(place);
    if (definition === undefined) {
      extent = 'unknown';
      return;
    }
    for (const base of definition.bases ?? []) {
      if (
        /^(?:object|ABC|abc\.ABC|Generic|typing\.Generic|Protocol|typing\.Protocol|\?metaclass)$/.test(base)
      )
        continue;
      const found = resolveType(names, place.path, base, depth + 1);
      if (found.kind === 'class') add(found, depth + 1);
      else if (found.kind === 'external' || found.kind === 'handed')
        extent = extent === 'unknown' ? extent : 'external';
      else extent = 'unknown';
    }
  };
  add(cls, 0);
  return { classes, extent };
}

export type Member =
  | { readonly kind: 'found'; readonly place: DefinitionRef }
  | { readonly kind: 'none' }
  | { readonly kind: 'external' }
  | { readonly kind: 'unknown' };

/** Finds the definition of a member, first in the class itself. */
export function findMember(names: NameResolver, cls: DefinitionRef, name: string): Member {
  const { classes, extent } = findLineage(names, cls);
  for (const definitionRef of classes) {
    const facts = names.facts(definitionRef.path);
    if (facts === null) return { kind: 'unknown' };
    const own = facts.definitions.findIndex(
      (definition) => definition.parent === definitionRef.index && definition.name === name,
    );
    if (own >= 0) return { kind: 'found', place: { path: definitionRef.path, index: own } };
    const cls = facts.definitions[definitionRef.index]!;
    const outside = findMemberOutside(names, definitionRef.path, facts, cls.name, name);
    if (outside !== null) return { kind: 'found', place: outside };
  }
  return extent === 'whole' ? { kind: 'none' } : { kind: extent };
}

/** For Go, Rust and C++: members that are defined outside of their type. */
function findMemberOutside(
  names: NameResolver,
  path: string,
  facts: FileFacts,
  owner: string,
  name: string,
): DefinitionRef | null {
  const family = familyOf(facts.language);
  if (family !== 'go' && family !== 'rust' && family !== 'c') return null;
  const near = family === 'go' ? names.listFolderPaths(folderOf(path)).filter((one) => one !== path) : [];
  for (const each of [path, ...near]) {
    const found = each === path ? facts : names.facts(each);
    const index =
      found?.definitions.findIndex(
        (definition) => definition.owner?.split('.').at(-1) === owner && definition.name === name,
      ) ?? -1;
    if (index >= 0) return { path: each, index };
  }
  return null;
}

function resolveRustReceiver(
  names: NameResolver,
  from: ReceiverSite,
  parts: readonly string[],
  depth: number,
): Receiver {
  const calledAt = parts.findIndex((part) => part.endsWith('()'));
  if (calledAt < 0) {
    const meaning = resolveRustMeaning(names, from, parts, depth);
    return meaning.kind === 'definition' ? toValue(names, meaning, false, depth) : meaning;
  }
  const before = parts.slice(0, calledAt);
  const name = parts[calledAt]!.slice(0, -2);
  let at: Receiver;
  if (before.length === 0) at = toValue(names, resolveRustMeaning(names, from, [name], depth), true, depth);
  else
    at = followMembers(names, resolveRustReceiver(names, from, before, depth + 1), [`${name}()`], depth + 1);
  return followMembers(names, at, parts.slice(calledAt + 1), depth + 1);
}

/** A path that leads out of the tree, unless its first part is what the module within the file, where it stands, brings in. */
function resolveRustMeaning(
  names: NameResolver,
  { path, binding }: ReceiverSite,
  parts: readonly string[],
  depth: number,
): Meaning {
  const meaning = names.resolveRustPath(path, parts, depth);
  if (meaning.kind !== 'external' || binding === null || binding.kind === 'local') return meaning;
  const [, ...more] = parts;
  const own = names.resolveBinding(path, binding);
  return more.length === 0 ? own : names.resolveRustMember(own, more, depth + 1);
}

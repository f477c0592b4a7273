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
  /** A value that external code returns. It may be a value of this tree that was passed to that code. */
  | { readonly kind: 'handed' }
  | { readonly kind: 'unknown' };

const handedReceiver = { kind: 'handed' } as const;

const classKinds = /^(?:class|interface|struct|enum|type|object)$/;
const maxDepth = 10;

/** Built-in types: their methods are never those of the searched definition. */
const builtinTypes = new Set(
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
  let index = within;
  while (index >= 0 && !classKinds.test(facts.definitions[index]!.kind))
    index = facts.definitions[index]!.parent;
  return index;
}

interface ReceiverSite {
  readonly path: string;
  readonly within: number;
  readonly binding: Binding | null;
}

export function resolveReceiver(
  resolver: NameResolver,
  chain: string,
  from: ReceiverSite,
  depth = 0,
): Receiver {
  const facts = resolver.facts(from.path);
  if (facts === null || chain === '?' || depth > maxDepth) return unknown;
  const parts = chain.replace(/^new /, '').split('.');
  const isNew = chain.startsWith('new ');
  const [firstPart = '', ...rest] = parts;
  const isCalled = firstPart.endsWith('()');
  const firstName = isCalled ? firstPart.slice(0, -2) : firstPart;
  let receiver: Receiver = unknown;
  const family = familyOf(facts.language);
  const findClassHere = () => findOwnClass(resolver, from.path, from.within);
  if (
    /^(?:self|this|cls|Self)$/.test(firstName) &&
    (family !== 'rust' || from.binding === null || from.binding.kind !== 'definition')
  ) {
    receiver =
      from.binding?.kind === 'local' && from.binding.type !== undefined
        ? resolveType(resolver, from.path, from.binding.type, depth)
        : findClassHere();
    if (family === 'python' && from.binding === null) receiver = unknown;
  } else if (firstName === 'super') {
    if (family === 'rust') return resolveRustReceiver(resolver, from, parts, depth);
    const thisClass = findClassHere();
    receiver = thisClass.kind === 'class' ? findSuper(resolver, thisClass) : thisClass;
  } else if (family === 'rust' && from.binding?.kind !== 'local') {
    return resolveRustReceiver(resolver, from, parts, depth);
  } else if (from.binding?.kind === 'local') {
    receiver =
      from.binding.type === undefined || isCalled
        ? unknown
        : resolveType(resolver, from.path, from.binding.type, depth);
  } else {
    const meaning = resolveFirst(resolver, from, firstName, family);
    // `import a.b` makes both a and a.b available.
    if (meaning.kind === 'external' && family === 'python' && rest.length > 0) {
      const module = facts.imports.find(
        ({ local, name }) => name === '*' && local.includes('.') && chain.startsWith(local),
      );
      if (module !== undefined) {
        const found = resolver.resolveModule(from.path, facts.language, module.module);
        if (found.kind === 'file')
          return followMembers(
            resolver,
            { kind: 'module', path: found.path },
            chain
              .slice(module.local.length + 1)
              .split('.')
              .filter((part) => part !== ''),
            depth,
          );
      }
    }
    receiver =
      meaning.kind === 'external' && isCalled && !isPlainClassName(firstName)
        ? resultOfExternalCall(firstName)
        : toValue(resolver, meaning, isCalled || isNew, depth);
  }
  return followMembers(resolver, receiver, rest, depth);
}

function resolveFirst(
  resolver: NameResolver,
  { path, binding }: ReceiverSite,
  first: string,
  family: string,
): Meaning {
  if (binding?.kind === 'definition' || binding?.kind === 'import')
    return resolver.resolveBinding(path, binding);
  if (family === 'go') {
    const meaning = resolver.resolveInFolder(folderOf(path), first, resolver.facts(path)?.package);
    return meaning.kind === 'external' ? resolver.resolveGoImport(path, first) : meaning;
  }
  const found = resolver.resolveInFile(path, first);
  return found.kind === 'external' && family !== 'python' && family !== 'script' ? unknown : found;
}

/** Returns what a name stands for as a receiver. `isCalled`: its result or instance, not the definition itself. */
function toValue(resolver: NameResolver, meaning: Meaning, isCalled: boolean, depth: number): Receiver {
  if (meaning.kind !== 'definition') return meaning;
  const definition = resolver.definition(meaning);
  if (definition === undefined) return unknown;
  if (classKinds.test(definition.kind)) return { ...meaning, kind: 'class' };
  if (/^(?:function|method)$/.test(definition.kind))
    return isCalled && definition.type !== undefined
      ? resolveType(resolver, meaning.path, definition.type, depth + 1, definition.parent)
      : unknown;
  if (definition.kind === 'namespace') return unknown;
  return definition.type === undefined || isCalled
    ? unknown
    : resolveType(resolver, meaning.path, definition.type, depth + 1, definition.parent);
}

function followMembers(
  resolver: NameResolver,
  from: Receiver,
  parts: readonly string[],
  depth: number,
): Receiver {
  let receiver = from;
  for (const part of parts) {
    const isCalled = part.endsWith('()');
    const name = isCalled ? part.slice(0, -2) : part;
    if (receiver.kind === 'module' || receiver.kind === 'folder') {
      const facts = receiver.kind === 'module' ? resolver.facts(receiver.path) : null;
      const meaning =
        receiver.kind === 'folder'
          ? resolver.resolveInFolder(receiver.path, name)
          : facts !== null && familyOf(facts.language) === 'script'
            ? resolver.resolveExport(receiver.path, name)
            : resolver.resolveInFile(receiver.path, name);
      if (meaning.kind !== 'definition' && facts?.language === 'python') {
        const submodule = resolver.resolveImport(receiver.path, { local: name, module: '.', name, line: 0 });
        if (submodule.kind === 'module' && /(?:^|\/)__init__\.pyi?$/.test(receiver.path)) {
          receiver = submodule;
          continue;
        }
      }
      receiver = toValue(resolver, meaning, isCalled, depth + 1);
    } else if (receiver.kind === 'class') {
      const found = findMember(resolver, receiver, name);
      if (isCalled) {
        const definition = found.kind === 'found' ? resolver.definition(found.place) : undefined;
        receiver =
          definition?.type === undefined || found.kind !== 'found'
            ? unknown
            : resolveType(
                resolver,
                found.place.path,
                definition.type,
                depth + 1,
                classIndexOf(resolver, found.place),
              );
      } else receiver = resolveField(resolver, receiver, name, depth);
    } else if (receiver.kind === 'external' && isCalled && !isPlainClassName(name))
      return resultOfExternalCall(name);
    else if (receiver.kind !== 'external') return receiver;
  }
  return receiver;
}

/** The result of a call of external code. If the call loads a module by a computed name, it may be one of this tree. */
const resultOfExternalCall = (name: string): Receiver =>
  /^(?:__import__|import_module|import_from_string|import_string|load_module|load_source|module_from_spec|reload)$/.test(
    name,
  )
    ? unknown
    : handedReceiver;

/** Whether a call of this external name creates an instance of an external class. A proxy may return a value of the tree. */
const isPlainClassName = (name: string): boolean =>
  /^_*\p{Lu}/u.test(name) && !/Proxy|Wrapper|Mock/.test(name);

const classIndexOf = (resolver: NameResolver, { path, index }: DefinitionRef): number =>
  resolver.facts(path)?.definitions[index]?.parent ?? -1;

function resolveField(
  resolver: NameResolver,
  classRef: DefinitionRef,
  name: string,
  depth: number,
): Receiver {
  const lineage = findLineage(resolver, classRef);
  for (const definitionRef of lineage.classes) {
    const facts = resolver.facts(definitionRef.path);
    const fields =
      facts?.fields.filter((field) => field.owner === definitionRef.index && field.name === name) ?? [];
    // An annotated type counts, whatever is assigned.
    const annotatedFields = fields.filter((field) => field.written === true);
    const types = new Set((annotatedFields.length > 0 ? annotatedFields : fields).map(({ type }) => type));
    // A variable with several values has no known type.
    const knownTypes = [...types].filter((type) => type !== 'None' && type !== 'null');
    if (knownTypes.length === 1)
      return resolveType(resolver, definitionRef.path, knownTypes[0]!, depth + 1, definitionRef.index);
    if (knownTypes.length > 1) return unknown;
  }
  return unknown;
}

/** Resolves a type as written in a file. `within`: the index of the class that contains it; -1: none. */
export function resolveType(
  resolver: NameResolver,
  path: string,
  writtenType: string,
  depth = 0,
  within = -1,
): Receiver {
  if (depth > maxDepth) return unknown;
  if (writtenType.startsWith('@'))
    return Number(writtenType.slice(1)) >= 0
      ? { kind: 'class', path, index: Number(writtenType.slice(1)) }
      : unknown;
  if (writtenType.startsWith('{') && writtenType !== '{}') {
    const end = writtenType.lastIndexOf('}');
    const rest = writtenType.slice(end + 1).replace(/^\./, '');
    return followMembers(
      resolver,
      resolveType(resolver, path, writtenType.slice(1, end), depth + 1, within),
      rest === '' ? [] : rest.split('.'),
      depth + 1,
    );
  }
  if (writtenType.startsWith('=')) {
    const chain = writtenType.slice(1);
    return resolveReceiver(
      resolver,
      chain,
      { path, within, binding: findTopBinding(resolver, path, chain.split('.')[0]!) },
      depth + 1,
    );
  }
  if (/^[\w.$]+\(\)(?:\.[\w$]+(?:\(\))?)*$|\(\)$/.test(writtenType)) {
    const first = writtenType.split('.')[0]!.replace('()', '');
    return resolveReceiver(
      resolver,
      writtenType,
      { path, within, binding: findTopBinding(resolver, path, first) },
      depth + 1,
    );
  }
  const base = toBareType(writtenType);
  if (base === null) return unknown;
  if (/^(?:Self|this|self)$/.test(base))
    return within >= 0 ? { kind: 'class', path, index: within } : unknown;
  const facts = resolver.facts(path);
  if (facts === null) return unknown;
  const family = familyOf(facts.language);
  const parts = base.split('.');
  let meaning: Meaning;
  if (family === 'go')
    meaning =
      parts.length === 2
        ? resolveGoName(resolver, path, parts[0]!, parts[1]!)
        : resolver.resolveInFolder(folderOf(path), base, facts.package);
  else if (family === 'rust') meaning = resolver.resolveRustPath(path, parts);
  else if (family === 'c' || family === 'other') meaning = resolver.resolveInFile(path, parts.at(-1)!);
  else {
    const receiver = resolveReceiver(
      resolver,
      base,
      { path, within, binding: findTopBinding(resolver, path, parts[0]!) },
      depth + 1,
    );
    if (receiver.kind === 'class') return resolveAlias(resolver, receiver, depth);
    meaning =
      receiver.kind === 'unknown' && builtinTypes.has(base)
        ? external
        : receiver.kind === 'module' || receiver.kind === 'folder' || receiver.kind === 'handed'
          ? unknown
          : receiver;
    // A type variable may stand for classes of the tree, although its definition is external.
    const isDefinedHere = parts.length === 1 && resolver.resolveInFile(path, base).kind === 'definition';
    if (family === 'python' || family === 'script')
      return meaning.kind === 'external' && !isDefinedHere ? external : unknown;
  }
  if (meaning.kind === 'definition') {
    const definition = resolver.definition(meaning);
    if (definition !== undefined && classKinds.test(definition.kind))
      return resolveAlias(resolver, { ...meaning, kind: 'class' }, depth);
    return unknown;
  }
  if (builtinTypes.has(base)) return external;
  // In Rust a value can be used as what it dereferences to.
  return meaning.kind === 'external' ? (family === 'rust' ? handedReceiver : external) : unknown;
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

function resolveGoName(resolver: NameResolver, path: string, packageName: string, name: string): Meaning {
  const found = resolver.resolveGoImport(path, packageName);
  return found.kind === 'folder' ? resolver.resolveInFolder(found.path, name) : found;
}

/** Resolves a type alias to the class that it names; returns other classes as they are. */
function resolveAlias(
  resolver: NameResolver,
  classRef: Receiver & { kind: 'class' },
  depth: number,
): Receiver {
  const definition = resolver.definition(classRef);
  if (definition?.kind !== 'type' || definition.type === undefined) return classRef;
  const found = resolveType(resolver, classRef.path, definition.type, depth + 1);
  return found.kind === 'class' ? found : classRef;
}

function findTopBinding(resolver: NameResolver, path: string, name: string): Binding | null {
  const facts = resolver.facts(path);
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
export function toBareType(writtenType: string): string | null {
  let type = writtenType
    .trim()
    .replace(/^["']|["']$/g, '')
    .trim();
  for (let round = 0; round < 6; round += 1) {
    const typeBefore = type;
    // Of an intersection, only the first name is used.
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
    const typeArgument = wrappers.exec(type)?.[1];
    if (typeArgument !== undefined) type = firstArgument(typeArgument);
    if (type === typeBefore) break;
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

export function findOwnClass(resolver: NameResolver, path: string, within: number): Receiver {
  const facts = resolver.facts(path);
  if (facts === null) return unknown;
  for (let at = within; at >= 0; at = facts.definitions[at]!.parent) {
    const { kind, owner } = facts.definitions[at]!;
    if (classKinds.test(kind)) return { kind: 'class', path, index: at };
    if (owner !== undefined) return resolveType(resolver, path, owner);
  }
  return unknown;
}

function findSuper(resolver: NameResolver, classRef: DefinitionRef): Receiver {
  const { classes, extent } = findLineage(resolver, classRef);
  const [, superclass] = classes;
  return superclass === undefined
    ? extent === 'unknown'
      ? unknown
      : external
    : { kind: 'class', ...superclass };
}

export interface Lineage {
  /** The class, followed by its base classes. */
  readonly classes: readonly DefinitionRef[];
  /** `external`: a base class is outside of the tree. `unknown`: a base class could not be found. */
  readonly extent: 'whole' | 'external' | 'unknown';
}

export function findLineage(resolver: NameResolver, classRef: DefinitionRef): Lineage {
  const classes: DefinitionRef[] = [];
  const seen = new Set<string>();
  let extent: Lineage['extent'] = 'whole';
  const add = (place: DefinitionRef, depth: number): void => {
    const key = `${place.path}#${place.index}`;
    if (seen.has(key) || depth > maxDepth) return;
    seen.add(key);
    classes.push(place);
    const definition = resolver.definition(place);
    if (definition === undefined) {
      extent = 'unknown';
      return;
    }
    for (const base of definition.bases ?? []) {
      if (
        /^(?:object|ABC|abc\.ABC|Generic|typing\.Generic|Protocol|typing\.Protocol|\?metaclass)$/.test(base)
      )
        continue;
      const found = resolveType(resolver, place.path, base, depth + 1);
      if (found.kind === 'class') add(found, depth + 1);
      else if (found.kind === 'external' || found.kind === 'handed')
        extent = extent === 'unknown' ? extent : 'external';
      else extent = 'unknown';
    }
  };
  add(classRef, 0);
  return { classes, extent };
}

export type Member =
  | { readonly kind: 'found'; readonly place: DefinitionRef }
  | { readonly kind: 'none' }
  | { readonly kind: 'external' }
  | { readonly kind: 'unknown' };

/** Finds the definition of a member, first in the class itself. */
export function findMember(resolver: NameResolver, classRef: DefinitionRef, name: string): Member {
  const { classes, extent } = findLineage(resolver, classRef);
  for (const definitionRef of classes) {
    const facts = resolver.facts(definitionRef.path);
    if (facts === null) return { kind: 'unknown' };
    const memberIndex = facts.definitions.findIndex(
      (definition) => definition.parent === definitionRef.index && definition.name === name,
    );
    if (memberIndex >= 0) return { kind: 'found', place: { path: definitionRef.path, index: memberIndex } };
    const classDefinition = facts.definitions[definitionRef.index]!;
    const outsideMember = findMemberOutside(resolver, definitionRef.path, facts, classDefinition.name, name);
    if (outsideMember !== null) return { kind: 'found', place: outsideMember };
  }
  return extent === 'whole' ? { kind: 'none' } : { kind: extent };
}

/** For Go, Rust and C++: members that are defined outside of their type. */
function findMemberOutside(
  resolver: NameResolver,
  path: string,
  facts: FileFacts,
  owner: string,
  name: string,
): DefinitionRef | null {
  const family = familyOf(facts.language);
  if (family !== 'go' && family !== 'rust' && family !== 'c') return null;
  const siblingPaths =
    family === 'go' ? resolver.listFolderPaths(folderOf(path)).filter((one) => one !== path) : [];
  for (const each of [path, ...siblingPaths]) {
    const found = each === path ? facts : resolver.facts(each);
    const index =
      found?.definitions.findIndex(
        (definition) => definition.owner?.split('.').at(-1) === owner && definition.name === name,
      ) ?? -1;
    if (index >= 0) return { path: each, index };
  }
  return null;
}

function resolveRustReceiver(
  resolver: NameResolver,
  from: ReceiverSite,
  parts: readonly string[],
  depth: number,
): Receiver {
  const calledAt = parts.findIndex((part) => part.endsWith('()'));
  if (calledAt < 0) {
    const meaning = resolveRustMeaning(resolver, from, parts, depth);
    return meaning.kind === 'definition' ? toValue(resolver, meaning, false, depth) : meaning;
  }
  const partsBefore = parts.slice(0, calledAt);
  const name = parts[calledAt]!.slice(0, -2);
  let receiver: Receiver;
  if (partsBefore.length === 0)
    receiver = toValue(resolver, resolveRustMeaning(resolver, from, [name], depth), true, depth);
  else
    receiver = followMembers(
      resolver,
      resolveRustReceiver(resolver, from, partsBefore, depth + 1),
      [`${name}()`],
      depth + 1,
    );
  return followMembers(resolver, receiver, parts.slice(calledAt + 1), depth + 1);
}

/**
 * Resolves a path such as `a::b`. If it leads out of the tree, but the inline module around it imports or defines the
 * first part, that binding decides.
 */
function resolveRustMeaning(
  resolver: NameResolver,
  { path, binding }: ReceiverSite,
  parts: readonly string[],
  depth: number,
): Meaning {
  const meaning = resolver.resolveRustPath(path, parts, depth);
  if (meaning.kind !== 'external' || binding === null || binding.kind === 'local') return meaning;
  const [, ...more] = parts;
  const boundMeaning = resolver.resolveBinding(path, binding);
  return more.length === 0 ? boundMeaning : resolver.resolveRustMember(boundMeaning, more, depth + 1);
}

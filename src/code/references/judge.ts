/** Decides whether a use of a name refers to a definition, and on what grounds. A pure function over facts. */
import { posix } from 'node:path';
import type { ReferenceHow } from '../../core/index.ts';
import { type Definition, type FileFacts, ownName, type Use } from '../facts/facts.ts';
import { isHeader } from './header.ts';
import type { ModuleMap } from './modules.ts';
import {
  type DefinitionRef,
  familyOf,
  findInlineModule,
  type Meaning,
  type NameResolver,
} from './name-resolver.ts';
import { findEnclosingClass, findLineage, findMember, type Receiver, resolveReceiver } from './receivers.ts';

export type Verdict =
  | { readonly kind: 'means'; readonly how: ReferenceHow; readonly createSure: boolean }
  /** It may refer to it. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'other' };

const createSure = (how: ReferenceHow): Verdict => ({ kind: 'means', how, createSure: true });
const createLikely = (how: ReferenceHow): Verdict => ({ kind: 'means', how, createSure: false });
const undecided: Verdict = { kind: 'undecided' };
const other: Verdict = { kind: 'other' };

export interface Target {
  readonly name: string;
  /**
   * One definition, or several that count as one: overloads, a body with its declarations, variants for platforms.
   */
  readonly places: readonly DefinitionRef[];
  readonly definition: Definition;
  readonly path: string;
  /** The class that contains it. */
  readonly owner: DefinitionRef | null;
  /** It can only be used after a dot. */
  readonly isMember: boolean;
  /** No other definition in the tree has its name; for a member: no other member. */
  readonly isUnique: boolean;
  /** Other definitions of the same name that a use could refer to instead. */
  readonly rivals: readonly DefinitionRef[];
  /** For C: a type and another definition have the same name. */
  readonly hasTwin: boolean;
}

/** Members of built-in values: such a name alone says nothing. */
const commonMembers = new Set(
  (
    'get set has add delete clear keys values items entries forEach map filter reduce find some every push pop shift unshift slice splice concat join split replace match test exec ' +
    'append extend insert remove index count sort reverse copy update setdefault popitem format strip lstrip rstrip startswith endswith lower upper encode decode read write close open flush seek ' +
    'groups groupdict group span sub search fullmatch findall finditer acquire release submit result cancel commit rollback execute wait ' +
    'then catch finally toString valueOf next call apply bind on once off emit log info warn error debug send run start stop length size name type value data ' +
    'String Error Read Write Close Len Less Swap New Get Set unwrap clone into from as_ref iter collect len is_empty to_string'
  ).split(' '),
);

export function judge(names: NameResolver, target: Target, path: string, use: Use): Verdict {
  const facts = names.facts(path);
  if (facts === null) return undecided;
  const family = familyOf(facts.language);
  const targetFacts = names.facts(target.path);
  if (targetFacts !== null && familyOf(targetFacts.language) !== family) return other;
  if (use.receiver === ownName) return other;
  if (use.role === 'string') return undecided;
  if (family === 'go' && use.role === 'key' && use.receiver === null && !target.isMember) {
    const asValue = judgeBareName(names, target, path, facts, use);
    return asValue.kind === 'means' ? undecided : asValue;
  }
  // A macro may put a dot before the name, or make another name of it.
  if (use.role === 'word') {
    const asValue = judgeBareName(names, target, path, facts, { ...use, role: 'macro' });
    return asValue.kind === 'means' ? undecided : asValue;
  }
  if (use.role === 'key' && family === 'go' && !target.isMember && names.isEmbedded(target.name))
    return undecided;
  if (use.role === 'key') return judgeKey(target, use);
  if (use.receiver === null) return judgeBareName(names, target, path, facts, use);
  if (use.role === 'export') {
    // The module re-exports it.
    const given = facts.exports.find(
      ({ local, module, line }) => local === use.name && module !== undefined && line <= use.line,
    );
    return given === undefined || target.isMember
      ? other
      : judgeMeaning(target, names.resolveExport(path, given.name), 'import');
  }
  if (use.role === 'import' && use.receiver === '?') return other;
  return judgeAfterDot(names, target, path, facts, use);
}

/** A field name in an object literal, a pattern or a keyword argument. */
function judgeKey(target: Target, { receiver }: Use): Verdict {
  if (!target.isMember) return other;
  return receiver === 'this' ? createLikely('text') : undecided;
}

const isTarget = ({ places }: Target, { path, index }: DefinitionRef): boolean =>
  places.some((place) => place.path === path && place.index === index);

function judgeMeaning(target: Target, meaning: Meaning, how: ReferenceHow): Verdict {
  if (meaning.kind === 'definition') return isTarget(target, meaning) ? createSure(how) : other;
  return meaning.kind === 'unknown' ? undecided : other;
}

const tag = /^(?:struct|enum)$/;

function judgeBareName(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const { binding } = use;
  const family = familyOf(facts.language);
  if (facts.language === 'c' && target.definition.kind !== 'macro' && !target.isMember) {
    const { kind } = target.definition;
    const isType = use.role === 'type';
    // `struct name` does not refer to a function, and a plain `name` not to a struct.
    if (isType && !tag.test(kind) && kind !== 'type') return target.hasTwin ? other : undecided;
    if (!isType && tag.test(kind) && use.role !== 'macro') return other;
    if (target.hasTwin && binding === null && (tag.test(kind) || isType)) return undecided;
  }
  // An import says exactly what it imports, even if other definitions have the same name.
  const brought =
    use.role === 'import' && !target.isMember && binding !== null
      ? facts.imports.findLast(({ line, name }) => line <= use.line && name === use.name)
      : undefined;
  if (brought !== undefined) return judgeMeaning(target, names.resolveImport(path, brought), 'import');
  if (binding?.kind === 'definition') {
    if (isTarget(target, { path, index: binding.index })) return createSure('scope');
    const bound = facts.definitions[binding.index]!;
    if (target.name === use.name && !target.isMember && family !== 'c') {
      const meaning = names.resolveBinding(path, binding);
      if (meaning.kind === 'unknown') return undecided;
    }
    // A variable with the same name as its import, or a prototype of it.
    if (family === 'c')
      return bound.flags.includes('local') ? other : judgeLinked(names, target, path, facts, bound);
    return other;
  }
  if (binding?.kind === 'local') return target.isMember && use.role === 'import' ? undecided : other;
  if (binding?.kind === 'import') {
    if (target.isMember) return other;
    return judgeMeaning(target, names.resolveBinding(path, binding), 'import');
  }
  if (target.definition.flags.includes('local')) return other;
  // A macro may put a dot before the name.
  if (target.isMember && use.role === 'macro') return undecided;
  if (target.isMember) return family === 'other' ? judgeOwnMember(names, target, path, facts, use) : other;
  return judgeUnboundName(names, target, path, facts, use);
}

/** A name that nothing in its file binds. */
function judgeUnboundName(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const family = familyOf(facts.language);
  switch (family) {
    case 'python': {
      const stars = facts.imports.some(({ local }) => local === '*');
      return stars ? judgeMeaning(target, names.resolveInFile(path, use.name), 'import') : other;
    }
    case 'script': {
      // In a file without imports and exports, definitions are global.
      const fileFacts = names.facts(target.path);
      const isGlobal =
        fileFacts !== null &&
        fileFacts.imports.length === 0 &&
        fileFacts.exports.length === 0 &&
        !target.definition.flags.includes('exported');
      const isMerged = target.definition.flags.includes('merged');
      if (isMerged && path === target.path) return createSure('scope');
      const merges = isMerged || target.definition.parent >= 0;
      return isGlobal && path !== target.path
        ? target.isUnique
          ? createLikely('unique name')
          : undecided
        : merges
          ? undecided
          : other;
    }
    case 'go': {
      const there = names.facts(target.path);
      if (folderOf(path) === folderOf(target.path) && there?.package === facts.package)
        return createSure('scope');
      const dotted = facts.imports.some(
        (each) =>
          each.local === '*' && isFolder(names.resolveModule(path, 'go', each.module), folderOf(target.path)),
      );
      return dotted ? createSure('import') : other;
    }
    case 'rust': {
      if (target.definition.kind === 'macro')
        return target.isUnique ? createLikely('unique name') : undecided;
      const inner = findInlineModule(facts, use.line);
      if (inner >= 0) {
        const meaning = names.resolveInInlineModule(path, facts, use.name, inner);
        return judgeMeaning(target, meaning, 'import');
      }
      if (path === target.path) return target.definition.parent >= 0 ? undecided : createSure('scope');
      const found = names.resolveInFile(path, use.name);
      if (found.kind === 'external')
        return facts.imports.some(({ local }) => local === '*') ? undecided : other;
      return judgeMeaning(target, found, 'import');
    }
    case 'c':
      return judgeLinked(names, target, path, facts, undefined);
    default:
      return target.isUnique && !commonMembers.has(target.name) ? createLikely('unique name') : undecided;
  }
}

const isFolder = (module: { readonly kind: string; readonly path?: string }, path: string): boolean =>
  module.kind === 'folder' && module.path === path;

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/** In C the linker knows one function per name, except functions that are private to a file. */
function judgeLinked(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  bound: Definition | undefined,
): Verdict {
  const { definition } = target;
  const isOwn = definition.flags.includes('private');
  if (path === target.path)
    return bound === undefined || bound.flags.includes('declaration') ? createSure('scope') : other;
  // The file defines the name itself.
  if (bound !== undefined && !bound.flags.includes('declaration')) return other;
  if (bound !== undefined && !isOwn && definition.kind !== 'macro' && target.rivals.length === 0)
    return createSure('import');
  const includes = reaches(names, path, facts, target.path);
  if (isOwn || definition.kind === 'macro')
    return includes
      ? target.rivals.length === 0
        ? createSure('import')
        : createLikely('import')
      : isOwn && isHeader(target.path) && bound === undefined
        ? undecided
        : other;
  if (target.rivals.length > 0) {
    const near = findNearest(path, [target.path, ...target.rivals.map((rival) => rival.path)]);
    return near === target.path ? createLikely('import') : undecided;
  }
  const declared =
    bound !== undefined ||
    includes ||
    target.places.some((place) => place.path !== target.path && reaches(names, path, facts, place.path)) ||
    isMentionedInIncludes(names, path, facts, target.name);
  return declared ? createSure('import') : createLikely('unique name');
}

/** Whether a file includes another by its name, directly or through files that were already read. */
export function reaches(names: NameResolver, from: string, facts: FileFacts, to: string): boolean {
  return names.cacheAnswer(`reaches ${from} ${to}`, () => {
    let files: readonly (readonly [path: string, facts: FileFacts])[] = [[from, facts]];
    const seen = new Set([from]);
    for (let depth = 0; depth <= maxIncludes && files.length > 0; depth += 1) {
      const next: [string, FileFacts][] = [];
      for (const [path, { imports }] of files) {
        if (path === to) return true;
        for (const { module } of imports) {
          if (to === module || to.endsWith(`/${module.replace(/^(?:\.\.?\/)+/, '')}`)) return true;
          const inner = resolveInclude(names, path, module);
          if (inner === undefined || seen.has(inner)) continue;
          seen.add(inner);
          const found = names.facts(inner);
          if (found !== null) next.push([inner, found]);
        }
      }
      files = next;
    }
    return false;
  });
}

const maxIncludes = 3;

/**
 * Whether an included file mentions the name: it may declare it in code that the grammar could not parse, such as a
 * macro call.
 */
function isMentionedInIncludes(
  names: NameResolver,
  from: string,
  { imports }: FileFacts,
  name: string,
  seen = new Set<string>(),
): boolean {
  for (const { module } of imports) {
    const next = resolveInclude(names, from, module);
    if (next === undefined || seen.has(next) || seen.size > maxIncluded) continue;
    seen.add(next);
    const facts = names.facts(next);
    if (
      facts !== null &&
      (facts.uses.texts.includes(name) || isMentionedInIncludes(names, next, facts, name, seen))
    )
      return true;
  }
  return false;
}

const maxIncluded = 40;

function resolveInclude({ moduleMap }: NameResolver, from: string, module: string): string | undefined {
  const key = `${folderOf(from)}\0${module}`;
  let known = includedFiles.get(moduleMap);
  if (known === undefined) {
    known = new Map();
    includedFiles.set(moduleMap, known);
  }
  if (!known.has(key)) {
    const near = posix.join(folderOf(from), module);
    known.set(
      key,
      [near, module, `include/${module}`, `src/${module}`].find((path) => moduleMap.paths.has(path)),
    );
  }
  return known.get(key);
}

/** Cached while the files of the tree are the same. */
const includedFiles = new WeakMap<ModuleMap, Map<string, string | undefined>>();

/** The path that shares the longest beginning; null if two share equally much. */
function findNearest(path: string, places: readonly string[]): string | null {
  const countShared = (one: string): number => {
    const [a, b] = [path.split('/'), one.split('/')];
    let nth = 0;
    while (nth < a.length - 1 && nth < b.length - 1 && a[nth] === b[nth]) nth += 1;
    return nth;
  };
  const ranked = places.map((one) => [one, countShared(one)] as const).sort((a, b) => b[1] - a[1]);
  return ranked.length > 1 && ranked[0]![1] === ranked[1]![1] ? null : (ranked[0]?.[0] ?? null);
}

/** For languages in which a class sees its members without a receiver. */
function judgeOwnMember(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const around = findEnclosingClass(facts, use.within);
  if (around < 0 || target.owner === null) return undecided;
  const found = findMember(names, { path, index: around }, target.name);
  if (found.kind === 'found') return isTarget(target, found.place) ? createSure('scope') : other;
  return undecided;
}

function judgeAfterDot(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const family = familyOf(facts.language);
  const at = resolveReceiver(names, use.receiver!, { path, within: use.within, binding: use.binding });
  if (family === 'go' && !target.isMember && names.isEmbedded(target.name)) {
    const embedded = judgeEmbedded(names, target, at);
    if (embedded !== null) return embedded;
  }
  switch (at.kind) {
    case 'external':
      return mayBelongToMacro(target, use, family) ? undecided : other;
    case 'handed':
      return target.isMember && !target.definition.flags.includes('static') ? undecided : other;
    case 'module':
      if (target.isMember) return other;
      return judgeMeaning(
        target,
        family === 'script'
          ? names.resolveExport(at.path, target.name)
          : family === 'rust'
            ? names.resolveRustPath(at.path, ['self', target.name])
            : names.resolveInFile(at.path, target.name),
        'import',
      );
    case 'folder':
      return !target.isMember && at.path === folderOf(target.path) ? createSure('import') : other;
    case 'class':
      return judgeOnClass(names, target, at, family);
    default:
      return judgeOnUnknown(names, target, path, facts, use, family);
  }
}

/** In Rust, what a macro names and its file does not may be a value of the macro, or of who uses it. */
const mayBelongToMacro = (target: Target, { role, receiver, binding }: Use, family: string): boolean =>
  family === 'rust' &&
  target.isMember &&
  (role === 'macro' || role === 'word') &&
  binding === null &&
  !/^(?:std|core|alloc)\b/.test(receiver!);

/** In Go, an embedded type in a struct is a field with the name of the type. */
function judgeEmbedded(names: NameResolver, target: Target, at: Receiver): Verdict | null {
  if (at.kind === 'folder' || at.kind === 'module' || at.kind === 'external') return null;
  if (at.kind !== 'class') return undecided;
  if (findMember(names, at, target.name).kind === 'found') return other;
  return findLineage(names, at)
    .classes.slice(1)
    .some((definitionRef) => isTarget(target, definitionRef))
    ? createSure('type')
    : undecided;
}

function judgeOnClass(names: NameResolver, target: Target, at: DefinitionRef, family: string): Verdict {
  const found = findMember(names, at, target.name);
  if (found.kind === 'found' && isTarget(target, found.place)) return createSure('type');
  if (target.owner === null) return found.kind === 'unknown' ? undecided : other;
  const own = findLineage(names, target.owner);
  const hasClass = (classes: readonly DefinitionRef[], definitionRef: DefinitionRef) =>
    classes.some(({ path, index }) => path === definitionRef.path && index === definitionRef.index);
  // A value of type A may be an instance of a subclass.
  if (hasClass(own.classes, at)) return family === 'script' ? createSure('type') : undecided;
  if (found.kind === 'found') {
    const line = findLineage(names, at);
    // A subclass overrides it: renaming one means renaming the other.
    if (family === 'script' && hasClass(line.classes, target.owner)) return createSure('type');
    // A sibling class implements the same interface: a different member, though a renaming would change both.
    const isShared = own.classes.some(
      (definitionRef) => hasClass(line.classes, definitionRef) && declares(names, definitionRef, target.name),
    );
    if (family === 'script' && isShared) return undecided;
    return own.extent === 'unknown' || line.extent === 'unknown'
      ? undecided
      : judgeByInterface(names, at, family);
  }
  // A class with `__getattr__` may forward the access to another object.
  const answers = ['__getattr__', '__getattribute__'].some(
    (one) => family === 'python' && findMember(names, at, one).kind === 'found',
  );
  // In Rust, a value may be dereferenced to what it contains.
  if (answers || (family === 'rust' && findMember(names, at, 'deref').kind === 'found')) return undecided;
  if (found.kind === 'none' || found.kind === 'external') return judgeByInterface(names, at, family);
  return undecided;
}

const declares = (names: NameResolver, { path, index }: DefinitionRef, name: string): boolean =>
  names
    .facts(path)
    ?.definitions.some((definition) => definition.parent === index && definition.name === name) === true;

/** A value typed by an interface may be of any class that has its members. */
function judgeByInterface(names: NameResolver, at: DefinitionRef, family: string): Verdict {
  const kind = names.definition(at)?.kind;
  if (kind === 'interface' && (family === 'go' || family === 'script' || family === 'rust')) return undecided;
  return kind === 'type' ? undecided : other;
}

function judgeOnUnknown(
  names: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
  family: string,
): Verdict {
  const { definition } = target;
  // A name after a value is not a function of a file, but the value may be a module.
  if (!target.isMember) {
    if (family === 'c' || family === 'go') return other;
    if (family === 'rust') {
      const meaning =
        use.receiver === '?' ? null : names.resolveRustPath(path, [...use.receiver!.split('.'), target.name]);
      if (meaning?.kind === 'definition') return isTarget(target, meaning) ? createSure('import') : other;
      return use.role === 'call' && use.receiver === '?' ? other : undecided;
    }
    if (family === 'script' && use.binding?.kind === 'local' && use.binding.type !== undefined)
      return undecided;
    return undecided;
  }
  if (commonMembers.has(target.name) || !target.isUnique) return undecided;
  if (definition.flags.includes('local'))
    return findEnclosingClass(facts, use.within) >= 0 && path === target.path ? undecided : other;
  if (definition.flags.includes('private') && (family === 'script' || family === 'other'))
    return path === target.path ? createLikely('unique name') : other;
  return createLikely('unique name');
}

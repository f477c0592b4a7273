/**
 * Finds the definitions that a name from a caller refers to: `name`, `Class.method`, `path#name`,
 * `path#Class.method`.
 */
import type { Definition, FileFacts } from '../facts/facts.ts';
import { isHeader } from './header.ts';
import { includesFile, type Target } from './judge.ts';
import { type DefinitionRef, familyOf, type NameResolver } from './name-resolver.ts';
import { resolveType } from './receivers.ts';

export interface SymbolQuery {
  readonly path: string | null;
  /** Names of the enclosing definitions, outermost first. */
  readonly qualifiers: readonly string[];
  readonly name: string;
}

export function parseSymbol(symbol: string): SymbolQuery {
  const text = symbol.trim().replace(/\(.*\)$/s, '');
  const hashAt = text.indexOf('#');
  // A private member of a class is named `#name` or `Class.#name`, without a path before it.
  const hasPath = hashAt > 0 && /[./]/.test(text.slice(0, hashAt)) && text[hashAt - 1] !== '.';
  const path = hasPath ? text.slice(0, hashAt).replace(/^(?:\.\/)+/, '') : null;
  const parts = (hasPath ? text.slice(hashAt + 1) : text)
    .split(/::|->|\.(?=.)|(?<=\w)#/)
    .filter((part) => part !== '');
  return { path, qualifiers: parts.slice(0, -1), name: parts.at(-1) ?? '' };
}

/** The enclosing definitions, innermost first. */
export function listQualifiers({ definitions }: FileFacts, { parent, owner }: Definition): readonly string[] {
  const qualifiers = owner === undefined ? [] : [owner.split('.').at(-1)!];
  // `namespace A.B` counts as two.
  for (let at = parent; at >= 0; at = definitions[at]!.parent)
    qualifiers.push(...definitions[at]!.name.split(/\.(?=.)/).toReversed());
  return qualifiers;
}

/** Writes a definition as `path#Class.method`, a form that `parseSymbol` reads. */
export function symbolOf(facts: FileFacts, path: string, definition: Definition): string {
  return `${path}#${[...listQualifiers(facts, definition).toReversed(), definition.name].join('.')}`;
}

const isPrivate = ({ flags }: Definition): boolean => flags.includes('private');

const isValueOfC = ({ language }: FileFacts, { kind, parent }: Definition): boolean =>
  language === 'c' && kind === 'variable' && parent < 0;

const tagKinds = /^(?:struct|enum)$/;
const ordinaryKinds = /^(?:function|variable|constant|type)$/;

/** Whether two kinds share a namespace, so that a name can refer to only one of them. */
const isSameNamespace = (family: string, one: string, other: string): boolean =>
  one === other || (family === 'c' && ordinaryKinds.test(one) && ordinaryKinds.test(other));

const memberKinds = /^(?:method|field)$/;
const classLikeKinds = /^(?:class|interface|struct|enum|type|object)$/;

/** The matching definitions, with those of the same thing joined; the most important first. */
export function findTargets(
  resolver: NameResolver,
  paths: readonly string[],
  symbolQuery: SymbolQuery,
): readonly Target[] {
  const allSites: DefinitionSite[] = [];
  for (const path of paths) {
    const facts = resolver.facts(path);
    for (const [index, definition] of facts?.definitions.entries() ?? [])
      if (definition.name === symbolQuery.name)
        allSites.push({ place: { path, index }, definition, facts: facts! });
  }
  const matchingSites = allSites.filter(({ place, definition, facts }) => {
    const qualifiers = listQualifiers(facts, definition);
    const wanted = symbolQuery.qualifiers.toReversed();
    if (wanted.every((name, nth) => qualifiers[nth] === name)) return true;
    // In `module.name`, the file is the module.
    const stem = place.path
      .replace(/\.[^./]*$/, '')
      .replace(/\/(?:__init__|index|mod)$/, '')
      .split('/');
    const qualifiersWithModule = [...qualifiers, ...stem.toReversed()];
    return wanted.every((name, nth) => qualifiersWithModule[nth] === name);
  });
  // For C: a function that is declared `static` anywhere is private to its file, wherever its body is.
  const factsWithStatic = new Set(
    allSites
      .filter(({ definition, facts }) => facts.language === 'c' && isPrivate(definition))
      .map(({ facts }) => facts),
  );
  // `path#name` prefers a top-level definition to members and local functions.
  const depth = symbolQuery.qualifiers.length;
  const isExact = ({ definition, facts }: (typeof matchingSites)[number]) =>
    listQualifiers(facts, definition).length === depth;
  const hasExact = matchingSites.some((site) => site.place.path === symbolQuery.path && isExact(site));
  const sites = hasExact ? matchingSites.filter(isExact) : matchingSites;
  const groups = Map.groupBy(sites, (site) => {
    const { place, definition, facts } =
      findPrototypeBody(resolver, site, allSites) ?? findMemberDeclaration(resolver, site, allSites) ?? site;
    const family = familyOf(facts.language);
    const isFilePrivate =
      definition.flags.includes('local') ||
      isPrivate(definition) ||
      (definition.kind === 'function' && factsWithStatic.has(facts));
    // One function or value for the linker; variants for platforms are in the same folder.
    if (family === 'c' && !isFilePrivate && (definition.kind === 'function' || isValueOfC(facts, definition)))
      return 'linked';
    const moduleKey = family === 'go' ? folderOf(place.path) : modulePath(place.path);
    return `${moduleKey} ${listQualifiers(facts, definition).join(' ')} ${family === 'c' ? definition.kind : ''}`;
  });
  const targets = [...groups.values()].flatMap((group) => {
    if (symbolQuery.path !== null && !group.some(({ place }) => place.path === symbolQuery.path)) return [];
    const bodies = group.filter(({ definition }) => !definition.flags.includes('declaration'));
    // Several bodies of one name are several functions; each gets all declarations of the name.
    const hasSeveralBodies =
      group.length > 0 &&
      familyOf(group[0]!.facts.language) === 'c' &&
      new Set(bodies.map(({ place }) => place.path)).size > 1;
    const definitionSets = hasSeveralBodies
      ? [...Map.groupBy(bodies, ({ place }) => place.path).values()].map((fileBodies) => [
          ...fileBodies,
          ...group.filter(({ definition }) => definition.flags.includes('declaration')),
        ])
      : [group];
    return definitionSets
      .filter(
        (part) => symbolQuery.path === null || part.some(({ place }) => place.path === symbolQuery.path),
      )
      .map((part) => createTarget(resolver, part, allSites));
  });
  return targets.sort((a, b) => importance(b) - importance(a) || (a.path < b.path ? -1 : 1));
}

interface DefinitionSite {
  readonly place: DefinitionRef;
  readonly definition: Definition;
  readonly facts: FileFacts;
}

/** For C++: finds the declaration, in a class of a header, of the member whose body is at `site`. */
function findMemberDeclaration(
  resolver: NameResolver,
  site: DefinitionSite,
  allSites: readonly DefinitionSite[],
): DefinitionSite | undefined {
  const { definition, facts, place } = site;
  if (familyOf(facts.language) !== 'c' || definition.owner === undefined) return undefined;
  const [className] = listQualifiers(facts, definition);
  const declarations = allSites.filter(
    (other) =>
      familyOf(other.facts.language) === 'c' &&
      other.definition.owner === undefined &&
      other.definition.flags.includes('declaration') &&
      listQualifiers(other.facts, other.definition)[0] === className &&
      (other.place.path === place.path || includesFile(resolver, place.path, facts, other.place.path)),
  );
  return new Set(declarations.map((other) => other.place.path)).size === 1 ? declarations[0] : undefined;
}

/** For C: finds the body of a `static` prototype in a header, if exactly one including file has such a body. */
function findPrototypeBody(
  resolver: NameResolver,
  site: DefinitionSite,
  allSites: readonly DefinitionSite[],
): DefinitionSite | undefined {
  const { definition, facts, place } = site;
  const isPrototype =
    facts.language === 'c' &&
    definition.kind === 'function' &&
    isPrivate(definition) &&
    definition.flags.includes('declaration') &&
    isHeader(place.path);
  if (!isPrototype) return undefined;
  const bodies = allSites.filter(
    (other) =>
      other.facts.language === 'c' &&
      other.definition.kind === 'function' &&
      !other.definition.flags.includes('declaration') &&
      other.place.path !== place.path &&
      includesFile(resolver, other.place.path, other.facts, place.path),
  );
  return bodies.length === 1 ? bodies[0] : undefined;
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

function createTarget(
  resolver: NameResolver,
  group: readonly DefinitionSite[],
  allSites: readonly DefinitionSite[],
): Target {
  const mainSite =
    group.find(({ definition, place }) => !definition.flags.includes('declaration') && !isStub(place.path)) ??
    group[0]!;
  const { place, definition, facts } = mainSite;
  const { path } = place;
  const family = familyOf(facts.language);
  let owner: DefinitionRef | null = null;
  const container = facts.definitions[definition.parent];
  if (container !== undefined && classLikeKinds.test(container.kind))
    owner = { path, index: definition.parent };
  else if (definition.owner !== undefined) {
    const found = resolveType(resolver, path, definition.owner);
    if (found.kind === 'class') owner = found;
  }
  const isMember =
    memberKinds.test(definition.kind) ||
    definition.owner !== undefined ||
    (container !== undefined && classLikeKinds.test(container.kind));
  const places = group.map((site) => site.place);
  const ownKeys = new Set(places.map(keyOf));
  const sites = allSites.filter(
    (site) => !ownKeys.has(keyOf(site.place)) && familyOf(site.facts.language) === family,
  );
  const competingSites = sites.filter(
    (site) =>
      (memberKinds.test(site.definition.kind) || site.definition.owner !== undefined) === isMember ||
      family === 'other',
  );
  return {
    name: definition.name,
    places,
    definition,
    path,
    owner,
    isMember,
    isUnique: competingSites.length === 0,
    rivals: sites
      .filter(
        (site) =>
          isSameNamespace(family, site.definition.kind, definition.kind) &&
          !site.definition.flags.includes('declaration') &&
          (!site.definition.flags.includes('private') || (family === 'c' && isHeader(site.place.path))),
      )
      .map((site) => site.place),
    hasTwin:
      family === 'c' &&
      sites.some((site) => tagKinds.test(site.definition.kind) !== tagKinds.test(definition.kind)),
  };
}

/** A `.pyi` stub, or a `.d.ts` file next to JavaScript, declares the definitions of its module. */
const modulePath = (path: string): string =>
  path.replace(/\.pyi$/, '.py').replace(/\.d\.([mc]?)ts$/, '.$1js');
const isStub = (path: string): boolean => /\.(?:pyi|d\.[mc]?ts)$/.test(path);

const keyOf = ({ path, index }: DefinitionRef): string => `${path}#${index}`;

const sideFolders =
  /(?:^|\/)(?:tests?|testing|__tests__|spec|specs|testdata|fixtures|examples?|docs?|vendor|third_party|deps|dist|build|generated)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$/i;

function importance({ definition, path }: Target): number {
  const kind =
    definition.kind === 'field'
      ? 0.4
      : definition.kind === 'variable'
        ? 0.6
        : tagKinds.test(definition.kind) && path.endsWith('.c')
          ? 0.9
          : 1;
  const flags = definition.flags.includes('declaration') ? 0.5 : definition.flags.includes('local') ? 0.3 : 1;
  return kind * flags * (sideFolders.test(path) ? 0.5 : 1);
}

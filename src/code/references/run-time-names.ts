/** Finds names that are computed at run time, and whether each could be the name of a definition. */
import { escapePath } from '../../core/index.ts';
import { findEnclosingDefinition, listUses } from '../facts/facts.ts';
import type { WordLine } from '../grep/word-files.ts';
import type { Target } from './judge.ts';
import type { DefinitionRef, NameResolver } from './name-resolver.ts';
import { findLineage, findOwnClass, type Receiver, resolveReceiver } from './receivers.ts';
import type { Survey } from './survey.ts';

/** Sentences about places that may hide a caller, each with the first such place; null if there is none. */
export interface RunTimeNames {
  /** A name computed at a place can be the name of the definition. */
  readonly unknownReason: string | null;
  /** Such a name is looked up on a value of unknown type, so that it may mean something else. */
  readonly partialReason: string | null;
}

type Verdict = 'reaches' | 'may' | 'no';

const formatPlace = ({ path, line }: WordLine): string => `${escapePath(path)}:${line}`;
/** Maximum lines of one call. */
const maxCallLines = 4;
/** Maximum number of places that are analysed. If there are more, each of the others may refer to the definition. */
const maxPlaces = 400;

const dynamicAccess =
  '\\bgetattr\\s*\\(|\\b(?:attrgetter|methodcaller|getmembers|vars)\\s*\\(|\\b__getattr__\\b|\\b__getattribute__\\b|\\b__dict__\\b|\\bdir\\s*\\(';
const dynamicWords = [
  'getattr',
  'attrgetter',
  'methodcaller',
  'getmembers',
  'vars',
  '__getattr__',
  '__getattribute__',
  '__dict__',
  'dir',
];

/** For Python: looks for a place that computes a name which can be that of the definition. */
export async function findNamesAtRunTime(survey: Survey, target: Target): Promise<RunTimeNames> {
  const lines = await survey.linesMatching(dynamicAccess, ['py', 'pyi', 'pyx'], dynamicWords);
  // Most places write the name as a fixed text, and need no analysis.
  const places = lines.filter(
    ({ text }) =>
      !/^\s*(?:#|(?:async\s+)?def\s+__getattr)/.test(text) &&
      parseLookUps(text, text).some(({ name }) => name === null || matchName(name, target.name) !== 'no'),
  );
  await survey.read(new Set(places.slice(0, maxPlaces).map(({ path }) => path)));
  return survey.askUntilSettled((resolver) => {
    let partialReason: string | null =
      places.length > maxPlaces ? 'many names are computed at run time' : null;
    for (const place of places.slice(0, maxPlaces)) {
      const verdict = judgePlace(survey, resolver, target, place);
      if (verdict === 'reaches')
        return {
          unknownReason: `a name that is computed at run time can be this one (${formatPlace(place)})`,
          partialReason,
        };
      if (verdict === 'may')
        partialReason ??= `a name computed at run time, on a value of unknown type, may be this one (${formatPlace(place)})`;
    }
    return { unknownReason: null, partialReason };
  });
}

function judgePlace(survey: Survey, resolver: NameResolver, target: Target, place: WordLine): Verdict {
  const { path, line, text } = place;
  const facts = resolver.facts(path);
  if (facts === null) return /\.pyx$/.test(path) ? 'may' : 'reaches';
  const callText = survey
    .lines(path)
    .slice(line - 1, line - 1 + maxCallLines)
    .join(' ');
  const enclosing = findEnclosingDefinition(facts, line);
  // A class with `__getattr__` forwards only names that are written at its uses.
  const isProxy = /^__getattr(?:ibute)?__$/.test(facts.definitions[enclosing]?.name ?? '');
  let strongest: Verdict = 'no';
  for (const { on, name } of parseLookUps(text, callText)) {
    const nameMatch = name === null ? 'any' : matchName(name, target.name);
    if (nameMatch === 'no' || isProxy) continue;
    const verdict = judgeReceiver(resolver, target, path, line, on, enclosing);
    // If the fixed part of the name matches, an unknown type is enough.
    if (verdict === 'reaches' || (verdict === 'may' && nameMatch === 'parts')) return 'reaches';
    if (verdict === 'may') strongest = verdict;
  }
  return strongest;
}

interface LookUp {
  /** The object whose member is looked up, as written; null if none is written. */
  readonly on: string | null;
  /** The expression of the name, as written; null if the code goes through all names. */
  readonly name: string | null;
}

const quotedName = /^[rbuRBU]?(['"])([\w.]*)\1$/;

function parseLookUps(text: string, whole: string): readonly LookUp[] {
  const found: LookUp[] = [];
  for (const match of text.matchAll(/\bgetattr\s*\(/g)) {
    const [on, name] = splitArguments(whole, match.index + match[0].length);
    found.push({ on: on ?? null, name: name ?? null });
  }
  for (const match of text.matchAll(/\b(?:attrgetter|methodcaller)\s*\(/g)) {
    const [name] = splitArguments(whole, match.index + match[0].length);
    found.push({ on: null, name: name ?? null });
  }
  for (const match of text.matchAll(/\b(?:getmembers|vars|dir)\s*\(/g)) {
    const [on] = splitArguments(whole, match.index + match[0].length);
    if (on !== undefined && on !== '') found.push({ on, name: null });
  }
  for (const match of text.matchAll(/([\w.]*)\.__dict__\b(.{0,40})/g)) {
    const [, on = '', rest = ''] = match;
    // On `self`, and with these methods, `__dict__` is used for data, not to call a member.
    if (/^(?:self|this)$/.test(on) || /^\.(?:update|get|setdefault|clear|pop|keys|copy)\b/.test(rest))
      continue;
    const key = /^\[\s*([^\]]+)\]/.exec(rest)?.[1];
    if (key !== undefined) found.push({ on, name: key });
    else if (!/\bin\s+[\w.]*$/.test(text.slice(0, match.index + on.length))) found.push({ on, name: null });
  }
  return found;
}

/** The complete arguments, as trimmed texts. */
function splitArguments(text: string, from: number): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let argumentStart = from;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!;
    if (quote !== '') {
      if (sign === quote && text[at - 1] !== '\\') quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if ('([{'.includes(sign)) depth += 1;
    else if (depth > 0 && ')]}'.includes(sign)) depth -= 1;
    else if (depth === 0 && (sign === ',' || sign === ')')) {
      found.push(text.slice(argumentStart, at).trim());
      argumentStart = at + 1;
      if (sign === ')') break;
    }
  }
  return found;
}

/** Whether a computed name may equal this one, by the fixed text at its beginning and end. */
function matchName(expression: string, name: string): 'no' | 'any' | 'parts' {
  const wholeName = quotedName.exec(expression)?.[2];
  // If the whole name is fixed text, the place is listed as a use.
  if (wholeName !== undefined) return 'no';
  const [, , begin = ''] = /^[fFrRbB]*(['"])(\w*)(?=\{|%s|%d|%r|\1\s*\+|\1\s*%|\1\.)/.exec(expression) ?? [];
  const [, end = ''] = /(?:\}|%s|%d|\+\s*['"])(\w*)['"](?:\s*%.*|\.format\(.*)?$/.exec(expression) ?? [];
  if (!name.startsWith(begin) || !name.endsWith(end)) return 'no';
  return begin === '' && end === '' ? 'any' : 'parts';
}

function judgeReceiver(
  resolver: NameResolver,
  target: Target,
  path: string,
  line: number,
  on: string | null,
  enclosing: number,
): Verdict {
  if (on === null) return target.isMember ? 'may' : 'no';
  const chain = on.replace(/\s+/g, '').replace(/\([^()]*\)/g, '()');
  const plainChain = /^(?:type\()?([\w.]+(?:\(\)\.[\w.]+)*(?:\(\))?)\)?$/.exec(chain)?.[1];
  if (plainChain === undefined) return target.isMember || moduleLikeName.test(chain) ? 'may' : 'no';
  const receiver = findReceiverAt(resolver, path, line, plainChain, enclosing);
  switch (receiver.kind) {
    case 'external':
    case 'folder':
      return 'no';
    case 'module':
      return !target.isMember && receiver.path === target.path ? 'reaches' : 'no';
    case 'class':
      if (target.owner === null) return 'no';
      // `may`, not `no`: a third class may inherit from both.
      return isRelated(resolver, target.owner, receiver) ? 'reaches' : 'may';
    default:
      return target.isMember || moduleLikeName.test(plainChain) ? 'may' : 'no';
  }
}

/** Names of values that are usually modules. */
const moduleLikeName = /(?:^|[._])[^\W_]*(?:mod(?:ule)?s?|package|pkg|import)\w*(?:\(\))?$|sys\.modules/i;

function findReceiverAt(
  resolver: NameResolver,
  path: string,
  line: number,
  chain: string,
  enclosing: number,
): Receiver {
  if (/^(?:self|cls)$/.test(chain)) return findOwnClass(resolver, path, enclosing);
  const first = chain.split('.')[0]!.replace('()', '');
  const facts = resolver.facts(path)!;
  const use = listUses(facts, { name: first, start: line, end: line + maxCallLines }).find(
    ({ receiver }) => receiver === null,
  );
  return use === undefined
    ? { kind: 'unknown' }
    : resolveReceiver(resolver, chain, { path, within: use.within, binding: use.binding });
}

/** Whether one class inherits from the other, or may: their base classes are not all known. */
export function isRelated(
  resolver: NameResolver,
  definitionRef: DefinitionRef,
  other: DefinitionRef,
): boolean {
  const [a, b] = [findLineage(resolver, definitionRef), findLineage(resolver, other)];
  const hasClass = (classes: readonly DefinitionRef[], { path, index }: DefinitionRef) =>
    classes.some((each) => each.path === path && each.index === index);
  return (
    a.extent === 'unknown' ||
    b.extent === 'unknown' ||
    hasClass(a.classes, other) ||
    hasClass(b.classes, definitionRef)
  );
}

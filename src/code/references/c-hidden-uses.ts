/**
 * For C: finds what may hide uses of a name. Macros join, replace and split names; the linker and the startup code
 * call functions that no source names; and code that the grammar misreads is missing from the facts.
 */
import { escapePath, type SymbolRow } from '../../core/index.ts';
import { listUses } from '../facts/facts.ts';
import type { Target } from './judge.ts';
import { familyOf } from './name-resolver.ts';
import {
  blankComments,
  cExtensions,
  describeMaker,
  findMaker,
  readArguments,
  readCode,
} from './pasted-names.ts';
import type { Survey } from './survey.ts';

const judgedKinds = /^(?:function|variable|constant|struct|enum|type)$/;
const entryPoints =
  /^(?:w?main|_start|_init|_fini|w?WinMain|DllMain|LLVMFuzzer\w+|PyInit_\w+|luaopen_\w+|Java_\w+|JNI_On\w+|RedisModule_On\w+)$/;
const callingAttributes =
  /\b(?:constructor|destructor|interrupt|signal|weak|weakref|ifunc|alias|section|used|__init|__exit|__initcall)\b/;

export async function findHiddenUsesInC(
  survey: Survey,
  target: Target,
  rows: readonly SymbolRow[],
): Promise<{ readonly unknown: readonly string[]; readonly partial: readonly string[] }> {
  const { name, definition, isMember } = target;
  const unknown: string[] = [];
  const partial: string[] = [];
  if (isMember || !judgedKinds.test(definition.kind))
    return { unknown: [`uses of a ${definition.kind} of C are not all seen`], partial };
  if (entryPoints.test(name))
    return { unknown: [`what starts the program or loads it may call ${name}`], partial };
  if (target.places.some((place) => callingAttributes.test(readHeader(survey, place))))
    return { unknown: ['an attribute lets others than those who name it call it'], partial };
  // A macro can make the name in files that contain it only after expansion, so all macros are searched.
  const maker = await findMaker(survey, name, [
    ...target.places.map(({ path }) => path),
    ...survey.candidates.filter((path) => survey.facts(path)?.language === 'c'),
  ]);
  if (maker !== null) return { unknown: [describeMaker(maker)], partial };
  if (!definition.flags.includes('private')) {
    const runTimeLookup = await findRunTimeLookup(survey);
    if (runTimeLookup !== null)
      partial.push(
        `what a name looked up at run time means is not known, so that it may be this one (${runTimeLookup})`,
      );
  }
  const macroOfName = findMacroOfName(survey, target);
  if (macroOfName !== null) partial.push(`a macro has its name as well (${macroOfName})`);
  const cppPaths = survey.candidates.filter((path) => survey.facts(path)?.language === 'cpp');
  if (cppPaths.length > 0)
    partial.push(
      `${cppPaths.length} ${cppPaths.length === 1 ? 'file' : 'files'} with the word ${cppPaths.length === 1 ? 'is' : 'are'} C++, where a name may mean several (${escapePath(cppPaths[0]!)})`,
    );
  const unlistedPlaces = findUnlisted(survey, name, rows);
  if (unlistedPlaces.length > 0)
    partial.push(
      `${unlistedPlaces.length} ${unlistedPlaces.length === 1 ? 'place' : 'places'} with the word ${unlistedPlaces.length === 1 ? 'was' : 'were'} not understood (${unlistedPlaces.slice(0, 3).join(', ')})`,
    );
  return { unknown, partial };
}

const formatPlace = (path: string, line: number): string => `${escapePath(path)}:${line}`;

function readHeader(survey: Survey, { path, index }: Target['places'][number]): string {
  const definition = survey.facts(path)?.definitions[index];
  if (definition === undefined) return '';
  return survey
    .lines(path)
    .slice(Math.max(0, definition.start - 2), Math.max(definition.header, definition.line))
    .filter((line, nth) => nth > 0 || /__attribute__|\[\[|^\s*__\w+\s*$/.test(line))
    .join('\n');
}

/** Finds a look-up such as `dlsym` whose symbol name is not written as a string in the call. */
async function findRunTimeLookup(survey: Survey): Promise<string | null> {
  const calls = await survey.linesMatching(
    '\\b(?:dlsym|dlvsym|GetProcAddress|lt_dlsym)\\s*\\(',
    cExtensions,
    ['dlsym', 'dlvsym', 'GetProcAddress', 'lt_dlsym'],
  );
  const dynamicCall = calls.find(
    ({ text }) =>
      !/^\s*(?:\/\/|\/?\*|#\s*define|(?!return\b)\w[\w\s*]*[\s*](?:dlv?sym|GetProcAddress|lt_dlsym)\s*\()/.test(
        text,
      ) && !/\b(?:dlv?sym|GetProcAddress|lt_dlsym)\s*\([^,]*,\s*(?:\([^()]*\)\s*)?"\w+"/.test(text),
  );
  return dynamicCall === undefined ? null : formatPlace(dynamicCall.path, dynamicCall.line);
}

function findMacroOfName(survey: Survey, { name }: Target): string | null {
  for (const path of survey.candidates) {
    const facts = survey.facts(path);
    if (facts === null || familyOf(facts.language) !== 'c') continue;
    const definition = facts.definitions.find((each) => each.kind === 'macro' && each.name === name);
    if (definition !== undefined) return formatPlace(path, definition.line);
  }
  return null;
}

/** Lines without comments and strings, cached with the lines of the file. */
const codeCache = new WeakMap<readonly string[], readonly string[]>();
const toCodeLines = (lines: readonly string[]): readonly string[] =>
  blankComments(lines.join('\n'))
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (text) => ' '.repeat(text.length))
    .split('\n');

/** The occurrences of a word in the code of a file, outside of comments and strings. */
function findWordsInCode(survey: Survey, path: string, name: string): readonly WordPlace[] {
  const lines = survey.lines(path);
  const code = codeCache.get(lines) ?? toCodeLines(lines);
  codeCache.set(lines, code);
  const wordPattern = new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g');
  return code.flatMap((text, nth) =>
    text.includes(name)
      ? [...text.matchAll(wordPattern)].flatMap(({ index }) =>
          isOtherName(text, index, name) ? [] : [{ line: nth + 1, column: index }],
        )
      : [],
  );
}

interface WordPlace {
  readonly line: number;
  readonly column: number;
}

const keyOf = ({ line, column }: WordPlace): string => `${line}:${column}`;

/** Occurrences in the code of C files that syntax lists neither as a definition nor as a use. */
function findUnlisted(survey: Survey, name: string, rows: readonly SymbolRow[]): readonly string[] {
  const unlisted: string[] = [];
  const rowsByPath = Map.groupBy(rows, ({ path }) => path);
  for (const path of survey.candidates) {
    const facts = survey.facts(path);
    if (facts === null || facts.language !== 'c') continue;
    const listedKeys = new Set([
      ...listUses(facts, { name }).map(keyOf),
      ...facts.definitions.filter((definition) => definition.name === name).map(keyOf),
      ...(rowsByPath.get(path) ?? []).map(keyOf),
    ]);
    for (const wordPlace of findWordsInCode(survey, path, name))
      if (!listedKeys.has(keyOf(wordPlace))) unlisted.push(formatPlace(path, wordPlace.line));
  }
  return unlisted;
}

/**
 * Whether a name is certain although the grammar could not parse all of a file: each occurrence is a known definition
 * or use, however the rest would be parsed.
 */
export function isReadDespiteErrors(
  survey: Survey,
  target: Target,
  path: string,
  rows: readonly SymbolRow[],
): boolean {
  const facts = survey.facts(path);
  if (facts === null || facts.language !== 'c' || survey.facts(target.path)?.language !== 'c') return false;
  const sureKeys = new Set([
    ...rows.filter((row) => row.path === path && row.sure).map(keyOf),
    ...target.places.flatMap(({ path: at, index }) =>
      at === path ? [keyOf(facts.definitions[index]!)] : [],
    ),
  ]);
  return findWordsInCode(survey, path, target.name).every((wordPlace) => sureKeys.has(keyOf(wordPlace)));
}

/** Whether an occurrence certainly names something else: an included file, a label, a parameter of a declaration. */
const isOtherName = (line: string, index: number, name: string): boolean =>
  /^\s*#\s*(?:include|import|error|warning|line|pragma\s+(?:mark|region|once))\b/.test(line) ||
  /\bgoto\s+$/.test(line.slice(0, index)) ||
  new RegExp(`^\\s*${name}\\s*:(?!:)`).test(line);

const keywords = new Set(
  'if while for switch return sizeof defined do else case typeof __typeof__ _Alignof alignof'.split(' '),
);
const maxLinesBefore = 40;

/** A call around a place, and the index of the argument that contains the place, from 0. */
interface EnclosingCall {
  readonly name: string;
  readonly nth: number;
}

/** Lists the calls around a place, innermost first: `f` and `g` for `name` in `g(1, f(name))`. */
export function findEnclosingCalls(
  lines: readonly string[],
  line: number,
  column: number,
): readonly EnclosingCall[] {
  const text = [
    ...lines.slice(Math.max(0, line - 1 - maxLinesBefore), line - 1),
    (lines[line - 1] ?? '').slice(0, column),
  ].join('\n');
  const code = blankComments(text).replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (part) =>
    ' '.repeat(part.length),
  );
  const calls: EnclosingCall[] = [];
  let depth = 0;
  let nth = 0;
  for (let at = code.length - 1; at >= 0; at -= 1) {
    const sign = code[at]!;
    if (sign === ')') depth += 1;
    else if (sign === '(' && depth > 0) depth -= 1;
    else if (sign === '(') {
      const name = /([A-Za-z_]\w*)\s*$/.exec(code.slice(Math.max(0, at - 200), at))?.[1];
      if (name !== undefined && !keywords.has(name)) calls.push({ name, nth });
      nth = 0;
    } else if (depth === 0 && sign === ',') nth += 1;
    else if (depth === 0 && (sign === ';' || sign === '}')) break;
  }
  return calls;
}

/** Marks rows as unsure if their name is passed to a macro that may make another name of it, or use it as a field. */
export async function markMacroUsesUnsure(
  survey: Survey,
  { path: targetPath }: Target,
  rowsByPlace: Map<string, SymbolRow>,
): Promise<void> {
  if (survey.facts(targetPath)?.language !== 'c') return;
  const verdicts = new Map<string, boolean>();
  for (const [key, row] of rowsByPlace) {
    if (!row.sure || row.kind !== 'reference') continue;
    for (const { name, nth } of findEnclosingCalls(survey.lines(row.path), row.line, row.column)) {
      const callKey = `${name} ${nth}`;
      const isNameKept = verdicts.get(callKey) ?? (await keepsName(survey, name, nth, 0));
      verdicts.set(callKey, isNameKept);
      if (!isNameKept) rowsByPlace.set(key, { ...row, sure: false });
    }
  }
}

const maxDepth = 4;
/** Macros that take the name of a field, and any name in capitals, since it may be a macro of another project. */
const macrosTakingParts =
  /^(?:_*[A-Z][A-Z0-9_]*|offsetof|va_arg|\w*container_of|\w*list_entry\w*|cmocka_\w+)$/;

/** Whether the called macro or function uses its `nth` argument as a plain name: it neither joins, quotes nor selects it. */
async function keepsName(survey: Survey, call: string, nth: number, depth: number): Promise<boolean> {
  const lines = await survey.linesMatching(`^\\s*#\\s*define\\s+${call}\\b`, cExtensions, [call]);
  if (lines.length === 0) return !macrosTakingParts.test(call);
  if (depth >= maxDepth) return false;
  for (const { path, line } of lines) {
    const macro = (await readCode(survey, path)).macros.find(
      (macroDefinition) => macroDefinition.line === line,
    );
    if (macro === undefined) return false;
    const { body, parameters } = macro;
    // The macro is only another name of a function.
    if (parameters === null && /^\s*\w+\s*$/.test(body)) {
      if (!(await keepsName(survey, body.trim(), nth, depth + 1))) return false;
      continue;
    }
    const parameterName = parameters?.[nth];
    const parameter =
      parameterName === undefined || parameterName.includes('...') ? '__VA_ARGS__' : parameterName;
    if (parameters === null) return false;
    const word = new RegExp(`\\b${parameter}\\b`);
    if (!word.test(body)) continue;
    if (
      new RegExp(`#\\s*${parameter}\\b|\\b${parameter}\\s*##|(?:->|\\.)\\s*${parameter}\\b`).test(
        dropComma(body),
      )
    )
      return false;
    for (const { 1: innerCall, index, 0: whole } of body.matchAll(/([A-Za-z_]\w*)\s*\(/g)) {
      if (innerCall === undefined || keywords.has(innerCall) || innerCall === call || innerCall === parameter)
        continue;
      const arguments_ = readArguments(body, index + whole.length - 1);
      for (const [argumentIndex, text] of (arguments_ ?? [parameter]).entries())
        if (word.test(text) && !(await keepsName(survey, innerCall, argumentIndex, depth + 1))) return false;
    }
  }
  return true;
}

/** `, ##__VA_ARGS__` drops a comma; it joins no names. */
const dropComma = (body: string): string => body.replace(/,\s*##\s*__VA_ARGS__/g, ', __VA_ARGS__');

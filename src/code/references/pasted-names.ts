/**
 * For C: names that macros join with `##`, and whether a given name can be the result. Parts are traced through the
 * macros that pass them on. If that is not possible, any name may result.
 */
import { posix } from 'node:path';
import { escapePath } from '../../core/index.ts';
import { hasNoCode, type Survey } from './survey.ts';

/** A part of a joined name: a fixed text, an argument of the macro, or anything. */
type PastePart =
  | { readonly kind: 'text'; readonly text: string; readonly mayBeMacro?: true }
  /** `expanded`: the argument was expanded before, if it is a macro. */
  | { readonly kind: 'argument'; readonly nth: number; readonly expanded: boolean }
  | { readonly kind: 'any' };

interface Paste {
  readonly macro: string;
  readonly pieces: readonly PastePart[];
}

interface MacroDefinition {
  readonly name: string;
  /** Null: the macro takes no arguments. */
  readonly parameters: readonly string[] | null;
  readonly body: string;
  readonly line: number;
  readonly lastLine: number;
}

/** File extensions that a C compiler may read. */
export const cExtensions: readonly string[] =
  'c h cc cpp cxx hpp hh hxx inc inl ipp def tbl tab tpl in m mm y l x S s'.split(' ');

const maxRounds = 5;
const maxMacros = 60;
const maxPlaces = 6_000;
const maxArgumentLines = 40;

const tokenPattern = /[A-Za-z_]\w*|\d[\w.]*|##|#|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\S/g;
const isWord = (text: string): boolean => /^\w+$/.test(text);

/** Replaces comments by blanks, so that positions don't change. */
export const blankComments = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, (part) =>
    part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part,
  );

/** The macros that a text defines. The text must have no comments. */
export function parseMacros(text: string): readonly MacroDefinition[] {
  const macros: MacroDefinition[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const directive = /^\s*#\s*define\s+([A-Za-z_]\w*)(\(([^)]*)\))?/.exec(lines[at]!);
    if (directive === null && !/^\s*#\s*define\s+\w+\([^)]*\\\s*$/.test(lines[at]!)) continue;
    const firstLine = at;
    let definitionText = lines[at]!.replace(/\\\s*$/, '');
    while (/\\\s*$/.test(lines[at]!) && at + 1 < lines.length) {
      at += 1;
      definitionText += `\n${lines[at]!.replace(/\\\s*$/, '')}`;
    }
    const [directiveText = '', name = '', , parameterList] =
      /^\s*#\s*define\s+([A-Za-z_]\w*)(\(([^)]*)\))?/.exec(definitionText) ?? [];
    macros.push({
      name,
      parameters:
        parameterList === undefined
          ? null
          : parameterList
              .split(',')
              .map((one) => one.trim())
              .filter((one) => one !== ''),
      body: definitionText.slice(directiveText.length),
      line: firstLine + 1,
      lastLine: at + 1,
    });
  }
  return macros;
}

const argumentIndex = (parameters: readonly string[] | null, word: string): number =>
  (parameters ?? []).indexOf(word);

const isRestParameter = (parameters: readonly string[] | null, word: string): boolean =>
  /^__VA_(?:ARGS|OPT)__$/.test(word) || (parameters?.includes(`${word}...`) ?? false);

/** Lists the names that the body of a macro joins with `##`. */
export function listPastes({ name, parameters, body }: MacroDefinition): readonly Paste[] {
  const tokens = [...body.matchAll(tokenPattern)].map(([text]) => text);
  const pastes: Paste[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at + 1] !== '##') continue;
    const chain = [tokens[at]!];
    while (tokens[at + 1] === '##' && tokens[at + 2] !== undefined) {
      chain.push(tokens[at + 2]!);
      at += 2;
    }
    // `, ##__VA_ARGS__` drops a comma, and operators form no names.
    if (!chain.every(isWord)) continue;
    pastes.push({
      macro: name,
      pieces: chain.map((word): PastePart => {
        const nth = argumentIndex(parameters, word);
        if (nth >= 0) return { kind: 'argument', nth, expanded: false };
        return isRestParameter(parameters, word) ? { kind: 'any' } : { kind: 'text', text: word };
      }),
    });
  }
  return pastes;
}

const canFormName = (pieces: readonly PastePart[], name: string): boolean =>
  new RegExp(
    `^${pieces.map((pastePart) => (pastePart.kind === 'text' ? pastePart.text : '\\w*')).join('')}$`,
  ).test(name);

const keyOf = ({ macro, pieces }: Paste): string =>
  `${macro} ${pieces.map((pastePart) => (pastePart.kind === 'text' ? `'${pastePart.text}` : pastePart.kind === 'any' ? '*' : `${pastePart.nth}${pastePart.expanded}`)).join(' ')}`;

/** The arguments of the call whose bracket is at `open`; null if the bracket is not closed. */
export function readArguments(text: string, openBracket: number): readonly string[] | null {
  const argumentTexts: string[] = [];
  let depth = 0;
  let argumentStart = openBracket + 1;
  let lines = 0;
  for (const { 0: sign, index } of text
    .slice(openBracket)
    .matchAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(),\n]/g)) {
    const at = openBracket + index;
    if (sign === '\n') lines += 1;
    if (lines > maxArgumentLines) return null;
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (depth === 0 || (depth === 1 && sign === ',')) {
      argumentTexts.push(text.slice(argumentStart, at).replace(/\\\n/g, ' ').trim());
      argumentStart = at + 1;
      if (depth === 0) return argumentTexts;
    }
  }
  return null;
}

interface SourceLine {
  readonly path: string;
  readonly line: number;
}

/** A macro that can make a name by joining parts, and the line where it does. */
export interface Maker extends SourceLine {
  readonly macro: string;
}

interface CodeText {
  /** The text without comments. */
  readonly text: string;
  readonly macros: readonly MacroDefinition[];
}

/** The text of a file without comments. */
export const readCode = (survey: Survey, path: string): Promise<CodeText> =>
  survey.derive(path, 'code', (fileText): CodeText => {
    const text = blankComments(fileText);
    return { text, macros: parseMacros(text) };
  });

/** Lists the names that the macros of a file join, with the lines of the macros. */
const listPasteSites = (survey: Survey, path: string): Promise<readonly PasteSite[]> =>
  survey.derive(path, 'pastes', (text) =>
    text.includes('##')
      ? parseMacros(blankComments(text))
          .filter(({ body }) => body.includes('##'))
          .flatMap((macro) => listPastes(macro).map((paste) => ({ paste, line: macro.line })))
      : [],
  );

interface PasteSite {
  readonly paste: Paste;
  readonly line: number;
}

const isC = (path: string): boolean => cExtensions.includes(path.slice(path.lastIndexOf('.') + 1));

const listLineStarts = (text: string): readonly number[] => {
  const found = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found.push(at + 1);
  return found;
};

/** Finds the first macro that may make this name in a file that sees one of `places`; null if there is none. */
export async function findMaker(
  survey: Survey,
  name: string,
  places: readonly string[],
): Promise<Maker | null> {
  const isVisible = await createVisibilityTest(survey, places);
  let openPastes: Paste[] = [];
  const seen = new Set<string>();
  for (const path of (await survey.listContaining(['define'])).filter(isC))
    for (const { paste, line } of await listPasteSites(survey, path)) {
      if (!canFormName(paste.pieces, name)) continue;
      if (paste.pieces.every(({ kind }) => kind !== 'argument') && isVisible(path))
        return { macro: paste.macro, path, line };
      if (!seen.has(keyOf(paste))) openPastes.push(paste);
      seen.add(keyOf(paste));
    }
  for (let round = 0; openPastes.length > 0; round += 1) {
    const byMacro = Map.groupBy(openPastes, ({ macro }) => macro);
    const macros = [...byMacro.keys()];
    const wordLines = await survey.linesMatching(`\\b(?:${macros.join('|')})\\b`, cExtensions, macros);
    const lines = wordLines.filter((line) => isVisible(line.path));
    const [firstUse] = lines;
    if (firstUse === undefined) return null;
    if (round >= maxRounds || macros.length > maxMacros || lines.length > maxPlaces || survey.isOver)
      return { macro: macros[0]!, path: firstUse.path, line: firstUse.line };
    const nextPastes: Paste[] = [];
    for (const [path, linesOfFile] of Map.groupBy(lines, (wordLine) => wordLine.path)) {
      const { maker, passedOn } = await findMakersIn(
        survey,
        await readCode(survey, path),
        path,
        linesOfFile,
        byMacro,
        name,
      );
      if (maker !== null) return maker;
      nextPastes.push(...passedOn);
    }
    openPastes = nextPastes.filter((paste) => !seen.has(keyOf(paste)));
    for (const paste of openPastes) seen.add(keyOf(paste));
  }
  return null;
}

/**
 * Returns a test whether the compiler may read a file together with one of the places. A name made by a macro refers
 * to a definition only if the definition, or a declaration of it, is visible there.
 */
async function createVisibilityTest(
  survey: Survey,
  places: readonly string[],
): Promise<(path: string) => boolean> {
  const lines = await survey.linesMatching('^\\s*#\\s*(?:include|import)\\b', cExtensions, [
    'include',
    'import',
  ]);
  const includes = new Map<string, string[]>();
  const includedBy = new Map<string, string[]>();
  const includesAny = new Set<string>();
  const byName = Map.groupBy(survey.moduleMap.paths, (path) => path.slice(path.lastIndexOf('/') + 1));
  for (const { path, text } of lines) {
    const module = /^\s*#\s*(?:include|import)(?:_next)?\s*["<]([^">]+)[">]/.exec(text)?.[1];
    if (module === undefined) {
      // The include is computed by a macro, so it may be any file.
      if (/^\s*#\s*(?:include|import)\s+[A-Za-z_]/.test(text)) includesAny.add(path);
      continue;
    }
    const relativePath = posix.join(posix.dirname(path), module);
    const fileName = module.slice(module.lastIndexOf('/') + 1);
    const pathEnd = `/${module.replace(/^(?:\.\.?\/)+/, '')}`;
    const includedPaths = survey.isListed(relativePath)
      ? [relativePath]
      : [...(byName.get(fileName) ?? []), ...(byName.get(`${fileName}.in`) ?? [])].filter((one) =>
          `/${one.replace(/\.in$/, '')}`.endsWith(pathEnd),
        );
    for (const one of includedPaths) {
      includes.set(path, [...(includes.get(path) ?? []), one]);
      includedBy.set(one, [...(includedBy.get(one) ?? []), path]);
    }
  }
  const includingFiles = closure([...places, ...includesAny], includedBy);
  const visibleFiles = closure(includingFiles, includes);
  return (path) => visibleFiles.has(path);
}

function closure(from: Iterable<string>, steps: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(from);
  for (const path of found) for (const next of steps.get(path) ?? []) found.add(next);
  return found;
}

/** Finds where a file uses the macros: the place that may make the name, or further macros that use them. */
async function findMakersIn(
  survey: Survey,
  { text, macros }: CodeText,
  path: string,
  lines: readonly SourceLine[],
  byMacro: ReadonlyMap<string, readonly Paste[]>,
  name: string,
): Promise<{ readonly maker: Maker | null; readonly passedOn: readonly Paste[] }> {
  const lineStarts = listLineStarts(text);
  const macroPattern = new RegExp(`\\b(?:${[...byMacro.keys()].join('|')})\\b`, 'g');
  const passedOn: Paste[] = [];
  for (const line of new Set(lines.map((sourceLine) => sourceLine.line))) {
    const lineStart = lineStarts[line - 1] ?? text.length;
    const lineText = text.slice(lineStart, lineStarts[line] ?? text.length);
    if (/^\s*#\s*(?:undef|ifdef|ifndef)\b/.test(lineText)) continue;
    const enclosingMacro = macros.find(
      (macroDefinition) => macroDefinition.line <= line && line <= macroDefinition.lastLine,
    );
    for (const match of lineText.matchAll(macroPattern)) {
      const macro = match[0];
      // This is the definition of the macro itself.
      if (
        enclosingMacro?.line === line &&
        enclosingMacro.name === macro &&
        /^\s*#\s*define\s+$/.test(lineText.slice(0, match.index))
      )
        continue;
      const afterMacro = lineStart + match.index + macro.length;
      const bracket = /^\s*\(/.exec(text.slice(afterMacro, afterMacro + 200));
      const callArguments = bracket === null ? null : readArguments(text, afterMacro + bracket[0].length - 1);
      for (const paste of byMacro.get(macro)!) {
        const pieces = paste.pieces.map(
          (piece): PastePart => substituteArgument(piece, callArguments, enclosingMacro),
        );
        if (!canFormName(pieces.map(widenPiece), name)) continue;
        if (pieces.some(({ kind }) => kind === 'argument') && enclosingMacro !== undefined) {
          passedOn.push({ macro: enclosingMacro.name, pieces });
          continue;
        }
        if (canFormName(pieces, name) || (await mayBeMacros(survey, pieces)))
          return { maker: { macro, path, line }, passedOn };
      }
    }
  }
  return { maker: null, passedOn };
}

const widenPiece = (piece: PastePart): PastePart =>
  piece.kind === 'text' && piece.mayBeMacro === true ? { kind: 'any' } : piece;

function substituteArgument(
  piece: PastePart,
  callArguments: readonly string[] | null,
  enclosingMacro: MacroDefinition | undefined,
): PastePart {
  if (piece.kind !== 'argument') return piece;
  const text = callArguments?.[piece.nth];
  if (text === undefined || !/^\w*$/.test(text)) return { kind: 'any' };
  const nth = argumentIndex(enclosingMacro?.parameters ?? null, text);
  // An argument that another macro passes on is already expanded.
  if (nth >= 0) return { kind: 'argument', nth, expanded: true };
  if (isRestParameter(enclosingMacro?.parameters ?? null, text)) return { kind: 'any' };
  // A macro is not expanded again inside its own text.
  const mayBeMacro = piece.expanded && text !== enclosingMacro?.name;
  return { kind: 'text', text, ...(mayBeMacro && { mayBeMacro: true as const }) };
}

async function mayBeMacros(survey: Survey, pieces: readonly PastePart[]): Promise<boolean> {
  const words = pieces.flatMap((pastePart) =>
    pastePart.kind === 'text' && pastePart.mayBeMacro === true ? [pastePart.text] : [],
  );
  const identifiers = words.filter((one) => /^[A-Za-z_]/.test(one));
  if (identifiers.length === 0) return false;
  const capitalNames = identifiers.filter((one) => /^_*[A-Z][A-Z0-9_]*$/.test(one));
  // A nearby word in capitals may define it: a word that ends in `_` is meant to be extended.
  if (capitalNames.some((one) => !one.endsWith('_'))) return true;
  // A compiler option may define it (`-DNAME=`): then a file that is not C contains it.
  for (const one of capitalNames)
    if (!(await survey.listContaining([one, `D${one}`])).every((path) => isC(path) || hasNoCode(path)))
      return true;
  const definingLines = await survey.linesMatching(
    `^\\s*#\\s*define\\s+(?:${identifiers.join('|')})\\b`,
    cExtensions,
    identifiers,
  );
  return definingLines.length > 0;
}

export const describeMaker = ({ macro, path, line }: Maker): string =>
  `the macro ${macro} puts names together, and may make this one (${escapePath(path)}:${line})`;

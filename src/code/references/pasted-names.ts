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

const token = /[A-Za-z_]\w*|\d[\w.]*|##|#|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\S/g;
const isWord = (text: string): boolean => /^\w+$/.test(text);

/** Replaces comments by blanks, so that positions don't change. */
export const blankComments = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, (part) =>
    part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part,
  );

/** The macros that a text defines. The text must have no comments. */
export function parseMacros(text: string): readonly MacroDefinition[] {
  const found: MacroDefinition[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const head = /^\s*#\s*define\s+([A-Za-z_]\w*)(\(([^)]*)\))?/.exec(lines[at]!);
    if (head === null && !/^\s*#\s*define\s+\w+\([^)]*\\\s*$/.test(lines[at]!)) continue;
    const first = at;
    let whole = lines[at]!.replace(/\\\s*$/, '');
    while (/\\\s*$/.test(lines[at]!) && at + 1 < lines.length) {
      at += 1;
      whole += `\n${lines[at]!.replace(/\\\s*$/, '')}`;
    }
    const [matched = '', name = '', , given] =
      /^\s*#\s*define\s+([A-Za-z_]\w*)(\(([^)]*)\))?/.exec(whole) ?? [];
    found.push({
      name,
      parameters:
        given === undefined
          ? null
          : given
              .split(',')
              .map((one) => one.trim())
              .filter((one) => one !== ''),
      body: whole.slice(matched.length),
      line: first + 1,
      lastLine: at + 1,
    });
  }
  return found;
}

const argumentIndex = (parameters: readonly string[] | null, word: string): number =>
  (parameters ?? []).indexOf(word);

const isRestParameter = (parameters: readonly string[] | null, word: string): boolean =>
  /^__VA_(?:ARGS|OPT)__$/.test(word) || (parameters?.includes(`${word}...`) ?? false);

/** The names that one macro joins itself. */
export function listPastes({ name, parameters, body }: MacroDefinition): readonly Paste[] {
  const tokens = [...body.matchAll(token)].map(([text]) => text);
  const found: Paste[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at + 1] !== '##') continue;
    const chain = [tokens[at]!];
    while (tokens[at + 1] === '##' && tokens[at + 2] !== undefined) {
      chain.push(tokens[at + 2]!);
      at += 2;
    }
    // `, ##__VA_ARGS__` drops a comma, and operators form no names.
    if (!chain.every(isWord)) continue;
    found.push({
      macro: name,
      pieces: chain.map((word): PastePart => {
        const nth = argumentIndex(parameters, word);
        if (nth >= 0) return { kind: 'argument', nth, expanded: false };
        return isRestParameter(parameters, word) ? { kind: 'any' } : { kind: 'text', text: word };
      }),
    });
  }
  return found;
}

const canFormName = (pieces: readonly PastePart[], name: string): boolean =>
  new RegExp(
    `^${pieces.map((pastePart) => (pastePart.kind === 'text' ? pastePart.text : '\\w*')).join('')}$`,
  ).test(name);

const keyOf = ({ macro, pieces }: Paste): string =>
  `${macro} ${pieces.map((pastePart) => (pastePart.kind === 'text' ? `'${pastePart.text}` : pastePart.kind === 'any' ? '*' : `${pastePart.nth}${pastePart.expanded}`)).join(' ')}`;

/** The arguments of the call whose bracket is at `open`; null if the bracket is not closed. */
export function readArguments(text: string, open: number): readonly string[] | null {
  const found: string[] = [];
  let depth = 0;
  let argumentStart = open + 1;
  let lines = 0;
  for (const { 0: sign, index } of text
    .slice(open)
    .matchAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(),\n]/g)) {
    const at = open + index;
    if (sign === '\n') lines += 1;
    if (lines > maxArgumentLines) return null;
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (depth === 0 || (depth === 1 && sign === ',')) {
      found.push(text.slice(argumentStart, at).replace(/\\\n/g, ' ').trim());
      argumentStart = at + 1;
      if (depth === 0) return found;
    }
  }
  return null;
}

interface SourceLine {
  readonly path: string;
  readonly line: number;
}

/** A macro that can make the name, and where. */
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
  survey.derive(path, 'code', (given): CodeText => {
    const text = blankComments(given);
    return { text, macros: parseMacros(text) };
  });

/** The names that the macros of a file join. */
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

/** The first macro that may make this name; null if there is none. */
export async function findMaker(
  survey: Survey,
  name: string,
  places: readonly string[],
): Promise<Maker | null> {
  const isSeen = await createVisibilityTest(survey, places);
  let open: Paste[] = [];
  const seen = new Set<string>();
  for (const path of (await survey.listContaining(['define'])).filter(isC))
    for (const { paste, line } of await listPasteSites(survey, path)) {
      if (!canFormName(paste.pieces, name)) continue;
      if (paste.pieces.every(({ kind }) => kind !== 'argument') && isSeen(path))
        return { macro: paste.macro, path, line };
      if (!seen.has(keyOf(paste))) open.push(paste);
      seen.add(keyOf(paste));
    }
  for (let round = 0; open.length > 0; round += 1) {
    const byMacro = Map.groupBy(open, ({ macro }) => macro);
    const macros = [...byMacro.keys()];
    const all = await survey.linesMatching(`\\b(?:${macros.join('|')})\\b`, cExtensions, macros);
    const lines = all.filter((line) => isSeen(line.path));
    const [first] = lines;
    if (first === undefined) return null;
    if (round >= maxRounds || macros.length > maxMacros || lines.length > maxPlaces || survey.isOver)
      return { macro: macros[0]!, path: first.path, line: first.line };
    const more: Paste[] = [];
    for (const [path, own] of Map.groupBy(lines, (wordLine) => wordLine.path)) {
      const { maker, passedOn } = await findMakersIn(
        survey,
        await readCode(survey, path),
        path,
        own,
        byMacro,
        name,
      );
      if (maker !== null) return maker;
      more.push(...passedOn);
    }
    open = more.filter((paste) => !seen.has(keyOf(paste)));
    for (const paste of open) seen.add(keyOf(paste));
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
    const near = posix.join(posix.dirname(path), module);
    const last = module.slice(module.lastIndexOf('/') + 1);
    const tail = `/${module.replace(/^(?:\.\.?\/)+/, '')}`;
    const found = survey.isListed(near)
      ? [near]
      : [...(byName.get(last) ?? []), ...(byName.get(`${last}.in`) ?? [])].filter((one) =>
          `/${one.replace(/\.in$/, '')}`.endsWith(tail),
        );
    for (const one of found) {
      includes.set(path, [...(includes.get(path) ?? []), one]);
      includedBy.set(one, [...(includedBy.get(one) ?? []), path]);
    }
  }
  const above = closure([...places, ...includesAny], includedBy);
  const seen = closure(above, includes);
  return (path) => seen.has(path);
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
  const starts = listLineStarts(text);
  const word = new RegExp(`\\b(?:${[...byMacro.keys()].join('|')})\\b`, 'g');
  const passedOn: Paste[] = [];
  for (const line of new Set(lines.map((sourceLine) => sourceLine.line))) {
    const from = starts[line - 1] ?? text.length;
    const shown = text.slice(from, starts[line] ?? text.length);
    if (/^\s*#\s*(?:undef|ifdef|ifndef)\b/.test(shown)) continue;
    const around = macros.find(
      (macroDefinition) => macroDefinition.line <= line && line <= macroDefinition.lastLine,
    );
    for (const match of shown.matchAll(word)) {
      const macro = match[0];
      // This is the definition of the macro itself.
      if (
        around?.line === line &&
        around.name === macro &&
        /^\s*#\s*define\s+$/.test(shown.slice(0, match.index))
      )
        continue;
      const behind = from + match.index + macro.length;
      const bracket = /^\s*\(/.exec(text.slice(behind, behind + 200));
      const given = bracket === null ? null : readArguments(text, behind + bracket[0].length - 1);
      for (const paste of byMacro.get(macro)!) {
        const pieces = paste.pieces.map((piece): PastePart => substituteArgument(piece, given, around));
        if (!canFormName(pieces.map(widenPiece), name)) continue;
        if (pieces.some(({ kind }) => kind === 'argument') && around !== undefined) {
          passedOn.push({ macro: around.name, pieces });
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
  given: readonly string[] | null,
  around: MacroDefinition | undefined,
): PastePart {
  if (piece.kind !== 'argument') return piece;
  const text = given?.[piece.nth];
  if (text === undefined || !/^\w*$/.test(text)) return { kind: 'any' };
  const nth = argumentIndex(around?.parameters ?? null, text);
  // An argument that another macro passes on is already expanded.
  if (nth >= 0) return { kind: 'argument', nth, expanded: true };
  if (isRestParameter(around?.parameters ?? null, text)) return { kind: 'any' };
  // A macro is not expanded again inside its own text.
  const mayBeMacro = piece.expanded && text !== around?.name;
  return { kind: 'text', text, ...(mayBeMacro && { mayBeMacro: true as const }) };
}

async function mayBeMacros(survey: Survey, pieces: readonly PastePart[]): Promise<boolean> {
  const words = pieces.flatMap((pastePart) =>
    pastePart.kind === 'text' && pastePart.mayBeMacro === true ? [pastePart.text] : [],
  );
  const named = words.filter((one) => /^[A-Za-z_]/.test(one));
  if (named.length === 0) return false;
  const capitals = named.filter((one) => /^_*[A-Z][A-Z0-9_]*$/.test(one));
  // A nearby word in capitals may define it: a word that ends in `_` is meant to be extended.
  if (capitals.some((one) => !one.endsWith('_'))) return true;
  // A compiler option may define it (`-DNAME=`): then a file that is not C contains it.
  for (const one of capitals)
    if (!(await survey.listContaining([one, `D${one}`])).every((path) => isC(path) || hasNoCode(path)))
      return true;
  const found = await survey.linesMatching(
    `^\\s*#\\s*define\\s+(?:${named.join('|')})\\b`,
    cExtensions,
    named,
  );
  return found.length > 0;
}

export const describeMaker = ({ macro, path, line }: Maker): string =>
  `the macro ${macro} puts names together, and may make this one (${escapePath(path)}:${line})`;

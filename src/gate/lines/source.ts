/** The lines that a claim may rest on, split into segments: a line of code, a sentence, a row, a log line. */

import { findCodeSpans, findSentenceEnds } from '../../core/answers.ts';
import type { FileSpan } from '../../core/index.ts';
import { findComputed } from '../claim/computed-figures.ts';
import { type Figure, findFigures, findWordFigures } from '../claim/figures.ts';
import { findMoments, type Moment } from '../claim/times.ts';
import type { ClaimSource } from '../gate.ts';
import { collapseSpaces, normalizeUnicode, removeSpaces } from '../words/normal.ts';
import { findSignWords, splitName, splitWords, toComparable, type Word } from '../words/words.ts';

export interface Segment {
  readonly text: string;
  /** Index of its source. */
  readonly source: number;
  /** Line number of its first line in the source. */
  readonly line: number;
  readonly isCode: boolean;
  /** A line of a log or of data: independent of its neighbours. */
  readonly isRecord: boolean;
  /** A line within a docstring or a comment of several lines. */
  readonly isText: boolean;
  /** For a line of code that begins a block: the last segment of the block. */
  readonly scopeEnd: number | null;
  readonly words: readonly Word[];
  /** Stems of its words and of the words for its signs. */
  readonly bases: ReadonlySet<string>;
  readonly figures: readonly Figure[];
  readonly moments: readonly Moment[];
  /** The headings above an item or a row, among the lines. */
  readonly headings: Headings;
  /** The level of a heading, from 1; 0 for any other text. */
  readonly level: number;
}

interface Headings {
  readonly text: string;
  readonly bases: ReadonlySet<string>;
}

const noHeadings: Headings = { text: '', bases: new Set() };

export interface Source {
  readonly segments: readonly Segment[];
  /** For each name as written, the segments that contain it. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  /** The same for names in lower case and without separators: `max_retry`, `maxRetry` and `max-retry` are one name. */
  readonly joined: ReadonlyMap<string, readonly number[]>;
  /** For each source, its lines joined; and the same without any space. */
  readonly flats: readonly string[];
  readonly denses: readonly string[];
  readonly paths: readonly string[];
  /** The file and lines of each source. */
  readonly places: readonly FileSpan[];
  /** Words that count as known, though the lines need not contain them: of the question, the headers and the paths. */
  readonly known: KnownSource;
}

export interface KnownSource {
  readonly text: string;
  readonly header: string;
  readonly names: ReadonlySet<string>;
  readonly bases: ReadonlySet<string>;
  readonly joined: ReadonlySet<string>;
}

export const proseFile =
  /\.(?:md|mdx|markdown|qmd|rmd|rst|adoc|asciidoc|org|textile|txt|html?)$|(?:^|\/)(?:README|CHANGELOG|NEWS|LICENSE)[^/]*$|^commit:/i;
const codeFile =
  /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|py|pyi|pyx|go|rs|java|kt|kts|scala|groovy|c|h|cc|cpp|cxx|hpp|hh|cs|fs|rb|php|swift|sh|bash|zsh|ps1|sql|vue|svelte|proto|graphql|ex|exs|erl|hs|ml|clj|lua|pl|r|jl|dart|zig|nim|tf|gradle|css|scss|ya?ml|toml|ini|cfg|conf|json|xml|diff|patch)$/i;
const dataFile = /\.(?:log|csv|tsv|ndjson|jsonl)(?:\.\d+)?$/i;
/** A version in the heading of a release: `1.4.0`, `v2.1`. */
const versioned = /(?<![\p{L}\p{N}_.])v?\d+\.\d+(?:\.\d+)*(?![\p{L}\p{N}_]|\.\d)/iu;

/** The segments below a heading that is a time or a release: what they say is of that time, or that release. */
export function listSegmentsBelow(at: number, { segments }: Source): readonly number[] {
  const heading = segments[at]!;
  if (heading.level === 0 || (heading.moments.length === 0 && !versioned.test(heading.text))) return [];
  const found: number[] = [];
  for (let below = at + 1; below < segments.length; below += 1) {
    const { source, level } = segments[below]!;
    if (source !== heading.source || (level > 0 && level <= heading.level)) break;
    found.push(below);
  }
  return found;
}

const rowOrItem = /^\s*(?:\||[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|>)/;
const comment =
  /^\s*(?:\/\/+!?|#+(?!\s*(?:include|if|endif|define|!))|\*+(?!\/)|\/\*+|--(?!-)|;;+|"""|''')\s?(.*?)\s*(?:\*\/|"""|''')?$/;

export function createSource(sources: readonly ClaimSource[], question = ''): Source {
  const segments: Segment[] = [];
  for (const [index, source] of sources.entries()) {
    const first = segments.length;
    const own = splitSegments(source, index);
    segments.push(...own.map((one, at) => ({ ...one, scopeEnd: findScopeEnd(own, at, first) })));
  }
  const names = new Map<string, number[]>();
  const joined = new Map<string, number[]>();
  for (const [index, { text }] of segments.entries()) {
    for (const [name] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) addToList(names, name, index);
    for (const [name] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$-]*/gu))
      addToList(joined, joinName(name), index);
    // Two or three words in a row may be written as one name in other places.
    const bare = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const [at, word] of bare.entries())
      for (const length of [1, 2, 3])
        if (at + length <= bare.length)
          addToList(
            joined,
            (length === 1 ? word : bare.slice(at, at + length).join('')).toLowerCase(),
            index,
          );
  }
  const headers = sources.map(({ header = '' }) => normalizeUnicode(header)).join('\n');
  const paths = sources.map(({ path }) => path);
  const knownText = `${normalizeUnicode(question)}\n${headers}\n${paths.join('\n')}`;
  return {
    segments,
    names,
    joined,
    flats: sources.map(({ content }) => flatLines(content)),
    denses: sources.map(({ content }) => removeSpaces(normalizeUnicode(content).replace(/["'`]/g, "'"))),
    paths,
    places: sources.map(({ path, start, end }) => ({ path, start, end })),
    known: {
      text: knownText,
      header: headers,
      names: new Set([
        ...(knownText.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []),
        ...paths.flatMap((path) => splitWords(path).map(({ text }) => text)),
      ]),
      bases: new Set(splitWords(knownText).map(({ base }) => base)),
      joined: new Set((knownText.match(/[\p{L}_$][\p{L}\p{N}_$-]*/gu) ?? []).map(joinName)),
    },
  };
}

/**
 * A function whose result is worked out once for each source, or for each of its lines, and kept as long as that is.
 */
export function cacheByKey<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: make(key) };
    known.set(key, found);
    return found.value;
  };
}

/** All lines as one text. */
export const joinLines = cacheByKey(({ segments }: Source): string =>
  segments.map(({ text }) => text).join('\n'),
);

/** Returns the source of a set of lines. Each set is split only once. */
export function createSourceCache(question: string): (used: readonly ClaimSource[]) => Source {
  const prepared = new Map<string, Source>();
  return (used) => {
    const key = used.map(({ id }) => id).join(' ');
    const known = prepared.get(key) ?? createSource(used, question);
    prepared.set(key, known);
    return known;
  };
}

export const joinName = (name: string): string => splitName(name).join('').toLowerCase();

/** The form in which quotes are searched: without marks of comments and lists, on one line, in lower case. */
export function flatLines(content: string): string {
  const lines = normalizeUnicode(content)
    .split('\n')
    .map((line) => {
      const said = comment.exec(line)?.[1];
      return said ?? line.replace(/^\s*(?:[-*+•>]\s+|#{1,6}\s+)/, '');
    });
  return collapseSpaces(lines.join(' ')).toLowerCase();
}

export const indentOf = (text: string): number => /^\s*/.exec(text)![0].replaceAll('\t', '    ').length;

/** The block below a line, by indentation. It must have at least two deeper lines. */
function findScopeEnd(segments: readonly Segment[], at: number, first: number): number | null {
  const head = segments[at]!;
  if (
    !head.isCode ||
    !/[\p{L}_]/u.test(head.text) ||
    /^\s*(?:if|else|elif|for|while|try|except|catch|switch|case|with|finally|return)\b/.test(head.text)
  )
    return null;
  const indent = indentOf(head.text);
  let end = at;
  for (let next = at + 1; next < segments.length; next += 1) {
    const { text, isCode } = segments[next]!;
    if (isCode && indentOf(text) <= indent && !/^\s*[)\]}]/.test(text)) break;
    end = next;
  }
  return end > at ? first + end : null;
}

/** What is struck out is said no more. */
const struck = /~~(?=\S)[^~]*\S~~|<(del|s|strike)>.*?<\/\1>/giu;

/** Words of a full sentence, for whose meaning the heading above is not needed. */
const isSentence = /[.!?]$|\b(?:is|are|was|were|has|have|had|can|will|does|do|did|must|should)\b/i;
const itemOrCells = /^\s*(?:\||[-*+•]\s|\d{1,3}[.)]\s)/;

function createHeadings(above: readonly { readonly text: string }[]): Headings {
  const text = above.map((one) => one.text).join('\n');
  return { text, bases: new Set(splitWords(text).map(({ base }) => base)) };
}

function addToList(map: Map<string, number[]>, key: string, value: number): void {
  if (key === '') return;
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

function splitSegments({ path, content }: ClaimSource, source: number): readonly Segment[] {
  const lines = normalizeUnicode(content).split('\n');
  const isOutput = looksLikeOutput(lines);
  const isProse =
    !isOutput &&
    (proseFile.test(path) || (!codeFile.test(path) && !dataFile.test(path) && looksLikeProse(lines)));
  const isData =
    dataFile.test(path) ||
    (!isProse && !codeFile.test(path) && (looksLikeRecords(lines) || (isOutput && proseFile.test(path))));
  const segments: Segment[] = [];
  const above: { readonly level: number; readonly text: string }[] = [];
  const add = (
    text: string,
    line: number,
    isCode: boolean,
    headings = noHeadings,
    isLogged = false,
    level = 0,
    isText = false,
  ): void => {
    for (const part of text.length > maxSegment ? splitLong(text) : [text])
      if (part.trim() !== '')
        segments.push({
          ...segment(part, source, line, isCode, isCode && (isData || isLogged)),
          ...{ headings, level, isText },
        });
  };
  const sentences = (text: string, line: number): void => {
    for (const sentence of splitSentences(text)) add(sentence, line, false);
  };
  let paragraph: string[] = [];
  let began = 0;
  let isItem = false;
  const close = (level = 0): void => {
    const text = collapseSpaces(paragraph.join(' ').replace(struck, ' '));
    paragraph = [];
    if (level > 0) add(text, began, false, noHeadings, false, level);
    else if (isItem && above.length > 0 && !isSentence.test(text))
      add(text, began, false, createHeadings(above));
    else if (text !== '') sentences(text, began);
    isItem = false;
  };
  const join = (text: string, line: number): void => {
    if (paragraph.length === 0) began = line;
    paragraph.push(text);
  };
  let fenced = false;
  let isPrinted = false;
  let ending: string | null = null;
  for (const [line, text] of lines.entries()) {
    const isText = ending !== null;
    if (ending === null) ending = findTextEnd(text);
    else if (text.includes(ending)) ending = null;
    if (isProse) {
      if (/^\s*(?:```|~~~)(?!.*\S```)/.test(text)) {
        fenced = !fenced;
        isPrinted = fenced && (outputFence.test(text) || isLogBelow(lines, line));
        close();
      } else if (fenced) add(text, line, true, noHeadings, isPrinted);
      else if (isColumns(text) && (isColumns(lines[line - 1]) || isColumns(lines[line + 1]))) {
        close();
        add(text, line, true, noHeadings, true);
      } else if (paragraph.length === 1 && !isItem && underline.test(text))
        close(text.startsWith('=') ? 1 : 2);
      else if (text.trim() === '' || /^\s*\|?[\s:|-]+\|?$/.test(text)) close();
      else {
        if (rowOrItem.test(text) || (keyedLine.test(text) && keyedLine.test(paragraph.at(-1) ?? ''))) close();
        const marks = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(text);
        if (marks !== null) {
          const level = marks[1]!.length;
          while ((above.at(-1)?.level ?? 0) >= level) above.pop();
          above.push({ level, text: marks[2]! });
        } else isItem ||= itemOrCells.test(text);
        join(text.replace(/^\s*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+/, ''), line);
        if (/^\s*(?:\||#{1,6}\s)/.test(text)) close(marks?.[1]?.length ?? 0);
        else if (/<br\s*\/?>\s*$/i.test(text)) close();
      }
      continue;
    }
    const said = comment.exec(text)?.[1];
    if (said !== undefined && /\p{L}{2}/u.test(said) && (!/[;{}]\s*$/.test(said) || isWordy(said)))
      join(said, line);
    else {
      close();
      add(text, line, true, noHeadings, false, 0, isText);
    }
  }
  close();
  return segments;
}

/** What ends the docstring or the comment that a line opens; null if it opens none, or ends it. */
function findTextEnd(line: string): string | null {
  const [, sign] = /^\s*[rbuf]?("""|'''|\/\*)/i.exec(line) ?? [];
  if (sign === undefined) return null;
  const end = sign === '/*' ? '*/' : sign;
  return line.slice(line.indexOf(sign) + sign.length).includes(end) ? null : end;
}

/** A sentence begins with a capital, a figure or a sign, and not after the full stop of a short form or a date. */
function splitSentences(text: string): readonly string[] {
  const ends = new Set(findSentenceEnds(text, findCodeSpans(text)));
  const found: string[] = [];
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(
    /(?<=[.!?。！？])\s+(?=[\p{Lu}\p{N}"'`([])|(?<=[。！？])/gu,
  )) {
    if (gap !== '' && !ends.has(index)) continue;
    found.push(text.slice(from, index));
    from = index + gap.length;
  }
  return [...found, text.slice(from)];
}

/**
 * Whether a line has three columns or more, or a name and a number, as what a program prints. A gap after a sentence is
 * none.
 */
const isColumns = (line = ''): boolean =>
  !/^\s*\|/.test(line) &&
  ((line.trim().match(/[^\s.!?:](?: {2,}|\t+)(?=\S)/g)?.length ?? 0) >= 2 || isPair.test(line));
/** A name and its number. */
const isPair = /^\s*[^\s|]+(?: {2,}|\t+)-?\d[\d.,]*[\p{L}%]{0,3}\s*$/u;

/** A line that gives a name a value, as others right above or below it do: `Netmask: 255.255.255.0`. */
const keyedLine = /^\s*\p{L}[^:.!?]{0,40}:\s+\S[^!?:]{0,80}$/u;

/** The line below a heading. */
const underline = /^(?:={4,}|-{4,})\s*$/;

/** Maximum characters of a segment. A report of 200 KB in one line would be compared with itself for a minute. */
const maxSegment = 4_000;
const longPart = new RegExp(`[^]{1,${maxSegment}}(?=[\\s<,;]|$)|[^]{1,${maxSegment}}`, 'gu');
const splitLong = (text: string): readonly string[] => text.match(longPart) ?? [];

/** Whether a comment is a sentence that ends in a semicolon, and not a statement that was commented out. */
const isWordy = (text: string): boolean =>
  !/[=(){}<>]/.test(text) && (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4;

/** Whether the lines are prose, for notes and pages whose extension does not tell. */
function looksLikeProse(lines: readonly string[]): boolean {
  const full = lines.filter((line) => line.trim() !== '');
  const wordy = full.filter(
    (line) => /^[^{}<>=;]*$/.test(line) && (line.match(/\p{L}+/gu)?.length ?? 0) >= 4,
  );
  const stamped = full.filter((line) =>
    /^\s*[[(]?(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d|[A-Z][a-z]{2} +\d{1,2} \d)/.test(line),
  );
  const valued = full.filter((line) => /[\p{L}\p{N}][=:]\S|->|\|/u.test(line));
  return (
    full.length > 0 && wordy.length > full.length / 2 && stamped.length + valued.length < full.length / 2
  );
}

const outputFence = /^\s*(?:`{3,}|~{3,})\s*(?:shell|sh|console|text|txt|log|output|bash-session)\s*$/i;
const outputLine =
  /^\s*(?:\[?(?:info|error|warn(?:ing)?|debug|trace|fatal)\]?\b|(?:npm|lerna|yarn|pnpm|make|cargo|rustc|docker|git)(?:\[\d+\])?:?\s|@[\w-]+\/|\d{4}-\d\d-\d\d[T ]\d)/i;

/** Whether a line of the block that begins at a fence starts with a time, as in a log. */
function isLogBelow(lines: readonly string[], fence: number): boolean {
  const rest = lines.slice(fence + 1);
  const end = rest.findIndex((line) => /^\s*(?:```|~~~)/.test(line));
  return rest.slice(0, end === -1 ? rest.length : end).some((line) => stampedLine.test(line));
}
const stampedLine = /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** Whether the lines of a note are the output of a program. */
function looksLikeOutput(lines: readonly string[]): boolean {
  const full = lines.filter((line) => line.trim() !== '');
  return full.length > 1 && full.filter((line) => outputLine.test(line)).length > full.length / 2;
}

/** Whether most lines start with a number or a date, as records do. */
function looksLikeRecords(lines: readonly string[]): boolean {
  const full = lines.filter((line) => line.trim() !== '');
  const stamped = full.filter(
    (line) => /^[[(<]?(?:\p{L}{3} +)?\d/u.test(line) || /\d\d:\d\d:\d\d/.test(line),
  );
  return full.length > 0 && stamped.length > full.length / 2;
}

/** A row of values with commas between. In prose, `10,000 MW (4,000 MW and 6,000 MW)` is none. */
const isCommaRow = /^[^,\s]*(?:,[^,\s]*){3,}$/;
const isLooseCommaRow = /^[^,]*(?:,[^, ][^,]*){3,}$/;

function segment(
  text: string,
  source: number,
  line: number,
  isCode: boolean,
  isData: boolean,
): Omit<Segment, 'headings' | 'level' | 'isText'> {
  const words = splitWords(text);
  const moments = findMoments(text);
  return {
    text,
    source,
    line,
    isCode,
    isRecord: isData || (isCode && moments.length > 0) || /^\s*\{.*\}\s*$/.test(text),
    scopeEnd: null,
    words,
    bases: new Set([
      ...words.map(({ base }) => base),
      ...(isCode ? findSignWords(text) : []),
      ...(moments.length > 0 ? findServices(text) : []),
    ]),
    figures: findAllFigures(
      isCommaRow.test(text) || (isCode && isLooseCommaRow.test(text)) ? text.replaceAll(',', ';') : text,
      moments,
    ),
    moments,
  };
}

/** Names of services: `sshd[1234]:` begins a line that ssh logged. */
const findServices = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}_/.-])(\p{Ll}{3,})d(?=\[\d+\])/gu)].map(([, name]) =>
    toComparable(name!),
  );

/** Numbers of processes, such as `[2010-12-29T11:15:32 #4018]`. */
const findProcessNumbers = (text: string): readonly Figure[] =>
  [...text.matchAll(/(?<=\s#)\d{2,}(?=\])/g)].flatMap(({ 0: number, index }) =>
    findFigures(number).map((figure) => ({ ...figure, start: index, end: index + number.length })),
  );

const findPorts = (text: string): readonly Figure[] =>
  [...text.matchAll(/(?<=\d{1,3}(?:\.\d{1,3}){3}[:#])\d{1,5}(?!\d)/g)].flatMap(({ 0: port, index }) =>
    findFigures(port).map((figure) => ({ ...figure, start: index, end: index + port.length })),
  );

function findAllFigures(text: string, moments: readonly Moment[]): readonly Figure[] {
  const computed = findComputed(text);
  const plain = findFigures(text)
    .filter(({ start }) => !moments.some((moment) => start >= moment.start && start < moment.end))
    .map((figure) =>
      computed.some(({ start, end }) => figure.start >= start && figure.end <= end)
        ? { ...figure, isPart: true as const }
        : figure,
    );
  return [...plain, ...computed, ...findWordFigures(text), ...findPorts(text), ...findProcessNumbers(text)];
}

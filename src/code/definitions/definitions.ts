import {
  type DefinitionFinder,
  type LineMatch,
  SondeError,
  type TextGrep,
  type TextReader,
} from '../../core/index.ts';
import { type Definition, type FileFacts, listUses } from '../facts/facts.ts';
import type { SyntaxReader } from '../syntax/reader.ts';
import { findDefinitionEnd } from './definition-end.ts';
import type { Language } from './definition-form.ts';
import { languageOf } from './definition-forms.ts';

export interface TextualDefinitionsOptions {
  readonly grep: TextGrep;
  readonly reader: TextReader;
  /** The parser, which corrects kind and end of the first results. */
  readonly syntax?: SyntaxReader;
}

const defaultLimit = 20;
const maxMatches = 5_000;
const maxNameLength = 200;

/** The rank of each kind for a reader; kinds not listed are in the middle. */
const kindWeights: Readonly<Record<string, number>> = {
  field: 0.4,
  variable: 0.6,
  constant: 0.7,
  heading: 0.3,
  declaration: 0.5,
};
const lowRankedPath =
  /(?:^|\/)(?:tests?|testing|__tests__|spec|specs|testdata|fixtures|examples?|docs?|vendor|third_party|node_modules|dist|build|generated)\/|[._-](?:test|spec|d|pb|gen|generated|min)\.\w+$|(?:^|\/)test_[^/]*$/i;

const textual = 'Found by the form of lines, not by parsing: a definition of an unusual form may be missing.';
/** Maximum number of files that are parsed for one name. */
const maxVerified = 40;

/**
 * Finds definitions by single lines, in the languages of `definition-forms.ts`. It can't know whether it found all,
 * and says so. If no definition of a qualified name (`Class.method`, `a::b`, `A#b`) is found, its last part is
 * searched. Throws `bad_argument` for a text that is not a name.
 */
export function textualDefinitions({ grep, reader, syntax }: TextualDefinitionsOptions): DefinitionFinder {
  return {
    async find({ name, scope, limit = defaultLimit, signal }) {
      const [whole, last] = parseName(name);
      const search = async (symbol: string) => {
        const reply = await grep.grep({
          pattern: anyFormPattern(symbol),
          limit: maxMatches,
          ...(scope !== undefined && { scope }),
          ...(signal !== undefined && { signal }),
        });
        return { symbol, reply, found: reply.matches.flatMap((match) => classify(match, symbol)) };
      };
      // In some languages a name may contain a character that is a separator in others.
      const first = await search(whole);
      const { symbol, reply, found } = first.found.length > 0 || whole === last ? first : await search(last);
      const compareLines = (a: DefinitionLine, b: DefinitionLine) =>
        b.score - a.score || compare(a.path, b.path) || a.line - b.line;
      found.sort(compareLines);
      const definitionLines = await verifyFound(found, symbol, { reader, syntax, signal });
      definitionLines.sort(compareLines);
      const kept = definitionLines.slice(0, Math.max(1, Math.floor(limit)));
      const definitions = [];
      for (const { path, line, kind, score, language, end: known } of kept) {
        const end = known ?? (await findEnd(reader, path, line, language));
        definitions.push(
          Object.freeze({
            path,
            start: line,
            end,
            score,
            provenance: 'grep' as const,
            symbol,
            symbolKind: kind,
          }),
        );
      }
      const cut = definitionLines.length > kept.length;
      const notes = [
        textual,
        ...(reply.completeness === 'complete' ? [] : reply.notes),
        ...(cut
          ? [`${definitionLines.length} definitions; the ${kept.length} that count most are listed.`]
          : []),
      ];
      return {
        definitions,
        completeness: cut || reply.completeness === 'partial' ? 'partial' : 'unknown',
        notes,
      };
    },
  };
}

interface DefinitionLine {
  readonly path: string;
  readonly line: number;
  readonly kind: string;
  readonly score: number;
  readonly language: Language;
  /** Present if the parser found it. */
  readonly end?: number;
}

async function findEnd(
  reader: TextReader,
  path: string,
  line: number,
  { closing }: Language,
): Promise<number> {
  const file = await reader.readText(path);
  return file.kind === 'text' && line <= file.lines.length
    ? findDefinitionEnd(file.lines, line, closing)
    : line;
}

interface VerifyOptions {
  readonly reader: TextReader;
  readonly syntax: SyntaxReader | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Corrects the results of the first files by their syntax: declarations without a body move to the end, calls are
 * dropped.
 */
async function verifyFound(
  found: readonly DefinitionLine[],
  symbol: string,
  { reader, syntax, signal }: VerifyOptions,
): Promise<DefinitionLine[]> {
  if (syntax === undefined) return [...found];
  const paths = [...new Set(found.map(({ path }) => path))].slice(0, maxVerified);
  const facts = new Map<string, FileFacts>();
  for (const path of paths) {
    const file = await reader.readText(path);
    const read = file.kind === 'text' ? await syntax.read(path, file.lines.join('\n'), signal) : null;
    if (read?.kind === 'facts') facts.set(path, read.facts);
  }
  return found.flatMap((definitionLine) => {
    const fileFacts = facts.get(definitionLine.path);
    if (fileFacts === undefined) return [definitionLine];
    const definition = fileFacts.definitions.find(
      ({ name, line, start, header }) =>
        name === symbol &&
        (line === definitionLine.line || (start <= definitionLine.line && definitionLine.line <= header)),
    );
    if (definition === undefined) {
      const [use, ...others] = listUses(fileFacts, {
        name: symbol,
        start: definitionLine.line,
        end: definitionLine.line,
      });
      return use?.role === 'call' && others.length === 0 && fileFacts.errors.length === 0
        ? []
        : [definitionLine];
    }
    const isDeclaration = definitionLine.kind !== 'declaration' && isPrototype(fileFacts, definition);
    return [
      {
        ...definitionLine,
        end: definition.end,
        ...(isDeclaration && {
          kind: 'declaration',
          score: definitionLine.score * (kindWeights['declaration'] ?? 1),
        }),
      },
    ];
  });
}

/** For C, C++ and similar languages. A signature in an interface counts as a definition, since it has no other. */
const isPrototype = ({ language }: FileFacts, { flags, kind }: Definition): boolean =>
  /^(?:c|cpp)$/.test(language) && kind === 'function' && flags.includes('declaration');

function classify({ path, line, text }: LineMatch, symbol: string): DefinitionLine[] {
  const language = languageOf(path);
  if (language === null) return [];
  const form = language.forms.find(({ pattern }) => formPattern(pattern, symbol).test(text));
  if (form === undefined) return [];
  const depth = /^\s/.test(text) ? 0.9 : 1;
  const score = (kindWeights[form.kind] ?? 1) * (lowRankedPath.test(path) ? 0.5 : 1) * depth;
  return [{ path, line, kind: form.kind, score, language }];
}

/** There are few patterns, but the name differs each time, so nothing is cached. */
function formPattern(pattern: string, symbol: string): RegExp {
  // If the language writes a sign such as `$` before the name, that sign marks its beginning.
  const border = pattern.includes('$NAME') ? '' : '(?<![\\w$])';
  return new RegExp(
    pattern.replace('NAME', () => `${border}${escapePattern(symbol)}(?![\\w$])`),
    'u',
  );
}

/**
 * One pattern for ripgrep that covers all forms: a defining word before the name, or a sign after it. It may match too
 * much. It has no look-around, which would make ripgrep use its slow engine.
 */
function anyFormPattern(symbol: string): string {
  const name = `${/^\w/.test(symbol) ? '\\b' : ''}${escapePattern(symbol)}${/\w$/.test(symbol) ? '\\b' : ''}`;
  const definers =
    'class|interface|type|enum|namespace|module|function|const|let|var|def|defp|defmodule|func|fn|fun|struct|union|' +
    'trait|mod|static|macro_rules!|record|object|val|typealias|associatedtype|given|define|typedef|using|actor|' +
    'protocol|extension|sub|proc|rpc|macro|message|service|delegate|attr_\\w+|define_method|scope|alias_method|' +
    '[cC][rR][eE][aA][tT][eE]';
  return [
    `(?:^|[^\\w])(?:${definers})\\b.*${name}`,
    `^\\s*#.*${name}`,
    `${name}\\s*(?:<.*>)?\\s*[?!]?\\s*[(:={\\[]`,
    `^\\s.*${name}\\s*;`,
    `^\\}\\s*${name}`,
    `^\\t+${name}\\s`,
    `\\*\\s*${name}\\s*\\)`,
  ].join('|');
}

function escapePattern(symbol: string): string {
  return symbol.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The name as given, and its last part. */
function parseName(given: string): readonly [whole: string, last: string] {
  const whole = given.trim().replace(/\(\)$/, '');
  const last = whole.split(/::|[.#]|->/).at(-1) ?? '';
  if (last === '' || whole.length > maxNameLength || /[^\p{L}\p{N}_$@?!=<>+\-*/%~^&|[\].:#]/u.test(whole))
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(given.slice(0, 100))} is no name of a definition.`,
      remedy: 'Give one identifier, such as parseConfig or Parser.parse.',
    });
  return [whole, last];
}

/** The definitions of one file, recognised from single lines, each with its header and its estimated end. */
import type { CodeUnit } from '../../core/index.ts';
import { findDefinitionEnd } from './definition-end.ts';
import type { DefinitionForm, Language } from './definition-form.ts';
import { languageOf } from './definition-forms.ts';

/** Definitions of these kinds count only if an outline would show them: not indented, and longer than one line. */
const valueKinds: ReadonlySet<string> = new Set(['constant', 'variable', 'field', 'property']);
const minValueLines = 3;
/** Keywords that can occur where a name is expected. */
const keywords: ReadonlySet<string> = new Set(
  (
    'if for while switch catch return else do try with match loop unless until foreach using lock synchronized ' +
    'new await yield throw assert sizeof typeof in of and or not super elif except finally case default async'
  ).split(' '),
);
/** Lines. A header that is longer is shown by its beginning. */
const maxHeaderLength = 12;
/** Lines of comments, attributes and decorators above a definition that belong to it. */
const maxLinesAbove = 30;
const belongsToDefinition =
  /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|if|endif|define|import)\b)|@|--|;;|'''|""")/;
/** A file with more lines is data, or generated. */
const maxLines = 60_000;
const maxLineLength = 1_000;

interface LanguageForms {
  readonly any: RegExp;
  readonly each: readonly (readonly [kind: string, pattern: RegExp])[];
}

const patternCache = new WeakMap<Language, LanguageForms>();

export function definitionUnits(path: string, lines: readonly string[]): readonly CodeUnit[] {
  const language = languageOf(path);
  if (language === null || lines.length > maxLines) return [];
  const { any, each } = compilePatterns(language);
  const units: CodeUnit[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.length > maxLineLength || !any.test(line)) continue;
    const unit = readUnit(lines, at + 1, line, each, language);
    if (unit !== null) units.push(unit);
  }
  if (language.closing === 'heading') return units;
  return units.map((unit, n) => endBeforeNext(unit, units, n, lines));
}

/**
 * A string that looks like an open bracket could extend a definition too far, so a definition ends before the next
 * one of the same depth.
 */
function endBeforeNext(
  unit: CodeUnit,
  units: readonly CodeUnit[],
  n: number,
  lines: readonly string[],
): CodeUnit {
  const indent = indentOf(lines[unit.header.start - 1]!);
  for (let at = n + 1; at < units.length; at += 1) {
    const next = units[at]!;
    if (next.header.start > unit.end) break;
    if (next.header.start > unit.header.end && indentOf(lines[next.header.start - 1]!) <= indent)
      return Object.freeze({ ...unit, end: Math.max(unit.header.end, next.start - 1) });
  }
  return unit;
}

function readUnit(
  lines: readonly string[],
  at: number,
  line: string,
  each: LanguageForms['each'],
  { closing }: Language,
): CodeUnit | null {
  for (const [kind, pattern] of each) {
    const name = pattern.exec(line)?.groups?.['name'];
    if (name === undefined || keywords.has(name)) continue;
    const end = findDefinitionEnd(lines, at, closing);
    if (valueKinds.has(kind) && (end - at + 1 < minValueLines || indentOf(line) > 4)) continue;
    const start = closing === 'heading' ? at : findFirstLineAbove(lines, at);
    return Object.freeze({
      name,
      kind,
      start,
      header: { start: at, end: findHeaderEnd(lines, at, end) },
      end,
    });
  }
  return null;
}

function findFirstLineAbove(lines: readonly string[], at: number): number {
  let start = at;
  while (start > 1 && at - start < maxLinesAbove && belongsToDefinition.test(lines[start - 2]!)) start -= 1;
  return start;
}

/** A header goes on until its brackets are closed. */
function findHeaderEnd(lines: readonly string[], at: number, end: number): number {
  let depth = 0;
  for (let n = at; n <= Math.min(end, at + maxHeaderLength - 1); n += 1) {
    for (const character of lines[n - 1]!.replace(/"[^"]*"|'[^']*'/g, ''))
      depth += '(['.includes(character) ? 1 : ')]'.includes(character) ? -1 : 0;
    if (depth <= 0) return n;
  }
  return at;
}

function compilePatterns(language: Language): LanguageForms {
  let patterns = patternCache.get(language);
  if (patterns === undefined) {
    const each = language.forms.map((form) => [form.kind, namePattern(form)] as const);
    const any = new RegExp(
      each.map(([, { source }]) => `(?:${source.replace('?<name>', '?:')})`).join('|'),
      'u',
    );
    patterns = { any, each };
    patternCache.set(language, patterns);
  }
  return patterns;
}

function namePattern({ pattern }: DefinitionForm): RegExp {
  const border = pattern.includes('$NAME') ? '' : '(?<![\\w$])';
  return new RegExp(
    pattern.replace('NAME', () => `${border}(?<name>[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)`),
    'u',
  );
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * The definitions around the lines that a diff touches, by the syntax of its hunks. A hunk is an excerpt of a file:
 * brackets that it leaves open are closed, and it is parsed a second time inside a class if that gives fewer errors.
 */
import type { ChangedDefinition, ReadChangedNames } from '../core/index.ts';
import type { Definition, FileFacts } from './facts/facts.ts';
import { syntaxLanguage } from './syntax/languages.ts';
import { type SyntaxReader, syntaxReader } from './syntax/reader.ts';

interface DiffSide {
  readonly lines: readonly string[];
  /** Numbers of the lines that only this side has, counted from 1. */
  readonly edited: ReadonlySet<number>;
}

interface Hunk {
  readonly path: string;
  readonly before: DiffSide;
  readonly after: DiffSide;
}

/** Maximum hunks of one change that are parsed. */
const maxHunks = 40;
const maxNames = 80;
/** The class that is put around methods that a hunk shows without their class. */
const wrapperClass = 'SondeHunk';

export interface ChangedNamesReader {
  readonly read: ReadChangedNames;
  close(): Promise<void>;
}

export function openChangedNames(): ChangedNamesReader {
  const syntax = syntaxReader({ cpuLimitMs: 500, timeoutMs: 5_000 });
  return { read: readChangedNames(syntax), close: () => syntax.close() };
}

function readChangedNames(syntax: SyntaxReader): ReadChangedNames {
  return async ({ paths, diff }, waitMs) => {
    if (diff === null) return null;
    const deadline = performance.now() + waitMs;
    const definitionsByName = new Map<string, ChangedDefinition>();
    let isRead = false;
    for (const { path, before, after } of splitHunks(diff, paths).slice(0, maxHunks)) {
      for (const side of [before, after]) {
        const facts = await parseSide(syntax, path, side.lines, () => deadline - performance.now());
        if (facts === null) continue;
        isRead = true;
        for (const changedDefinition of [...listEnclosing(facts, side), ...describeFile(path, facts)])
          definitionsByName.set(`${changedDefinition.kind} ${changedDefinition.name}`, changedDefinition);
      }
    }
    if (!isRead) return null;
    return Object.freeze({ inside: [...definitionsByName.values()].slice(0, maxNames) });
  };
}

const isHeader = (line: string): boolean => /^(\+\+\+|---) (a\/|b\/|\/dev\/null|")/.test(line);

/** If a diff doesn't name its file, it belongs to the only file of the change. */
function splitHunks(diff: string, paths: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let path = paths.length === 1 ? paths[0]! : '';
  let head = '';
  let body: string[] = [];
  const close = (): void => {
    if (path !== '' && body.some((line) => /^[-+]/.test(line)))
      hunks.push({ path, before: readSide(head, body, '-'), after: readSide(head, body, '+') });
    body = [];
    head = '';
  };
  for (const line of diff.split('\n')) {
    if (isHeader(line) || line.startsWith('diff --git ')) {
      close();
      const pathInHeader = /^(?:\+\+\+ b|--- a)\/(.+?)\s*$/.exec(line)?.[1];
      if (pathInHeader !== undefined) path = pathInHeader;
    } else if (line.startsWith('@@')) {
      close();
      head = /^@@(?:[^@]*@@)?\s?(.*)$/.exec(line)?.[1] ?? '';
    } else body.push(line);
  }
  close();
  return hunks;
}

function readSide(head: string, body: readonly string[], mark: '-' | '+'): DiffSide {
  const sideLines = body.filter(
    (line) => !line.startsWith(mark === '-' ? '+' : '-') && !line.startsWith('\\'),
  );
  const texts = sideLines.map((line) => line.slice(1));
  const indent = Math.min(
    ...texts.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  // Indented lines without the line that opens their block are not valid Python.
  const lines =
    head.trim() === '' && Number.isFinite(indent) ? texts.map((line) => line.slice(indent)) : texts;
  const firstNumber = head.trim() === '' ? 1 : 2;
  return {
    lines: head.trim() === '' ? lines : [head, ...lines],
    edited: new Set(sideLines.flatMap((line, n) => (line.startsWith(mark) ? [n + firstNumber] : []))),
  };
}

async function parseSide(
  syntax: SyntaxReader,
  path: string,
  lines: readonly string[],
  msLeft: () => number,
): Promise<FileFacts | null> {
  const language = syntaxLanguage(path);
  if (language === null || lines.length === 0) return null;
  const [open, close] = language === 'php' ? ['<?php ', ''] : ['', closingBraces(lines)];
  const read = async (first: string, last: string): Promise<FileFacts | null> => {
    const file = await syntax.read(
      path,
      `${open}${first}${lines.join('\n')}\n${close}${last}`,
      undefined,
      msLeft,
    );
    return file.kind === 'facts' ? file.facts : null;
  };
  const plain = await read('', '');
  const hasMethods = /^(java|csharp|typescript|tsx|javascript|php|scala)$/.test(language);
  if (plain === null || plain.errors.length === 0 || !hasMethods) return plain;
  const wrapped = await read(`class ${wrapperClass} { `, '}');
  return wrapped !== null && wrapped.errors.length < plain.errors.length ? wrapped : plain;
}

/** The closing braces for those that the hunk leaves open. */
function closingBraces(lines: readonly string[]): string {
  const text = lines.join('\n').replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '');
  const count = (mark: string): number => text.split(mark).length - 1;
  return '}'.repeat(Math.max(0, Math.min(20, count('{') - count('}'))));
}

function listEnclosing({ definitions }: FileFacts, { edited }: DiffSide): readonly ChangedDefinition[] {
  return definitions
    .filter(
      (definition) =>
        definition.name !== wrapperClass &&
        !definition.flags.includes('local') &&
        [...edited].some((line) => line >= definition.start && line <= definition.end),
    )
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))
    .map(({ name, kind }) => ({ name, kind: toKind(kind) }));
}

/** The file as a unit, by its name, if the hunk shows no definition: loggers are often named after the file. */
function describeFile(path: string, { language }: FileFacts): readonly ChangedDefinition[] {
  const parts = path.split('/');
  const stem = parts.at(-1)!.replace(/\.\w+$/, '');
  const toDefinition = (name: string): readonly ChangedDefinition[] => [{ name, kind: 'type' }];
  if (/^(java|kotlin|scala|csharp|php)$/.test(language))
    return /^[A-Z]\w+$/.test(stem) ? toDefinition(stem) : [];
  if (language === 'ruby' && /^[a-z]+(_[a-z]+)+$/.test(stem))
    return toDefinition(stem.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  if (language !== 'python' || parts.length < 2) return [];
  return toDefinition(`${parts.at(-2)}.${stem}`);
}

function toKind(kind: Definition['kind']): ChangedDefinition['kind'] {
  if (/function|method|constructor|macro/.test(kind)) return 'function';
  return /class|interface|struct|type|enum|trait|object|module|namespace|impl/.test(kind) ? 'type' : 'value';
}

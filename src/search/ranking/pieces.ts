import type { CodeUnit } from '../../core/index.ts';

const testName = /^(?:test|it|describe|bench)(?:_|[A-Z]|s?$)/;
const testMark =
  /^\s*(?:#\[(?:\w+::)?(?:test|bench|cfg\(test\))\b|@(?:Test|Before|After)\b|\[(?:Test|Fact|Theory)\b)/;
/** Lines outside of all definitions are taken so many at a time. */
const looseLines = 30;
/** A longer definition is taken in parts, in lines. */
const maxLength = 100;
const partLines = 50;
/** Where a piece holds definitions of its own, only the lines before the first of them count. */
const containers: ReadonlySet<string> = new Set(
  'class interface module namespace trait struct enum impl object heading'.split(' '),
);

const isContainer = ({ kind }: CodeUnit): boolean => containers.has(kind);

/** Lines that are looked at together; 1-based and inclusive. */
export interface FilePiece {
  /** The definition, or one that it lies in, is a test. */
  readonly isTest: boolean;
  readonly start: number;
  readonly end: number;
  /** Null for lines outside of all definitions. */
  readonly unit: CodeUnit | null;
}

/** The definitions of a file, each with the lines that are its own, and what lies between them. */
export function* findPieces(lines: readonly string[], units: readonly CodeUnit[]): Generator<FilePiece> {
  const covered = new Uint8Array(lines.length + 2);
  const tests: CodeUnit[] = [];
  for (const unit of units) {
    covered.fill(1, unit.start, unit.end + 1);
    const isTest =
      testName.test(unit.name) ||
      lines.slice(unit.start - 1, unit.header.start).some((line) => testMark.test(line)) ||
      tests.some(({ start, end }) => start <= unit.start && unit.end <= end);
    if (isTest) tests.push(unit);
    const end = isContainer(unit) ? ownEnd(unit, units) : unit.end;
    if (end - unit.start < maxLength) yield { start: unit.start, end, unit, isTest };
    else
      for (let start = unit.start; start <= end; start += partLines)
        yield { start, end: Math.min(end, start + partLines - 1), unit, isTest };
  }
  let from = 0;
  for (let line = 1; line <= lines.length + 1; line += 1) {
    const isFree = line <= lines.length && covered[line] === 0;
    if (isFree && from === 0) from = line;
    if (from === 0 || (isFree && line - from < looseLines)) continue;
    if (line - from > 1) yield { start: from, end: line - 1, unit: null, isTest: false };
    from = isFree ? line : 0;
  }
}

function ownEnd(unit: CodeUnit, units: readonly CodeUnit[]): number {
  let end = unit.end;
  for (const { start, header } of units)
    if (header.start > unit.header.start && start <= end) end = start - 1;
  return Math.max(unit.header.end, end);
}

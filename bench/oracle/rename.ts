/** Texts of a tree in which definitions have another name, at every place that a listing has of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { NamePlace, RenamePlaces } from '../../src/bench.ts';

/** No tree has it. */
export const freshEnd = 'Zq9';

export interface Renamed extends RenamePlaces {
  readonly name: string;
}

const keyOf = ({ path, line, column }: NamePlace): string => `${path}:${line}:${column}`;

/** False: a place stands in the way of another definition of the same turn. */
export function overlaps(taken: ReadonlySet<string>, { definitions, uses }: Renamed): boolean {
  return [...definitions, ...uses].some((place) => taken.has(keyOf(place)));
}

export const keysOf = ({ definitions, uses }: Renamed): readonly string[] =>
  [...definitions, ...uses].map(keyOf);

/** Writes them, asks, and puts back what was there. */
export function withRenamed<Answer>(root: string, all: readonly Renamed[], ask: () => Answer): Answer {
  const before = new Map<string, string>();
  try {
    for (const [path, edits] of editsOf(all)) {
      const text = readFileSync(join(root, path), 'utf8');
      before.set(path, text);
      writeFileSync(join(root, path), edited(path, text, edits));
    }
    return ask();
  } finally {
    for (const [path, text] of before) writeFileSync(join(root, path), text);
  }
}

interface Edit extends NamePlace {
  readonly name: string;
}

function editsOf(all: readonly Renamed[]): Map<string, Map<string, Edit>> {
  const found = new Map<string, Map<string, Edit>>();
  for (const { name, definitions, uses } of all)
    for (const place of [...definitions, ...uses]) {
      const edits = found.get(place.path) ?? new Map<string, Edit>();
      found.set(place.path, edits.set(keyOf(place), { ...place, name }));
    }
  return found;
}

function edited(path: string, text: string, edits: ReadonlyMap<string, Edit>): string {
  const lines = text.split('\n');
  const shorthand = shorthandIn(path, text);
  for (const { line, column, name } of [...edits.values()].sort(
    (a, b) => b.line - a.line || b.column - a.column,
  )) {
    const at = lines[line - 1] ?? '';
    // Known under another name in this place.
    if (at.slice(column, column + name.length) !== name || /^[\w$]/.test(at.slice(column + name.length)))
      continue;
    const fresh = `${shorthand.has(`${line}:${column}`) ? `${name}: ` : ''}${name}${freshEnd}`;
    lines[line - 1] = `${at.slice(0, column)}${fresh}${at.slice(column + name.length)}`;
  }
  return lines.join('\n');
}

/** `{ a }` that is short for `{ a: a }` keeps its key. */
function shorthandIn(path: string, text: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!/\.[mc]?[jt]sx?$/.test(path)) return found;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    // `const { a } = whole` as well, where `a` is what is renamed.
    const isPicked =
      ts.isBindingElement(node) &&
      node.propertyName === undefined &&
      node.dotDotDotToken === undefined &&
      ts.isObjectBindingPattern(node.parent) &&
      !/^(?:await import|require)\b/.test(sourceOf(file, node));
    if (ts.isShorthandPropertyAssignment(node) || isPicked) {
      const { line, character } = file.getLineAndCharacterOfPosition(node.name.getStart(file));
      found.add(`${line + 1}:${character}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What a pattern takes apart. */
function sourceOf(file: ts.SourceFile, { parent }: ts.BindingElement): string {
  const declared = parent.parent;
  return ts.isVariableDeclaration(declared) ? (declared.initializer?.getText(file) ?? '') : '';
}

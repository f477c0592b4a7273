/**
 * Which lines of the checklists have a test that cites them. `node scripts/checklists.ts [FOLDER]` lists those that have
 * none; the folder holds world.md, research.md and incident.md and is ../shared/checklists by default.
 *
 * A test cites as `world.md: Memory 3, 5; Roles 1 to 4`, in a title or a comment.
 * A file whose docblock says `Checklist world.md: Memory. The numbers are its own.` cites by the numbers that its titles
 * begin with, as in `it('3: …')`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const checklistFiles = ['world.md', 'research.md', 'incident.md'] as const;

/** `world.md: Memory 3`. */
export type Line = `${(typeof checklistFiles)[number]}: ${string}`;

/** The numbered lines of a checklist, in its order; a section is named by its heading up to the first comma. */
export function linesOf(file: string, text: string): Map<Line, string> {
  const lines = new Map<Line, string>();
  let section = '';
  for (const line of text.split('\n')) {
    const heading = /^## ([^,]+)/.exec(line);
    if (heading) section = heading[1]!.trim();
    const numbered = /^(\d+)\. (.*)/.exec(line);
    if (numbered) lines.set(`${file}: ${section} ${numbered[1]}` as Line, numbered[2]!);
  }
  return lines;
}

/** What a test file cites, by the sections that the checklists have. */
export function citedIn(text: string, sections: ReadonlyMap<string, readonly string[]>): Set<Line> {
  const cited = new Set<Line>();
  // A comment may go on in the next line.
  const joined = text.replaceAll(/\n\s*(?:\/\/|\*) /g, ' ');
  for (const [file, names] of sections) {
    const stem = file.replace('.md', '');
    const opening = new RegExp(`\\b${stem}\\.md: `, 'g');
    const numbers = '\\d+(?:(?:,| and|, and| to|–|-)\\s*\\d+)*';
    for (const start of joined.matchAll(opening)) {
      let rest = joined.slice(start.index + start[0].length);
      for (;;) {
        const name = names.find((known) => rest.toLowerCase().startsWith(known.toLowerCase()));
        const found =
          name === undefined ? null : new RegExp(`^.{${name.length}},?:? (${numbers})`).exec(rest);
        if (name === undefined || !found) break;
        for (const number of numbersOf(found[1]!)) cited.add(`${file}: ${name} ${number}` as Line);
        rest = rest.slice(found[0].length).replace(/^(?:;|,| and|; and|, and)\s*/, '');
      }
    }
    for (const own of joined.matchAll(new RegExp(`Checklist ${stem}\\.md: ([^.]+)\\. The numbers`, 'gi'))) {
      const name = names.find((known) => own[1]!.toLowerCase().startsWith(known.toLowerCase()));
      if (name === undefined) continue;
      for (const title of text.matchAll(
        /\bit(?:\.each\([\s\S]*?\))?\(\s*[`'"](\d+(?:(?:,| and| to)\s*\d+)*):/g,
      ))
        for (const number of numbersOf(title[1]!)) cited.add(`${file}: ${name} ${number}` as Line);
    }
  }
  return cited;
}

/** `3, 5 to 7` is 3, 5, 6, 7. */
function numbersOf(text: string): number[] {
  const numbers: number[] = [];
  for (const part of text.split(/,| and /)) {
    const [from, to] = part.split(/to|–|-/).map((digits) => Number(digits.trim()));
    for (let number = from!; number <= (to ?? from!); number++) if (number > 0) numbers.push(number);
  }
  return numbers;
}

export interface Coverage {
  readonly lines: ReadonlyMap<Line, string>;
  /** Files of tests, by the line they cite. */
  readonly cited: ReadonlyMap<Line, readonly string[]>;
}

/** Null where the checklists aren't there. */
export function coverageOf(root: string, folder: string): Coverage | null {
  if (!checklistFiles.every((file) => existsSync(join(folder, file)))) return null;
  const lines = new Map<Line, string>();
  const sections = new Map<string, readonly string[]>();
  for (const file of checklistFiles) {
    const own = linesOf(file, readFileSync(join(folder, file), 'utf8'));
    for (const [line, text] of own) lines.set(line, text);
    const names = [...own.keys()].map((line) => line.replace(/^.*: /, '').replace(/ \d+$/, ''));
    sections.set(file, [...new Set(names)]);
  }
  const cited = new Map<Line, string[]>();
  for (const path of globSync(['src/**/*.test.ts', 'src/**/*.contract.ts', 'scripts/*.test.ts'], {
    cwd: root,
  }).sort()) {
    if (basename(path) === 'checklists.test.ts') continue;
    for (const line of citedIn(readFileSync(join(root, path), 'utf8'), sections)) {
      const known = cited.get(line);
      if (known) known.push(path);
      else cited.set(line, [path]);
    }
  }
  return { lines, cited };
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const folder = process.argv[2] ?? join(root, '../shared/checklists');
  const coverage = coverageOf(root, folder);
  if (coverage === null) {
    console.error(`There are no checklists in ${folder}: name their folder.`);
    process.exit(2);
  }
  let open = 0;
  for (const [line, text] of coverage.lines)
    if (!coverage.cited.has(line)) {
      open++;
      console.log(`${line}. ${text}`);
    }
  console.log(`${coverage.lines.size - open} of ${coverage.lines.size} lines have a test that cites them`);
  for (const line of coverage.cited.keys())
    if (!coverage.lines.has(line)) console.log(`no such line: ${line}`);
}

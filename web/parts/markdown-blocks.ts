/** Splits Markdown into blocks. Anything that is no known block is a paragraph, and HTML is plain text. */

export type MarkdownBlock =
  | { readonly is: 'heading'; readonly level: number; readonly text: string }
  | { readonly is: 'paragraph'; readonly text: string }
  | { readonly is: 'code'; readonly language: string; readonly text: string }
  | { readonly is: 'properties'; readonly text: string }
  | { readonly is: 'rule' }
  | { readonly is: 'quote'; readonly title: string | null; readonly text: string }
  | {
      readonly is: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly Item[];
    }
  | { readonly is: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

export interface Item {
  readonly text: string;
  /** For an item of a task list: whether it is done; null for other items. */
  readonly done: boolean | null;
}

/** With its lines, from 0; `end` is exclusive. */
export type Placed = MarkdownBlock & { readonly start: number; readonly end: number };

/** Removes the private characters by which `difference.ts` marks changed words: they must not hide the form of a line. */
const bare = (line: string): string => line.replace(/[\ue000-\ue007]/g, '');

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const heading = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const bullet = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/;
const separator = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

const isBlank = (line: string): boolean => bare(line).trim() === '';
const indentOf = (line: string): number => /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

export function blocksOf(text: string): readonly Placed[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const found: Placed[] = [];
  let at = 0;
  if (bare(lines[0] ?? '').trimEnd() === '---') {
    const end = lines.findIndex((line, n) => n > 0 && bare(line).trimEnd() === '---');
    if (end > 0) {
      found.push({ is: 'properties', text: lines.slice(1, end).join('\n'), start: 0, end: end + 1 });
      at = end + 1;
    }
  }
  while (at < lines.length) {
    if (isBlank(lines[at]!)) {
      at += 1;
      continue;
    }
    const [block, to] = readBlock(lines, at);
    found.push({ ...block, start: at, end: to });
    at = to;
  }
  return found;
}

function readBlock(lines: readonly string[], at: number): readonly [MarkdownBlock, number] {
  const line = lines[at]!;
  const form = bare(line);
  const fenced = fence.exec(form);
  if (fenced !== null) return readFence(lines, at, fenced[1]!, fenced[2]!.trim());
  const titled = heading.exec(form);
  if (titled !== null)
    return [
      {
        is: 'heading',
        level: titled[1]!.length,
        text: line.replace(/^[\s\ue000-\ue007]*#+[\s\ue000-\ue007]*/, '').replace(/\s+#+\s*$/, ''),
      },
      at + 1,
    ];
  if (rule.test(form)) return [{ is: 'rule' }, at + 1];
  if (/^ {0,3}>/.test(form)) return readQuote(lines, at);
  if (bullet.test(form)) return readList(lines, at);
  if (form.includes('|') && separator.test(bare(lines[at + 1] ?? '')) && bare(lines[at + 1]!).includes('-'))
    return readTable(lines, at);
  if (/^(?: {4}|\t)/.test(form))
    return readWhile(lines, at, (one) => /^(?: {4}|\t)/.test(bare(one)) || isBlank(one));
  return readParagraph(lines, at);
}

function readFence(
  lines: readonly string[],
  at: number,
  mark: string,
  language: string,
): readonly [MarkdownBlock, number] {
  const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  let to = at + 1;
  while (to < lines.length && !close.test(bare(lines[to]!))) to += 1;
  return [{ is: 'code', language, text: lines.slice(at + 1, to).join('\n') }, Math.min(to + 1, lines.length)];
}

function readWhile(
  lines: readonly string[],
  at: number,
  goesOn: (line: string) => boolean,
): readonly [MarkdownBlock, number] {
  let to = at + 1;
  while (to < lines.length && goesOn(lines[to]!)) to += 1;
  while (to > at + 1 && isBlank(lines[to - 1]!)) to -= 1;
  return [
    {
      is: 'code',
      language: '',
      text: lines
        .slice(at, to)
        .map((line) => line.replace(/^(?: {4}|\t)/, ''))
        .join('\n'),
    },
    to,
  ];
}

function readQuote(lines: readonly string[], at: number): readonly [MarkdownBlock, number] {
  let to = at;
  while (to < lines.length && /^ {0,3}>/.test(bare(lines[to]!))) to += 1;
  const inner = lines.slice(at, to).map((line) => line.replace(/^\s*[\ue000-\ue007]*> ?/, ''));
  const callout = /^\[!([\w-]+)\][+-]?\s*(.*)$/.exec(bare(inner[0] ?? ''));
  return [
    callout === null
      ? { is: 'quote', title: null, text: inner.join('\n') }
      : { is: 'quote', title: callout[2] || callout[1]!, text: inner.slice(1).join('\n') },
    to,
  ];
}

function readList(lines: readonly string[], at: number): readonly [MarkdownBlock, number] {
  const [, , mark = ''] = bullet.exec(bare(lines[at]!))!;
  const ordered = /\d/.test(mark);
  const base = indentOf(bare(lines[at]!));
  const items: string[][] = [];
  let to = at;
  for (; to < lines.length; to += 1) {
    const line = lines[to]!;
    const form = bare(line);
    const begins = bullet.exec(form);
    const indent = indentOf(form);
    if (begins !== null && indent < base + 2 && indent >= base && !rule.test(form)) {
      if (/\d/.test(begins[2]!) !== ordered) break;
      items.push([line.replace(/^(\s*[\ue000-\ue007]*)(?:[-*+]|\d{1,9}[.)])\s?/, '$1').trimStart()]);
    } else if (isBlank(line)) {
      const next = lines[to + 1] ?? '';
      if (isBlank(next) || (indentOf(bare(next)) <= base && !bullet.test(bare(next)))) break;
      items.at(-1)!.push('');
    } else if (
      indent > base ||
      (lines[to - 1] !== undefined && !isBlank(lines[to - 1]!) && !startsBlock(form))
    )
      items.at(-1)!.push(line.replace(new RegExp(`^\\s{0,${base + (ordered ? 3 : 2)}}`), ''));
    else break;
  }
  return [
    {
      is: 'list',
      ordered,
      start: ordered ? Number.parseInt(mark, 10) : 1,
      items: items.map((item) => {
        const text = item.join('\n').trimEnd();
        const task = /^[\ue000-\ue007]*\[([ xX])\]\s+/.exec(text);
        return task === null
          ? { text, done: null }
          : { text: text.slice(task[0].length), done: task[1] !== ' ' };
      }),
    },
    to,
  ];
}

const startsBlock = (form: string): boolean =>
  fence.test(form) || heading.test(form) || rule.test(form) || /^ {0,3}>/.test(form) || bullet.test(form);

function readTable(lines: readonly string[], at: number): readonly [MarkdownBlock, number] {
  let to = at + 2;
  while (to < lines.length && !isBlank(lines[to]!) && lines[to]!.includes('|')) to += 1;
  const rows = lines.slice(at + 2, to).map(cells);
  return [{ is: 'table', head: cells(lines[at]!), rows }, to];
}

function readParagraph(lines: readonly string[], at: number): readonly [MarkdownBlock, number] {
  let to = at + 1;
  while (to < lines.length && !isBlank(lines[to]!) && !startsBlock(bare(lines[to]!))) to += 1;
  return [{ is: 'paragraph', text: lines.slice(at, to).join('\n') }, to];
}

/** The pages of a vault as they lie in its files: the truth that programs over it are measured against. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { parse } from 'yaml';

export interface VaultPage {
  /** The path without `.md`. */
  readonly name: string;
  /** By key, as one text; lists are joined with a space. */
  readonly front: ReadonlyMap<string, string>;
  readonly tags: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
  /** Links that lead to no page, those to other files left out. */
  readonly broken: number;
  readonly headings: number;
  readonly hosts: ReadonlySet<string>;
  /** In lower case, outside of code. */
  readonly words: ReadonlySet<string>;
}

/** Without what lies in hidden folders where `hidden` is false: an import leaves these out. */
export function vaultPages(root: string, { hidden }: { hidden: boolean }): readonly VaultPage[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.md$/i.test(path) && !(hidden ? /(^|\/)\.git\// : /(^|\/)\./).test(path))
    .sort((a, b) => compare(a.slice(0, -3), b.slice(0, -3)));
  const find = finder(paths.map((path) => path.slice(0, -3)));
  return paths.map((path) => pageOf(path.slice(0, -3), readFileSync(join(root, path), 'utf8'), find));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Find = (target: string, from: string) => string | null;

function finder(names: readonly string[]): Find {
  const whole = new Map<string, string>();
  const last = new Map<string, string>();
  for (const name of names) {
    const low = name.toLowerCase();
    if (!whole.has(low)) whole.set(low, name);
    const file = low.split('/').at(-1)!;
    if (!last.has(file)) last.set(file, name);
  }
  return (target, from) => {
    const low = target.toLowerCase().replace(/\.md$/, '');
    const beside = low.startsWith('/') ? low.slice(1) : normalize(join(dirname(from.toLowerCase()), low));
    return whole.get(beside) ?? whole.get(normalize(low)) ?? last.get(low.split('/').at(-1)!) ?? null;
  };
}

function pageOf(name: string, source: string, find: Find): VaultPage {
  const text = source.replaceAll('\r\n', '\n');
  const matter = /^---[ \t]*\n([\s\S]*?)^[ \t]*---[ \t]*(?:\n|$)/m.exec(text);
  const head = matter?.index === 0 ? matter : null;
  const front = frontOf(head?.[1] ?? '');
  const prose = withoutCode(head === null ? text : text.slice(head[0].length));
  const targets = targetsOf(prose);
  const found = targets.map((target) => find(target, name));
  return {
    name,
    front: new Map(
      [...front].map(([key, value]) => [key, typeof value === 'string' ? value : value.join(' ')]),
    ),
    tags: tagsOf(front, prose),
    links: new Set(found.filter((one) => one !== null && one !== name) as string[]),
    broken: targets.filter((target, at) => found[at] === null && !/\.(?!md$)[a-z0-9]{1,5}$/i.test(target))
      .length,
    headings: prose.split('\n').filter((line) => /^#{1,6}\s+\S/.test(line)).length,
    hosts: new Set([...prose.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)].map((match) => match[1]!.toLowerCase())),
    words: new Set(prose.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []),
  };
}

type Front = ReadonlyMap<string, string | readonly string[]>;

/** By a parser of YAML, every value as the text that stands there. */
function frontOf(yaml: string): Front {
  const front = new Map<string, string | readonly string[]>();
  let value: unknown;
  try {
    value = parse(yaml, { schema: 'failsafe', uniqueKeys: false });
  } catch {
    return front;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return front;
  for (const [key, held] of Object.entries(value))
    if (Array.isArray(held)) front.set(key, held.map(String));
    else if (typeof held === 'string') front.set(key, held);
  return front;
}

/** Lines outside of fenced blocks, without what stands between backticks. */
function withoutCode(body: string): string {
  let open = '';
  const kept: string[] = [];
  for (const line of body.split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (open !== '') {
      if (mark === open) open = '';
    } else if (mark !== undefined) open = mark;
    else kept.push(line.replace(/`[^`]*`/g, ''));
  }
  return kept.join('\n');
}

function targetsOf(prose: string): readonly string[] {
  const targets: string[] = [];
  for (const match of prose.matchAll(/\[\[([^[\]\n]+)\]\]/g)) targets.push(match[1]!.split(/[|#]/)[0]!);
  for (const match of prose.matchAll(/\]\(<?([^()\s<>]+)>?(?:\s+"[^"]*")?\)/g)) {
    const target = match[1]!;
    if (/^[a-z][\w+.-]*:/i.test(target)) continue;
    targets.push(decoded(target.split('#')[0]!));
  }
  return targets.map((target) => target.trim()).filter((target) => target !== '');
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function tagsOf(front: ReadonlyMap<string, string | readonly string[]>, prose: string): ReadonlySet<string> {
  const named = front.get('tags') ?? front.get('tag') ?? [];
  const listed = typeof named === 'string' ? named.split(/[,\s]+/) : named;
  const inline = [...prose.matchAll(/(?:^|\s)#([\p{L}\p{N}_/-]+)/gmu)]
    .map((match) => match[1]!)
    .filter((tag) => /[A-Za-z_/-]/.test(tag));
  return new Set(
    [...listed, ...inline]
      .map((tag) => tag.replace(/^#+/, '').toLowerCase())
      .filter((tag) => tag.trim() !== ''),
  );
}

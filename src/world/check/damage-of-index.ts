import type { Database, Row } from '../../store/index.ts';
import { linksOf, linksOfFront, tagsOf, type WrittenLink } from '../markdown/index.ts';
import { foldName } from '../names.ts';
import { linkKey } from '../rows/resolve-link.ts';
import { blocksOf, pageOf } from '../rows/rows.ts';
import { aliasesOf, tagsOfProperties } from '../write/properties.ts';
import type { Damage } from './check-world.ts';

/** Names, tags and links have rows of their own, made from the text: this checks that they still match it. */
export function damageOfIndex(db: Database, n: number, path: string): readonly Damage[] {
  // A page whose source is missing can't be looked up. The missing source is reported as damage of the file.
  const whole = 'SELECT 1 FROM world_pages p JOIN world_sources s ON s.n = p.source WHERE p.n = ?';
  if (db.get(whole, n) === undefined) return [];
  const page = pageOf(db, n);
  if (page.deleted) return [];
  const blocks = blocksOf(db, n);
  const own = (what: string): Damage => ({ page: path, block: null, what });
  const damaged: Damage[] = [];

  const names = db.all('SELECT alias, whole FROM world_names WHERE page = ?', n);
  const named = [
    `0 ${foldName(page.path)}`,
    ...aliasesOf(page.properties).map((alias) => `1 ${foldName(alias)}`),
  ];
  if (
    !sameSet(
      names.map(({ alias, whole }) => `${alias} ${whole}`),
      named,
    )
  )
    damaged.push(own('the names by which links find it are others'));

  const tags = db.all('SELECT block, tag FROM world_tags WHERE page = ?', n);
  const tagged = [
    ...tagsOfProperties(page.properties).map((tag) => `0 ${tag}`),
    ...blocks.flatMap((block) => tagsOf(block.text).map((tag) => `${block.n} ${tag}`)),
  ];
  if (
    !sameSet(
      tags.map(({ block, tag }) => `${block} ${tag}`),
      tagged,
    )
  )
    damaged.push(own('the tags by which it is found are others'));

  const columns = 'SELECT ordinal, kind, target, fragment, key FROM';
  const inFront = db.all(`${columns} world_front_links WHERE page = ? ORDER BY ordinal`, n);
  if (!sameLinks(linksOfFront(page.front), inFront))
    damaged.push(own('the links by which others find its properties are others'));
  for (const block of blocks) {
    const rows = db.all(`${columns} world_links WHERE block = ? ORDER BY ordinal`, block.n);
    if (!sameLinks(linksOf(block.text), rows))
      damaged.push({ page: path, block: block.id, what: 'the links by which others find it are others' });
  }
  return damaged;
}

function sameLinks(links: readonly WrittenLink[], rows: readonly Row[]): boolean {
  const written = links.map(({ kind, target, fragment }, ordinal) =>
    JSON.stringify([ordinal, kind, target, fragment, linkKey(target)]),
  );
  const stored = rows.map(({ ordinal, kind, target, fragment, key }) =>
    JSON.stringify([ordinal, kind, target, fragment, key]),
  );
  return written.join('\n') === stored.join('\n');
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const one = new Set(a);
  const other = new Set(b);
  return one.size === other.size && [...one].every((each) => other.has(each));
}

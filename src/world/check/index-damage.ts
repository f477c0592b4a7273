import type { Database, Row } from '../../store/index.ts';
import { findFrontLinks, findLinks, findTags, type WrittenLink } from '../markdown/index.ts';
import { foldName } from '../names.ts';
import { linkKey } from '../rows/resolve-link.ts';
import { listBlocks, readPageRow } from '../rows/rows.ts';
import { readAliases, readTags } from '../write/properties.ts';
import type { Damage } from './check-world.ts';

/** Checks that the indexed names, tags and links of a page match its text. */
export function findIndexDamage(db: Database, n: number, path: string): readonly Damage[] {
  // A page whose source row is missing can't be read. The check of the file reports that.
  const whole = 'SELECT 1 FROM world_pages p JOIN world_sources s ON s.n = p.source WHERE p.n = ?';
  if (db.get(whole, n) === undefined) return [];
  const page = readPageRow(db, n);
  if (page.deleted) return [];
  const blocks = listBlocks(db, n);
  const pageDamage = (what: string): Damage => ({ page: path, block: null, what });
  const damaged: Damage[] = [];

  const names = db.all('SELECT alias, whole FROM world_names WHERE page = ?', n);
  const expectedNames = [
    `0 ${foldName(page.path)}`,
    ...readAliases(page.properties).map((alias) => `1 ${foldName(alias)}`),
  ];
  if (
    !hasSameItems(
      names.map(({ alias, whole }) => `${alias} ${whole}`),
      expectedNames,
    )
  )
    damaged.push(pageDamage('its indexed names differ from its text'));

  const tags = db.all('SELECT block, tag FROM world_tags WHERE page = ?', n);
  const expectedTags = [
    ...readTags(page.properties).map((tag) => `0 ${tag}`),
    ...blocks.flatMap((block) => findTags(block.text).map((tag) => `${block.n} ${tag}`)),
  ];
  if (
    !hasSameItems(
      tags.map(({ block, tag }) => `${block} ${tag}`),
      expectedTags,
    )
  )
    damaged.push(pageDamage('its indexed tags differ from its text'));

  const columns = 'SELECT ordinal, kind, target, fragment, key FROM';
  const frontLinks = db.all(`${columns} world_front_links WHERE page = ? ORDER BY ordinal`, n);
  if (!hasSameLinks(findFrontLinks(page.front), frontLinks))
    damaged.push(pageDamage('the indexed links of its properties differ from its text'));
  for (const block of blocks) {
    const rows = db.all(`${columns} world_links WHERE block = ? ORDER BY ordinal`, block.n);
    if (!hasSameLinks(findLinks(block.text), rows))
      damaged.push({ page: path, block: block.id, what: 'its indexed links differ from its text' });
  }
  return damaged;
}

function hasSameLinks(links: readonly WrittenLink[], rows: readonly Row[]): boolean {
  const written = links.map(({ kind, target, fragment }, ordinal) =>
    JSON.stringify([ordinal, kind, target, fragment, linkKey(target)]),
  );
  const stored = rows.map(({ ordinal, kind, target, fragment, key }) =>
    JSON.stringify([ordinal, kind, target, fragment, key]),
  );
  return written.join('\n') === stored.join('\n');
}

function hasSameItems(a: readonly string[], b: readonly string[]): boolean {
  const one = new Set(a);
  const other = new Set(b);
  return one.size === other.size && [...one].every((each) => other.has(each));
}

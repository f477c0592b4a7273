import type { Database, Row } from '../../store/index.ts';
import { pageText } from '../read/page-text.ts';
import { standingOf } from '../read/standing.ts';
import { renderText } from '../rows/link-rows.ts';
import { type BlockRow, findBlock, findPage, type PageRow } from '../rows/rows.ts';
import type { ContentId, Deviation, InboxItem } from '../world.ts';
import { eventRow } from '../write/events.ts';
import { deviationRevision } from './content-as-shown.ts';
import { deviationRow } from './deviations.ts';
import { preview } from './preview.ts';

/** The items that wait for the author: those with the highest standing first, the oldest first among equals. */
export function inbox(db: Database, limit: number): readonly InboxItem[] {
  const waiting = [...candidates(db), ...openDeviations(db), ...openFlags(db)];
  const ranked = waiting.map((item) => ({
    ...item,
    standing: Math.max(...item.about.map((id) => standingOf(db, id)), 0),
  }));
  ranked.sort((a, b) => b.standing - a.standing || a.at - b.at || (a.id < b.id ? -1 : 1));
  return ranked
    .slice(0, limit)
    .map(({ kind, id, content_id, standing, revision, at, note, path, texts }) => ({
      kind,
      id,
      content_id,
      path,
      standing,
      revision,
      at,
      ...texts(),
      note,
    }));
}

interface WaitingItem
  extends Pick<InboxItem, 'kind' | 'id' | 'content_id' | 'revision' | 'at' | 'note' | 'path'> {
  /** The contents concerned; the highest standing among them is the standing of the item. */
  readonly about: readonly ContentId[];
  /** Makes the texts of the item; called only for items that are shown. */
  texts(): Pick<InboxItem, 'before' | 'after' | 'conflicts'>;
}

function candidates(db: Database): readonly WaitingItem[] {
  const pages = db
    .all("SELECT id FROM world_pages WHERE lifecycle = 'Candidate' AND deleted = 0")
    .map(({ id }) => findPage(db, String(id))!);
  const blocks = db
    .all(
      `SELECT b.id FROM world_blocks b JOIN world_pages p ON p.n = b.page
       WHERE b.lifecycle = 'Candidate' AND b.deleted = 0 AND p.deleted = 0 AND p.lifecycle <> 'Candidate'`,
    )
    .map(({ id }) => findBlock(db, String(id))!);
  const item = (
    content: PageRow | BlockRow,
    page: PageRow,
    note: string,
    after: () => string,
  ): WaitingItem => ({
    kind: 'candidate',
    id: content.id,
    content_id: content.id,
    path: page.path,
    revision: content.revision,
    at: content.created,
    note: `${note} by ${content.origin_source_id}`,
    about: [content.id],
    texts: () => ({ before: null, after: after(), conflicts: [] }),
  });
  return [
    ...pages.map((page) => item(page, page, 'new page', () => pageText(db, page, 'all'))),
    ...blocks.map((block) => {
      const page = findPage(db, block.page_id)!;
      return item(block, page, 'new block', () => renderText(db, block, page.path));
    }),
  ];
}

function openDeviations(db: Database): readonly WaitingItem[] {
  const rows = db.all("SELECT * FROM world_deviations WHERE status = 'open' ORDER BY created, rowid");
  return rows.map((row) => {
    const deviation = deviationRow(db, row);
    const about = [
      ...deviation.canonical_refs,
      ...(deviation.candidate === null ? [] : [deviation.candidate]),
    ];
    const [content_id = ''] = about;
    const proposed = deviation.proposals.map(({ by, text }) => `${by} proposes ${text}`);
    return {
      kind: 'deviation',
      id: deviation.id,
      content_id,
      path: pathOf(db, content_id),
      revision: deviationRevision(db, deviation),
      at: deviation.created_at,
      note: [`${deviation.type}: ${deviation.note}`, ...candidatePath(db, deviation), ...proposed].join('; '),
      about: deviation.canonical_refs,
      texts: () => preview(db, deviation),
    };
  });
}

/** The path of a page that contradicts another: accepting the deviation accepts the page as well. */
function candidatePath(db: Database, { candidate }: Deviation): readonly string[] {
  const page = candidate === null ? null : findPage(db, candidate);
  return page === null ? [] : [`in the new page ${page.path}`];
}

function openFlags(db: Database): readonly WaitingItem[] {
  const rows = db.all(`
    SELECT f.*, e.seq, e.at, e.write_id, e.op, e.content AS event_content, e.before, e.after, e.caller,
      e.caller_kind, e.thread, e.device, e.source AS event_source
    FROM world_flags f JOIN world_events e ON e.seq = f.event WHERE f.cleared IS NULL ORDER BY f.raised`);
  return rows.flatMap((row) => {
    const content_id = String(row['content']);
    const source = String(row['source']);
    const content = findBlock(db, content_id) ?? findPage(db, content_id);
    if (content === null || content.deleted) return [];
    return [
      {
        kind: 'flag' as const,
        id: String(row['id']),
        content_id,
        path: pathOf(db, content_id),
        revision: content.revision,
        at: Number(row['raised']),
        note: `${pathOf(db, source)} (${source}), which it derives from, was changed by ${row['caller']}`,
        about: [content_id],
        texts: () => ({ ...sourceTexts(row), conflicts: [] }),
      },
    ];
  });
}

/** The source before and after the change that raised the flag, as far as that is known. */
function sourceTexts(row: Row): Pick<InboxItem, 'before' | 'after'> {
  const event = eventRow({
    ...row,
    content: row['event_content'] ?? '[]',
    source: row['event_source'] ?? '',
  });
  const texts = (side: typeof event.before) =>
    Object.values(side ?? {})
      .flatMap(({ front, text }) => [front, text])
      .filter((text) => text !== undefined);
  const [before, after] = [texts(event.before), texts(event.after)];
  return {
    before: before.length === 0 ? null : before.join(''),
    after: after.length === 0 ? null : after.join(''),
  };
}

function pathOf(db: Database, id: ContentId): string {
  const page = findPage(db, findBlock(db, id)?.page_id ?? id);
  return page?.path ?? '';
}

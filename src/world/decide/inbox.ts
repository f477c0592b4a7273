import type { Database, Row } from '../../store/index.ts';
import { renderPage } from '../read/page-text.ts';
import { readStanding } from '../read/standing.ts';
import { renderText } from '../rows/link-rows.ts';
import { type BlockRow, findBlock, findPage, type PageRow } from '../rows/rows.ts';
import type { ContentId, Deviation, InboxItem } from '../world.ts';
import { toEvent } from '../write/events.ts';
import { deviationRevision } from './content-as-shown.ts';
import { toDeviation } from './deviations.ts';
import { previewDeviation } from './preview.ts';

/**
 * The items that wait for a decision of the author: those with the highest standing first, of equal ones the oldest.
 */
export function listInbox(db: Database, limit: number): readonly InboxItem[] {
  const waitingItems = [...listCandidates(db), ...listOpenDeviations(db), ...listOpenFlags(db)];
  const ranked = waitingItems.map((item) => ({
    ...item,
    standing: Math.max(...item.about.map((id) => readStanding(db, id)), 0),
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
  /** The content that the item is about. The standing of the item is the highest standing of this content. */
  readonly about: readonly ContentId[];
  /** Reads the texts of the item; called only for items that are returned. */
  texts(): Pick<InboxItem, 'before' | 'after' | 'conflicts'>;
}

function listCandidates(db: Database): readonly WaitingItem[] {
  const pages = db
    .all("SELECT id FROM world_pages WHERE lifecycle = 'Candidate' AND deleted = 0")
    .map(({ id }) => findPage(db, String(id))!);
  const blocks = db
    .all(
      `SELECT b.id FROM world_blocks b JOIN world_pages p ON p.n = b.page
       WHERE b.lifecycle = 'Candidate' AND b.deleted = 0 AND p.deleted = 0 AND p.lifecycle <> 'Candidate'`,
    )
    .map(({ id }) => findBlock(db, String(id))!);
  const toItem = (
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
    ...pages.map((page) => toItem(page, page, 'new page', () => renderPage(db, page, 'all'))),
    ...blocks.map((block) => {
      const page = findPage(db, block.page_id)!;
      return toItem(block, page, 'new block', () => renderText(db, block, page.path));
    }),
  ];
}

function listOpenDeviations(db: Database): readonly WaitingItem[] {
  const rows = db.all("SELECT * FROM world_deviations WHERE status = 'open' ORDER BY created, rowid");
  return rows.map((row) => {
    const deviation = toDeviation(db, row);
    const about = [
      ...deviation.canonical_refs,
      ...(deviation.candidate === null ? [] : [deviation.candidate]),
    ];
    const [content_id = ''] = about;
    const proposalTexts = deviation.proposals.map(({ by, text }) => `${by} proposes ${text}`);
    return {
      kind: 'deviation',
      id: deviation.id,
      content_id,
      path: readPath(db, content_id),
      revision: deviationRevision(db, deviation),
      at: deviation.created_at,
      note: [
        `${deviation.type}: ${deviation.note}`,
        ...describeCandidate(db, deviation),
        ...proposalTexts,
      ].join('; '),
      about: deviation.canonical_refs,
      texts: () => previewDeviation(db, deviation),
    };
  });
}

/** The path of the candidate page of a contradiction: accepting the deviation also accepts that page. */
function describeCandidate(db: Database, { candidate }: Deviation): readonly string[] {
  const page = candidate === null ? null : findPage(db, candidate);
  return page === null ? [] : [`in the new page ${page.path}`];
}

function listOpenFlags(db: Database): readonly WaitingItem[] {
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
        path: readPath(db, content_id),
        revision: content.revision,
        at: Number(row['raised']),
        note: `${readPath(db, source)} (${source}), which it derives from, was changed by ${row['caller']}`,
        about: [content_id],
        texts: () => ({ ...readSourceTexts(row), conflicts: [] }),
      },
    ];
  });
}

/** The text of the source before and after the change that raised the flag; null if the event has none. */
function readSourceTexts(row: Row): Pick<InboxItem, 'before' | 'after'> {
  const event = toEvent({
    ...row,
    content: row['event_content'] ?? '[]',
    source: row['event_source'] ?? '',
  });
  const readTexts = (side: typeof event.before) =>
    Object.values(side ?? {})
      .flatMap(({ front, text }) => [front, text])
      .filter((text) => text !== undefined);
  const [before, after] = [readTexts(event.before), readTexts(event.after)];
  return {
    before: before.length === 0 ? null : before.join(''),
    after: after.length === 0 ? null : after.join(''),
  };
}

function readPath(db: Database, id: ContentId): string {
  const page = findPage(db, findBlock(db, id)?.page_id ?? id);
  return page?.path ?? '';
}

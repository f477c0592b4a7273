/** Rebuilds content from the log: the last state of each page and block. */
import type { Database } from '../../store/index.ts';
import type { ContentFields, ContentId } from '../world.ts';

export interface LoggedContent {
  readonly id: ContentId;
  readonly fields: ContentFields;
  /** The number of logged writes to this content. */
  readonly revision: number;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly updated: number;
  /** The source of its first write. */
  readonly source: string;
  /** Kind and name of the last writer. */
  readonly writer: string;
}

/** The content by id, in the order of creation. */
export function readLoggedContent(db: Database): ReadonlyMap<ContentId, LoggedContent> {
  const all = new Map<ContentId, LoggedContent>();
  for (const row of db.each('SELECT * FROM world_events WHERE after IS NOT NULL ORDER BY seq')) {
    const at = Number(row['at']);
    for (const [id, fields] of Object.entries(
      JSON.parse(String(row['after'])) as Readonly<Record<ContentId, ContentFields>>,
    )) {
      const loggedContent = all.get(id);
      all.set(id, {
        id,
        fields: { ...loggedContent?.fields, ...keepValidFields(fields) },
        revision: (loggedContent?.revision ?? 0) + 1,
        created: loggedContent?.created ?? at,
        updated: at,
        source: loggedContent?.source ?? String(row['source']),
        writer: `${row['caller_kind']}:${row['caller']}`,
      });
    }
  }
  return all;
}

const origins: readonly unknown[] = ['Authored', 'Imported', 'AgentProduced', 'Observed'];
const lifecycles: readonly unknown[] = ['Draft', 'Candidate', 'Canonical'];

/** Leaves out fields with values that no write can have stored, since a damaged log may contain anything. */
function keepValidFields(fields: ContentFields): ContentFields {
  const is = (type: string) => (value: unknown) => typeof value === type;
  const rules: Readonly<Record<string, (value: unknown) => boolean>> = {
    path: is('string'),
    front: is('string'),
    text: is('string'),
    page: is('string'),
    place: Number.isSafeInteger,
    deleted: is('boolean'),
    origin: (value) => origins.includes(value),
    lifecycle: (value) => lifecycles.includes(value),
  };
  const entries = Object.entries(fields ?? {}).filter(([name, value]) => rules[name]?.(value) === true);
  return Object.fromEntries(entries);
}

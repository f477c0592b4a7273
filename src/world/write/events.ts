import type { Row } from '../../store/index.ts';
import type { ContentFields, ContentId, WorldEvent } from '../world.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Stores the event of an accepted write, and adds it to the outbox. Returns the number of the event. */
export function insertEvent({ db, write, act, trace }: UnitOfWork, write_id: string): number {
  const { operation, caller, origin_source_id } = write;
  const content = [...new Set([...trace.results, ...trace.after.keys()])];
  const seq = db.insert(
    `INSERT INTO world_events
       (at, write_id, op, content, before, after, caller, caller_kind, thread, device, source)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    act.now,
    write_id,
    operation.op,
    JSON.stringify(content),
    toFieldsJson(trace.before),
    toFieldsJson(trace.after),
    caller.name,
    caller.kind,
    caller.thread ?? null,
    caller.device,
    origin_source_id,
  );
  for (const page of trace.pages) {
    db.run(
      `INSERT INTO world_event_pages (page, seq, revision)
       VALUES (?1, ?2, (SELECT revision FROM world_pages WHERE n = ?1))`,
      page,
      seq,
    );
  }
  db.run('INSERT INTO world_outbox (seq) VALUES (?)', seq);
  return seq;
}

/** The JSON of fields by content id, concatenated, since building an object with many new keys is slow. */
function toFieldsJson(fieldsById: ReadonlyMap<ContentId, ContentFields>): string | null {
  if (fieldsById.size === 0) return null;
  return `{${[...fieldsById].map(([id, each]) => `"${id}":${JSON.stringify(each)}`).join(',')}}`;
}

export function toEvent(row: Row): WorldEvent {
  return {
    seq: Number(row['seq']),
    at: Number(row['at']),
    write_id: String(row['write_id']),
    op: String(row['op']),
    content_ids: JSON.parse(String(row['content'])),
    before: row['before'] === null ? null : JSON.parse(String(row['before'])),
    after: row['after'] === null ? null : JSON.parse(String(row['after'])),
    caller: String(row['caller']),
    caller_kind: String(row['caller_kind']),
    thread: row['thread'] === null ? null : String(row['thread']),
    device: String(row['device']),
    origin_source_id: String(row['source']),
  };
}

/** Decisions of the author over HTTP: the same as on the command line, each about a revision that was shown. */

import type { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import { type InboxItem, type World, type WorldOperation, worldWrite } from '../../../world/index.ts';
import { toError } from '../../workspace/workspace.ts';
import type { ApiPorts } from '../ports.ts';
import type { RouteRequest } from '../route.ts';
import type { decisionBody, decisionResult } from '../schemas/schemas.ts';

type DecisionBody = z.output<typeof decisionBody>;
export type DecisionFields = z.input<typeof decisionResult>;
type Workspace = ApiPorts['workspace'];

export interface Author {
  readonly asker: RouteRequest['asker'];
  readonly key: string | null;
}

/** The origin of content: the name of the caller. */
export const toSource = ({ name }: Pick<RouteRequest['asker'], 'name'>): string => `http api: ${name}`;

/** Submits one write of the author. Throws the error if it is refused. */
export function submitAsAuthor(
  { world, person }: Pick<Workspace, 'world' | 'person'>,
  operation: WorldOperation,
  { by, part, base }: { readonly by: Author; readonly part: string; readonly base?: number | undefined },
) {
  const result = world.submit(
    worldWrite({
      operation,
      caller: person,
      source: toSource(by.asker),
      idempotencyKey: partKey(by, part),
      ...(base !== undefined && { baseRevision: base }),
    }),
  );
  if (result.kind === 'refused') throw toError(result);
  return result;
}

/** Derives a key for each part of a request from the client's key. */
const partKey = ({ asker, key }: Author, part: string): string | null =>
  key === null ? null : `http:${asker.name}:${key}:${part}`;

export function decide(ports: ApiPorts, id: string, body: DecisionBody, author: Author): DecisionFields {
  const { workspace, records } = ports;
  const { world, person } = workspace;
  const item = requireItem(world, id);
  const flaggedText = world.block(item.content_id)?.text;
  const { before = null, ...outcome } = applyDecision(workspace, item, body, author);
  const { act, reason = null } = body;
  const { write_id } = outcome;
  const { path } = item;
  const decisionRecord = { write_id, before, person: person.name, act, item: id, path, reason };
  const decidedText = body.text ?? (item.kind === 'flag' ? flaggedText : (item.after ?? item.before));
  records.storeDecision(world.workspace.id, {
    ...decisionRecord,
    gist: decidedText?.slice(0, maxGist) ?? null,
  });
  return { id, act, ...outcome };
}

/** Maximum characters of the content that the list of decisions shows. */
const maxGist = 400;

/**
 * Undoes a decision with all writes that belong to it, or none. Throws the error of a refused write, and `run_state`
 * if something has changed since.
 */
export function undoDecision(
  { workspace, records }: Pick<ApiPorts, 'workspace' | 'records'>,
  write_id: string,
  author: Author,
): Pick<DecisionFields, 'write_id' | 'content_ids'> {
  const { world, person } = workspace;
  const decision = records.findDecision(world.workspace.id, write_id);
  const writes = [write_id, ...(decision?.before == null ? [] : [decision.before])];
  const results = world.submitAll(
    writes.map((writeId) =>
      worldWrite({
        operation: { op: 'undo', write: writeId },
        caller: person,
        source: toSource(author.asker),
        idempotencyKey: partKey(author, `undo:${writeId}`),
      }),
    ),
  );
  if ('kind' in results) {
    const { code, message, remedy, details } = results;
    if (code !== 'not_open') throw toError(results);
    throw new SondeError('run_state', { message: message.replace(/\.$/, ''), remedy, details });
  }
  const [last] = results.slice(-1);
  if (last?.kind !== 'accepted') throw new SondeError('internal', { message: 'Nothing was taken back' });
  const { content_ids, write_id: undoWrite } = last;
  if (decision !== null) {
    const { item, path, gist } = decision;
    records.markUndone(world.workspace.id, write_id);
    records.storeDecision(world.workspace.id, {
      ...{ write_id: undoWrite, before: null, person: person.name, act: 'undo' },
      ...{ item, path, gist, reason: null },
    });
  }
  return { write_id: undoWrite, content_ids: [...content_ids] };
}

/** Throws `not_found` if the item was already decided on, or never existed. */
export function requireItem(world: World, id: string): InboxItem {
  const item = world.inbox(Number.MAX_SAFE_INTEGER).find((inboxItem) => inboxItem.id === id);
  if (item !== undefined) return item;
  throw new SondeError('not_found', {
    message: `There is no item ${id} in the inbox`,
    remedy: 'It was decided, or is gone; GET the inbox for what waits.',
  });
}

interface DecisionOutcome {
  readonly write_id: string;
  /** An earlier write of the same decision, which this one completes. */
  readonly before?: string;
  readonly content_ids: string[];
}

function applyDecision(
  workspace: Workspace,
  item: InboxItem,
  body: DecisionBody,
  author: Author,
): DecisionOutcome {
  const { act, revision, text, reason } = body;
  if ((act === 'edit') !== (text !== undefined) && !(act === 'resolve' && item.kind === 'deviation'))
    throw badDecisionError(
      act === 'edit' ? 'edit needs a text' : `${act} takes no text`,
      'Send `text` with edit, and with nothing else.',
    );
  const writeDecision = (operation: WorldOperation, baseRevision?: number): DecisionOutcome => {
    const { write_id, content_ids } = submitAsAuthor(workspace, operation, {
      by: author,
      part: item.id,
      base: baseRevision,
    });
    return { write_id, content_ids: [...content_ids] };
  };
  switch (item.kind) {
    case 'candidate':
      switch (act) {
        case 'accept':
          return writeDecision({ op: 'promote', content: item.id, revision });
        case 'reject':
          return writeDecision({ op: 'reject', content: item.id, revision });
        case 'edit':
          return editCandidate(workspace, item, { revision, text: text! }, author, writeDecision);
        case 'resolve':
          throw badDecisionError('A candidate is accepted, edited or rejected', 'Send one of these.');
      }
      break;
    case 'deviation': {
      const decision = act === 'accept' ? 'accept' : act === 'reject' ? 'keep' : text;
      if (decision === undefined)
        throw badDecisionError('What is to stand was not said', 'Send edit with a text.');
      return writeDecision({
        op: 'resolve_deviation',
        deviation: item.id,
        decision: decision === 'accept' || decision === 'keep' ? (decision as 'accept') : { text: decision },
        ...(reason !== undefined && { note: reason }),
        revision,
      });
    }
    case 'flag': {
      if (act === 'reject')
        throw badDecisionError(
          'A flag says: look again; there is nothing to reject',
          'Send resolve, or edit with a text.',
        );
      requireSameRevision(item, revision);
      if (act !== 'edit') return writeDecision({ op: 'clear_flag', flag: item.id });
      const { content_id: block } = item;
      if (!block.startsWith('bl-'))
        throw badDecisionError(
          'A whole page is no text of an edit here',
          'PATCH the page, then send resolve.',
        );
      const editOutcome = writeDecision({ op: 'update_block', block, text: text! }, revision);
      const isOpen = workspace.world
        .inbox(Number.MAX_SAFE_INTEGER)
        .some((inboxItem) => inboxItem.id === item.id);
      if (!isOpen) return editOutcome;
      const clearOutcome = writeDecision({ op: 'clear_flag', flag: item.id });
      return { ...editOutcome, write_id: clearOutcome.write_id, before: editOutcome.write_id };
    }
  }
  throw badDecisionError(`${item.kind} takes no ${act}`, 'Send another act.');
}

/** Replaces the text of a candidate with the author's, and promotes the rest of its page. */
function editCandidate(
  { world, person }: Workspace,
  item: InboxItem,
  { revision, text }: { readonly revision: number; readonly text: string },
  author: Author,
  writeDecision: (operation: WorldOperation, base?: number) => DecisionOutcome,
): DecisionOutcome {
  requireSameRevision(item, revision);
  const { id } = item;
  if (id.startsWith('bl-')) return writeDecision({ op: 'update_block', block: id, text }, revision);
  const decisionOutcome = writeDecision({ op: 'update_page', page: id, text }, revision);
  const pageText = world.read(id, 'all');
  const isLeft =
    pageText?.lifecycle === 'Candidate' || pageText?.blocks.some((block) => block.lifecycle === 'Candidate');
  if (pageText === null || isLeft !== true) return decisionOutcome;
  // The author has just sent this text, and so has seen every word of it.
  world.shown(person.name, [pageText]);
  const promotion = submitAsAuthor(
    { world, person },
    { op: 'promote', content: id },
    { by: author, part: `${id}:rest` },
  );
  return {
    write_id: promotion.write_id,
    before: decisionOutcome.write_id,
    content_ids: decisionOutcome.content_ids,
  };
}

/** Throws if the revisions differ, with both in the details, as in the world's own refusal. */
function requireSameRevision(item: InboxItem, revision: number): void {
  if (item.revision === revision) return;
  throw new SondeError('stale', {
    message: `${item.id} has revision ${item.revision}, not ${revision}`,
    remedy: 'Read it again, and then decide.',
    details: { id: item.id, shown: revision, now: item.revision, diff: item.after ?? '' },
  });
}

const badDecisionError = (message: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message, remedy });

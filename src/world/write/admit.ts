import type { Database } from '../../store/index.ts';
import { listBlocks } from '../rows/rows.ts';
import type { ContentId, Lifecycle } from '../world.ts';
import type { WorldWrite } from '../world-write.ts';
import { refuse } from './refusal.ts';
import type { EditOperation, Targets } from './targets.ts';

/**
 * Decides whether a valid edit is applied, or held as a deviation that the author decides on.
 *
 * An update of a page that was changed in two places is always held. Other edits depend on the caller and on the
 * lifecycle of the content that they change:
 *
 * - A user may change anything.
 * - An agent, schedule or external caller may change candidates only, and no property that another writer has set.
 * - An import may change drafts only, since a person or an agent wrote everything else.
 *
 * Other edits are held, and so is every edit that was made from an older revision than the present one.
 *
 * New content of an agent is applied as a candidate. If its page has a newer revision than the agent had read, it is
 * also recorded as a contradiction.
 */
export type Admission =
  | { readonly kind: 'apply'; readonly conflict: string | null }
  | { readonly kind: 'hold'; readonly why: string };

export function admit(
  db: Database,
  write: WorldWrite,
  operation: EditOperation,
  targets: Targets,
  writer: string,
): Admission {
  const { caller } = write;
  const { page, block } = targets;
  const stale = findStaleReason(write, targets);
  if (operation.op === 'create_page' || targets.isUnchanged) return { kind: 'apply', conflict: null };
  if (write.diverged_from !== undefined) return hold('it was changed in two places');
  if (caller.kind === 'user') return stale === null ? apply() : hold(stale);

  const callerLabel = `${caller.kind} ${caller.name}`;
  if (caller.kind === 'import') {
    const nonDraft = listLifecycles(db, operation, targets).find((lifecycle) => lifecycle !== 'Draft');
    if (nonDraft !== undefined) return hold(`${callerLabel} changes what is ${nonDraft} here`);
    return stale === null ? apply() : hold(stale);
  }

  if (operation.op === 'add_block') return { kind: 'apply', conflict: stale };
  if (page === null) {
    return refuse(
      'forbidden',
      `${callerLabel} cannot change an attachment of the whole vault.`,
      'Attach it to a page.',
      { caller_kind: caller.kind },
    );
  }
  const nonCandidate = listLifecycles(db, operation, targets).find((lifecycle) => lifecycle !== 'Candidate');
  if (nonCandidate !== undefined) return hold(`${callerLabel} changes what is ${nonCandidate}`);
  if (stale !== null) return hold(stale);
  if (block === null && targets.differing.length > 0 && page.writer !== writer) {
    return hold(`${page.writer} gave another value for ${targets.differing.join(', ')}`);
  }
  return apply();
}

/** Content by its id, and the number of its page. */
export interface ContentOnPage {
  readonly id: ContentId;
  readonly page: number;
}

function apply(): Admission {
  return { kind: 'apply', conflict: null };
}

function hold(why: string): Admission {
  return { kind: 'hold', why };
}

/** The lifecycles of all content that an edit would change. */
function listLifecycles(db: Database, operation: EditOperation, targets: Targets): readonly Lifecycle[] {
  const { page, block, below } = targets;
  if (block !== null) return [block.lifecycle];
  if (page === null) return [];
  const changesBlocks = operation.op === 'update_page' || operation.op === 'delete_page';
  const blocks = changesBlocks ? listBlocks(db, page.n) : [];
  // Candidate blocks keep their lifecycle when an import updates the page.
  const blockLifecycles = blocks
    .map(({ lifecycle }) => lifecycle)
    .filter((lifecycle) => lifecycle !== 'Candidate');
  return [page.lifecycle, ...blockLifecycles, ...below.map(({ lifecycle }) => lifecycle)];
}

/** Says that an edit was made from an older revision than the present one. Null if it was not. */
function findStaleReason(write: WorldWrite, { page, block }: Targets): string | null {
  const { base_revision: base } = write;
  const target = block ?? page;
  if (base === null || target === null || base === target.revision) return null;
  if (base > target.revision) {
    return refuse(
      'bad_value',
      `${target.id} has no revision ${base}: ${target.revision} is its newest.`,
      'Give the revision that was read.',
      { content_id: target.id, base_revision: base, revision: target.revision },
    );
  }
  return `revision ${base} of ${target.id} was edited, and the present one is ${target.revision}`;
}

/** The content that a held edit conflicts with, its target first. */
export function listConflictingContent({ page, block, below }: Targets): readonly ContentOnPage[] {
  if (block !== null) return [block];
  if (page === null) return [];
  const pagesBelow = below.filter(({ lifecycle }) => lifecycle !== 'Candidate');
  return [page, ...pagesBelow].map(({ id, n }) => ({ id, page: n }));
}

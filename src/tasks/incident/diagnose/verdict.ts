/** Whether a verdict stands: what a model says of the cause is held against what was read. */
import type { IncidentVerdict } from '../../../core/index.ts';
import { sameCommit } from '../brief/delivery.ts';
import type { Facts } from '../brief/facts.ts';
import type { Judgement } from '../brief/judge.ts';
import { natureOf } from '../brief/nature.ts';

export interface Ruling {
  readonly verdict: IncidentVerdict;
  /** The change that is blamed, as it is named in the evidence; null where none is. */
  readonly culprit: string | null;
  /** Why it is not the verdict that was asked for; null where it is. */
  readonly objection: string | null;
}

const stands = (verdict: IncidentVerdict, culprit: string | null = null): Ruling => ({
  verdict,
  culprit,
  objection: null,
});
const falls = (objection: string): Ruling => ({ verdict: 'inconclusive', culprit: null, objection });

/**
 * A commit is blamed only if its diff was read and it took effect no later than the onset, and not if its diff
 * shows that nothing that runs was changed. A flag is blamed only if it is known, and was switched by then.
 */
export function ruling(
  verdict: IncidentVerdict,
  culprit: string | null,
  rootCauseHolds: boolean,
  judgement: Judgement,
  facts: Facts,
): Ruling {
  if (verdict === 'inconclusive') return stands(verdict);
  if (!rootCauseHolds) return falls('the root cause could not be found in the evidence that it names');
  if (verdict === 'no_code_change') return stands(verdict);
  const named = culprit?.trim() ?? '';
  if (verdict === 'config_change') {
    const flag = judgement.blamed.find(
      ({ kind, id }) => (kind === 'flag' || kind === 'config') && id === named,
    );
    if (flag === undefined)
      return falls(`the evidence knows no flag or setting ${named === '' ? 'that was named' : named}`);
    return flag.before ? stands(verdict, flag.id) : falls(`${flag.id} was switched after the onset`);
  }
  const commit =
    named.length < 7
      ? undefined
      : judgement.blamed.find(({ kind, id }) => kind === 'commit' && sameCommit(id, named));
  if (commit === undefined)
    return falls(`the evidence knows no commit ${named === '' ? 'that was named' : named}`);
  if (!commit.diffRead) return falls(`the diff of ${commit.id.slice(0, 12)} was not read`);
  if (!commit.before) return falls(`${commit.id.slice(0, 12)} took effect after the onset`);
  const change = facts.changes.find(({ id }) => id === commit.id);
  const nature = change === undefined ? null : natureOf(change);
  if (nature !== null && (nature.kind === 'inert' || nature.kind === 'told'))
    return falls(`the diff of ${commit.id.slice(0, 12)} changes nothing that could do this`);
  return stands(verdict, commit.id);
}

import type { VNode } from 'preact';
import type { Claim, ClaimVerdict, Evidence } from '../../../src/view.ts';
import { to } from '../../parts/route.ts';
import { plainText } from '../../parts/words.ts';

export const verdictTone: Readonly<Record<ClaimVerdict, string>> = {
  shown: 'good',
  computed: 'good',
  absent: 'good',
  supported: 'good',
  unclear: 'warn',
  contradicted: 'bad',
  'not shown': 'bad',
};

const meaning: Readonly<Record<ClaimVerdict, string>> = {
  shown: 'The cited lines hold all of it.',
  computed: 'A cell computed it, twice the same.',
  absent: 'A complete search found nothing.',
  supported: 'A reader who saw only this and its lines says they support it.',
  unclear: 'Nothing speaks for or against it.',
  contradicted: 'The lines say otherwise.',
  'not shown': 'The lines hold none of it.',
};

/** Every sentence of the answer with what became of it, the doubtful first; each leads to its lines. */
export function Claims({
  run,
  claims,
  evidence,
}: {
  readonly run: string;
  readonly claims: readonly Claim[];
  readonly evidence: ReadonlyMap<string, Evidence>;
}): VNode {
  const ranked = claims.toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    <ol class="claims" aria-label="Claims">
      {ranked.map(({ text, verdict, why, evidence: ids, flags }) => (
        <li>
          <p>
            <span class={`tag ${verdictTone[verdict]}`} title={meaning[verdict]}>
              {verdict}
            </span>{' '}
            {plainText(text)}
          </p>
          <p class="small muted">{plainText(why ?? meaning[verdict])}</p>
          {flags.length > 0 && (
            <p class="small">
              <span class="tag warn">the lines give orders</span> {flags.join(', ').replaceAll('_', ' ')}
            </p>
          )}
          <p class="row small">
            {ids.map((id) => {
              const found = evidence.get(id);
              return (
                <a href={to('runs', run, 'evidence', id)}>
                  {found === undefined ? id : plainText(`${found.file_path}:${found.start_line}`)}
                </a>
              );
            })}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** In a line, above everything: how much of the answer its lines do not carry. */
export function Doubts({ of }: { readonly of: readonly Claim[] }): VNode | null {
  const counts = doubtful
    .map((verdict) => [verdict, of.filter((one) => one.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
  if (counts.length === 0) return null;
  return (
    <p class="doubts row small" role="note">
      {counts.map(([verdict, count]) => (
        <span class={`tag ${verdictTone[verdict]}`}>
          {count} {verdict}
        </span>
      ))}
      <span>of {of.length} claims: marked in the answer, and first in the list of claims.</span>
    </p>
  );
}

const doubtful: readonly ClaimVerdict[] = ['contradicted', 'not shown', 'unclear'];
const rankOf = ({ verdict }: Claim): number => {
  const at = doubtful.indexOf(verdict);
  return at < 0 ? doubtful.length : at;
};

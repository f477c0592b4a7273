import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Row, rowsOf } from './difference.ts';
import { Markdown } from './markdown.tsx';
import { withoutMarks } from './marks.ts';
import { plainText } from './words.ts';

interface Props {
  readonly before: string | null;
  readonly after: string | null;
  /** The first change is brought into sight by it. */
  readonly names?: readonly [before: string, after: string];
}

/** Before and after side by side: unchanged lines span both columns, each change has its own row. */
export function Difference({ before, after, names = ['Before', 'After'] }: Props): VNode {
  const rows = useMemo(() => rowsOf(before, after), [before, after]);
  const [source, setSource] = useState(false);
  const one = before === null || after === null;
  const changes = rows.filter(({ kind }) => kind !== 'same').length;
  return (
    <section class={`difference ${one ? 'one' : 'two'}`} aria-label="What changes">
      <header class="difference-head">
        <div class="sides muted">
          {before !== null && <span>{names[0]}</span>}
          {after !== null && <span>{before === null ? 'New' : names[1]}</span>}
        </div>
        <span class="row">
          {!one && (
            <span class="muted small">
              {changes} {changes === 1 ? 'change' : 'changes'}
            </span>
          )}
          <button type="button" class="quiet small" aria-pressed={source} onClick={() => setSource(!source)}>
            Source
          </button>
        </span>
      </header>
      {rows.map((row) => (
        <DifferenceRow row={row} source={source} one={one} />
      ))}
    </section>
  );
}

function DifferenceRow({
  row: { kind, before, after },
  source,
  one,
}: {
  readonly row: Row;
  readonly source: boolean;
  readonly one: boolean;
}): VNode {
  const side = (text: string | null, of: 'before' | 'after'): VNode =>
    text === null ? (
      <div class={`side ${of} nothing`} aria-hidden="true" />
    ) : (
      <div class={`side ${of}`}>
        {kind !== 'same' && (
          <span class="visually-hidden">
            {of === 'before' ? 'Goes: ' : kind === 'changed' ? 'Becomes: ' : 'Comes: '}
          </span>
        )}
        {source ? <Source text={text} /> : <Markdown text={text} marked />}
      </div>
    );
  if (kind === 'same') return <div class="difference-row same">{side(after, 'after')}</div>;
  if (one)
    return (
      <div class={`difference-row ${kind}`}>
        {before === null ? side(after, 'after') : side(before, 'before')}
      </div>
    );
  return (
    <div class={`difference-row ${kind}`}>
      {side(before, 'before')}
      {side(after, 'after')}
    </div>
  );
}

/** The text exactly as written, in a fixed-width font. */
const Source = ({ text }: { readonly text: string }): VNode => (
  <pre class="source">
    {
      text.split(/([\ue000-\ue003])/).reduce<{ out: (VNode | string)[]; state: string }>(
        ({ out, state }, piece) => {
          if (piece === '\ue000' || piece === '\ue002') return { out, state: piece };
          if (piece === '\ue001' || piece === '\ue003') return { out, state: '' };
          const shown = plainText(withoutMarks(piece));
          out.push(state === '' ? shown : state === '\ue000' ? <ins>{shown}</ins> : <del>{shown}</del>);
          return { out, state };
        },
        { out: [], state: '' },
      ).out
    }
  </pre>
);

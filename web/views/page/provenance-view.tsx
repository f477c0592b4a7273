import type { VNode } from 'preact';
import type { Derivation, PageProvenance } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { Empty, Shown } from '../../parts/states.tsx';
import { plainText, since } from '../../parts/words.ts';

/** Both ways: what it derives from, and what derives from it. */
export function ProvenanceView({ base }: { readonly base: string }): VNode {
  const reading = useRead<PageProvenance>(`${base}/provenance`);
  return (
    <Shown of={reading} what="where it comes from">
      {({ content, flags }) =>
        content.length === 0 && flags.length === 0 ? (
          <Empty title="It derives from nothing, and nothing from it">
            What an agent writes out of other pages is tied to them here.
          </Empty>
        ) : (
          <>
            {flags.map(({ id, content_id, source_id, raised_at }) => (
              <p class="failed warn-box">
                <span class="tag warn">look again</span> A source of <code>{content_id}</code> was changed{' '}
                {since(raised_at)}: <a href={to('inbox', id)}>what changed in it</a>{' '}
                <code class="muted">{source_id}</code>
              </p>
            ))}
            <div class="columns">
              <Side title="Derives from" of={content.flatMap(({ sources }) => sources)} />
              <Side title="Derives from it" of={content.flatMap(({ derived }) => derived)} />
            </div>
          </>
        )
      }
    </Shown>
  );
}

const Side = ({ title, of }: { readonly title: string; readonly of: readonly Derivation[] }): VNode => (
  <section class="sources">
    <h2>{title}</h2>
    {of.length === 0 && <p class="muted">Nothing.</p>}
    {of.map(({ id, page, path, text, link_type, created_at, created_by }) => (
      <div key={id}>
        <p class="small">
          {page === null ? (
            id.startsWith('run-') || id.startsWith('ev-') ? (
              <a href={to('runs', id)}>{plainText(id)}</a>
            ) : (
              <code>{plainText(id)}</code>
            )
          ) : (
            <a href={text === null ? to('pages', page) : to('pages', page, id)}>{plainText(path ?? id)}</a>
          )}{' '}
          <span class="muted">
            {plainText(link_type)}, by {plainText(created_by)}, {since(created_at)}
          </span>
        </p>
        {text !== null && <Markdown text={text} />}
      </div>
    ))}
  </section>
);

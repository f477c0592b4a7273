import type { VNode } from 'preact';
import type { Derivation } from '../../api/types.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { plainText, since } from '../../parts/words.ts';

/** The sources of the item, in a side column. */
export const Sources = ({ of }: { readonly of: readonly Derivation[] }): VNode => (
  <aside class="sources" aria-label="Sources">
    <h2>Rests on</h2>
    {of.map(({ id, page, path, text, link_type, created_at }) => (
      <section key={id}>
        <p class="small">
          {page === null ? (
            <code>{plainText(id)}</code>
          ) : (
            <a href={text === null ? to('pages', page) : to('pages', page, id)}>{plainText(path ?? id)}</a>
          )}{' '}
          <span class="muted">
            {plainText(link_type)} · {since(created_at)}
          </span>
        </p>
        {text !== null && <Markdown text={text} />}
      </section>
    ))}
  </aside>
);

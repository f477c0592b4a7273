import type { VNode } from 'preact';
import type { Link } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { to } from '../../parts/route.ts';
import { Shown } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';

export function Links({ base }: { readonly base: string }): VNode {
  const reading = useRead<{ readonly links: readonly Link[]; readonly backlinks: readonly Link[] }>(
    `${base}/links`,
  );
  return (
    <Shown of={reading} what="links">
      {({ links, backlinks }) => (
        <div class="columns">
          <section>
            <h2>Links to</h2>
            {links.length === 0 && <p class="muted">No page.</p>}
            <ul class="plain">
              {links.map(({ to: page, to_path, target: text, kind }) => (
                <li>
                  {page === null ? (
                    <span>{plainText(text)}</span>
                  ) : (
                    <a href={to('pages', page)}>{plainText(to_path ?? text)}</a>
                  )}{' '}
                  {page === null && kind !== 'markdown' && <span class="tag warn">leads nowhere</span>}
                  {kind === 'embed' && <span class="tag">embeds</span>}
                </li>
              ))}
            </ul>
          </section>
          <section>
            <h2>Linked from</h2>
            {backlinks.length === 0 && <p class="muted">No page.</p>}
            <ul class="plain">
              {backlinks.map(({ from, from_page, from_path }) => (
                <li>
                  <a href={to('pages', from_page, from)}>{plainText(from_path ?? from_page)}</a>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Shown>
  );
}

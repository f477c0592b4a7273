import type { VNode } from 'preact';
import { after, type List, read } from '../../api/client.ts';
import type { Block, Derivation, PageProvenance } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { Empty, Shown } from '../../parts/states.tsx';
import { plainText, since } from '../../parts/words.ts';
import { HeldItem } from './held-item.tsx';
import type { Held } from './use-held.ts';

interface Props {
  readonly home: string;
  readonly name: string;
  readonly base: string;
  readonly held: Held;
  /** Grows with each write, so that the view is loaded again. */
  readonly changes: number;
  readonly decided: () => void;
}

interface Whole extends PageProvenance {
  readonly texts: ReadonlyMap<string, string>;
}

async function wholeOf(base: string, signal: AbortSignal): Promise<Whole> {
  const provenance = await read<PageProvenance>(`${base}/provenance`, signal);
  const texts = new Map<string, string>();
  let next: string | null = null;
  do {
    const part: List<Block> = await read<List<Block>>(after(`${base}/blocks?view=all`, next), signal);
    for (const { id, text } of part.items) texts.set(id, text);
    next = part.next;
  } while (next !== null);
  return { ...provenance, texts };
}

/** For each block: what it derives from, and what derives from it. */
export function ProvenanceView({ home, name, base, held, changes, decided }: Props): VNode {
  const reading = useRead<Whole>(`${base} ${changes}`, (_, signal) => wholeOf(base, signal));
  const flags = [...held.values()].flat().filter(({ kind }) => kind === 'flag');
  return (
    <Shown of={reading} what="where it comes from">
      {({ content, texts }) =>
        content.length === 0 && flags.length === 0 ? (
          <Empty title="It derives from nothing, and nothing from it">
            What an agent writes out of other pages is tied to them here.
          </Empty>
        ) : (
          <div class="ties">
            {flags.map((item) => (
              <HeldItem key={item.id} {...{ home, item, decided }} />
            ))}
            {content.map(({ id, sources, derived }) => (
              <section key={id} class="tie card" aria-label="A part of the page">
                <div class="tie-text">
                  {texts.has(id) ? (
                    <>
                      <Markdown text={texts.get(id)!} />
                      <p class="small">
                        <a href={to('pages', name, id)}>in its place</a>
                      </p>
                    </>
                  ) : (
                    <p class="muted">The page as a whole</p>
                  )}
                </div>
                <div class="columns">
                  <Side title="Derives from" of={sources} />
                  <Side title="Derives from it" of={derived} />
                </div>
              </section>
            ))}
          </div>
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
            id.startsWith('run-') ? (
              <a href={to('runs', id)}>{plainText(id)}</a>
            ) : (
              <code>{plainText(id)}</code>
            )
          ) : (
            <a href={text === null ? to('pages', page) : to('pages', page, id)}>{plainText(path ?? id)}</a>
          )}{' '}
          <span class="muted">
            {plainText(link_type.replaceAll('_', ' '))}, by {plainText(created_by.replace(':', ' '))},{' '}
            {since(created_at)}
          </span>
        </p>
        {text !== null && <Markdown text={text} />}
      </div>
    ))}
  </section>
);

/** Moving a page and deleting it: what hangs on it is told first. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { after, type List, read, write } from '../../api/client.ts';
import type { Link, Page, PageProvenance, PageText, Saved } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Field, FormDialog } from '../../parts/form.tsx';
import { to } from '../../parts/route.ts';
import { Shown } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { plainText } from '../../parts/words.ts';

interface Ties {
  /** Other pages that lead to it. */
  readonly backlinks: readonly Named[];
  /** Content of other pages that rests on it. */
  readonly derived: readonly Named[];
  readonly below: readonly Named[];
  readonly moreBelow: boolean;
}

interface Named {
  readonly id: string;
  readonly path: string;
}

/** Pages below it that are looked for. */
const maxBelow = 200;

const oncePerPage = (all: readonly Named[]): readonly Named[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
];

async function tiesOf(home: string, page: Pick<PageText, 'id' | 'path'>, signal: AbortSignal): Promise<Ties> {
  const base = `${home}/pages/${encodeURIComponent(page.id)}`;
  const [links, provenance, tree] = await Promise.all([
    read<{ readonly backlinks: readonly Link[] }>(`${base}/links`, signal),
    read<PageProvenance>(`${base}/provenance`, signal),
    read<List<Page>>(
      after(`${home}/pages?view=all&under=${encodeURIComponent(page.path)}`, null, maxBelow),
      signal,
    ),
  ]);
  const derived = provenance.content.flatMap((one) => one.derived);
  return {
    backlinks: oncePerPage(
      links.backlinks
        .filter(({ from_page }) => from_page !== page.id)
        .map(({ from_page, from_path }) => ({ id: from_page, path: from_path ?? from_page })),
    ),
    derived: oncePerPage(
      derived.flatMap(({ page: of, path }) =>
        of === null || of === page.id ? [] : [{ id: of, path: path ?? of }],
      ),
    ),
    below: tree.items.filter(({ id }) => id !== page.id),
    moreBelow: tree.next !== null,
  };
}

interface Props {
  readonly home: string;
  readonly page: PageText;
  readonly close: () => void;
  readonly done: (saved: Saved) => void;
}

export function MovePage({ home, page, close, done }: Props): VNode {
  const [path, setPath] = useState(page.path);
  const act = useAct();
  const reading = useRead<Ties>(`${home} ${page.id}`, (_, signal) => tiesOf(home, page, signal));
  const move = async (): Promise<void> => {
    const at = `${home}/pages/${encodeURIComponent(page.id)}/move`;
    const moved = await act.run(() => write<Saved>('POST', at, { to: path.trim() }));
    if (moved !== null) done(moved.value);
  };
  return (
    <FormDialog
      title="Rename or move the page"
      act={act}
      send={() => void move()}
      does="Move it"
      close={close}
    >
      <Field label="Its new path" value={path} set={setPath} isFirst required />
      <Shown of={reading} what="what leads to it">
        {({ backlinks, below, moreBelow }) => (
          <>
            <Tied what="Links to it are changed" none="No page leads to it." pages={backlinks} />
            <Tied
              what="What is below it moves along"
              none="Nothing is below it."
              pages={below}
              more={moreBelow}
            />
          </>
        )}
      </Shown>
    </FormDialog>
  );
}

export function DeletePage({ home, page, close, done }: Props): VNode {
  const act = useAct();
  // The dialog describes the page as it was when the dialog was opened.
  const [shown] = useState(page);
  const reading = useRead<Ties>(`${home} ${page.id}`, (_, signal) => tiesOf(home, page, signal));
  const remove = async (): Promise<void> => {
    const at = `${home}/pages/${encodeURIComponent(shown.id)}?revision=${shown.revision}`;
    const gone = await act.run(() => write<Saved>('DELETE', at));
    if (gone !== null) done(gone.value);
  };
  return (
    <FormDialog
      title={`Delete ${plainText(shown.path)}`}
      act={act}
      send={() => void remove()}
      does="Delete it"
      close={close}
    >
      <p>Its text and its history are kept, and it can be restored.</p>
      <Shown of={reading} what="what hangs on it">
        {({ backlinks, derived, below, moreBelow }) => (
          <>
            <Tied what="Their links will lead nowhere" none="No page leads to it." pages={backlinks} />
            <Tied what="They rest on it" none="Nothing rests on it." pages={derived} />
            {below.length > 0 && <Tied what="Below it, and staying" none="" pages={below} more={moreBelow} />}
          </>
        )}
      </Shown>
    </FormDialog>
  );
}

const Tied = ({
  what,
  none,
  pages,
  more = false,
}: {
  readonly what: string;
  readonly none: string;
  readonly pages: readonly Named[];
  readonly more?: boolean;
}): VNode =>
  pages.length === 0 ? (
    <p class="muted">{none}</p>
  ) : (
    <section>
      <h2>
        {what}{' '}
        <span class="count">
          {pages.length}
          {more ? '+' : ''}
        </span>
      </h2>
      <ul class="lines" tabIndex={0} aria-label={what}>
        {pages.map(({ id, path }) => (
          <li key={id}>
            <a href={to('pages', id)}>{plainText(path)}</a>
          </li>
        ))}
      </ul>
    </section>
  );

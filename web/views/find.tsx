import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Page } from '../api/types.ts';
import { useRead } from '../api/use-read.ts';
import { goQuietly, type Place, to } from '../parts/route.ts';
import { useSession } from '../parts/session.ts';
import { Loading } from '../parts/states.tsx';

/** Resolves a link of the material: opens the page of that name, or a search for the name. */
export function Find({ place }: { readonly place: Place }): VNode {
  const { workspace } = useSession();
  const name = (place.parts[0] ?? '').replace(/#.*$/, '').trim();
  const reading = useRead<Page>(
    `/workspaces/${encodeURIComponent(workspace)}/pages/${encodeURIComponent(name === '' ? '-' : name)}?view=all`,
  );
  useEffect(() => {
    if (reading.state === 'ready')
      goQuietly(name.startsWith('bl-') ? to('pages', reading.value.id, name) : to('pages', reading.value.id));
    if (reading.state === 'failed') goQuietly(`${to('search')}?q=${encodeURIComponent(name)}`);
  }, [reading, name]);
  return (
    <div class="pad">
      <h1>Looking for the page</h1>
      <Loading what="the page" />
    </div>
  );
}

/** Records that an incident cites, each by where its lines stand: a name says more than an id. */
import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Schemas } from '../../../src/client.ts';
import { after, type List } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import type { Citing } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { plainText } from '../../parts/words.ts';

type Evidence = Schemas['Evidence'];

const EvidenceNames = createContext<ReadonlyMap<string, string>>(new Map());

/** For texts that hold ids. */
export function useCite(run: string): (id: string) => Citing {
  const names = useContext(EvidenceNames);
  return (id) => ({ href: to('runs', run, 'evidence', id), name: names.get(id) ?? 'record' });
}

export function Cited({
  run,
  ids = [],
}: {
  readonly run: string;
  readonly ids?: readonly string[];
}): VNode | null {
  const names = useContext(EvidenceNames);
  if (ids.length === 0) return null;
  return (
    <span class="row small">
      {ids.map((id) => (
        <a class="cite" href={to('runs', run, 'evidence', id)}>
          {plainText(names.get(id) ?? id)}
        </a>
      ))}
    </span>
  );
}

/** Provides the names of evidence to all elements within it. */
export function Named({
  id,
  children,
}: {
  readonly id: string;
  readonly children: ComponentChildren;
}): VNode {
  const reading = useRead<List<Evidence>>(after(`/runs/${encodeURIComponent(id)}/evidence`, null));
  const names = useMemo(
    () =>
      new Map(
        (reading.state === 'ready' ? reading.value.items : []).map((one) => [
          one.id,
          `${one.file_path}:${one.start_line}`,
        ]),
      ),
    [reading],
  );
  return <EvidenceNames.Provider value={names}>{children}</EvidenceNames.Provider>;
}

import type { VNode } from 'preact';
import type { Lifecycle, Origin } from '../../api/types.ts';

const names: Readonly<Record<Origin, readonly [name: string, tone: string]>> = {
  Authored: ['yours', ''],
  Imported: ['imported', ''],
  AgentProduced: ['by an agent', 'warn'],
  Observed: ['observed', ''],
};

/** Whose words they are, and whether anybody has promoted them. */
export function OriginTag({
  origin,
  lifecycle,
}: {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
}): VNode {
  const [name, tone] = names[origin];
  return (
    <>
      {tone === '' ? <span class="muted">{name}</span> : <span class={`tag ${tone}`}>{name}</span>}
      {origin === 'AgentProduced' && lifecycle === 'Canonical' && <span class="muted">accepted</span>}
      {lifecycle === 'Candidate' && <span class="tag new">waits for you</span>}
      {lifecycle === 'Draft' && <span class="tag">draft</span>}
    </>
  );
}

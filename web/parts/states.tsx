/** What a view shows while it loads, if it is empty, or if loading failed, with a remedy. */
import type { ComponentChildren, VNode } from 'preact';
import type { Trouble } from '../api/client.ts';
import type { Read } from '../api/use-read.ts';

export const Loading = ({ what }: { readonly what: string }): VNode => (
  <div class="loading" role="status">
    <span class="visually-hidden">Loading {what}</span>
    <span class="bone wide" />
    <span class="bone" />
    <span class="bone narrow" />
  </div>
);

export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children !== undefined && <div class="muted">{children}</div>}
  </div>
);

export const Failed = ({
  trouble,
  again,
}: {
  readonly trouble: Trouble;
  readonly again?: () => void;
}): VNode => (
  <div class="failed" role="alert">
    <p>
      <strong>{trouble.message}.</strong>
    </p>
    {trouble.remedy !== null && <p>{trouble.remedy}</p>}
    <p class="row">
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
      <code class="muted">{trouble.code}</code>
    </p>
  </div>
);

/** One of the three, or what was read. */
export function Shown<Value>({
  of,
  what,
  children,
}: {
  readonly of: Read<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}): VNode {
  if (of.state === 'loading') return <Loading what={what} />;
  if (of.state === 'failed') return <Failed trouble={of.trouble} again={of.again} />;
  return <>{children(of.value)}</>;
}

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Evidence } from '../../../src/view.ts';
import { plainText } from '../../parts/words.ts';

/** Short enough to stand in a text: the file without its folders, and the first line. */
export const placeName = (found: Evidence | undefined): string | null =>
  found === undefined ? null : `${found.file_path.split('/').at(-1)}:${found.start_line}`;

/** The lines that were read, each with its number in the file. */
export function CodeView({
  evidence: { id, file_path, start_line, end_line, content, reason, provenance, commit },
  status,
  cited,
}: {
  readonly evidence: Evidence;
  readonly status: string | undefined;
  /** The lines that an answer names; null: all of them. */
  readonly cited: readonly [start: number, end: number] | null;
}): VNode {
  const [start = 0, end = 0] = cited ?? [];
  const first = useRef<HTMLTableRowElement>(null);
  useEffect(() => first.current?.scrollIntoView({ block: 'center' }), [id, start]);
  const lines = content.split('\n');
  const shown = lines.length > end_line - start_line + 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  return (
    <section class="code-view" aria-label={`${file_path}, lines ${start_line} to ${end_line}`}>
      <header>
        <p class="path">
          <strong>{plainText(file_path)}</strong>{' '}
          <span class="muted">
            {start_line === end_line ? `line ${start_line}` : `lines ${start_line} to ${end_line}`}
          </span>
        </p>
        <p class="row small muted">
          <code>{id}</code>
          {status !== undefined && (
            <span class={`tag ${status === 'valid' ? 'good' : 'warn'}`}>
              {status === 'valid' ? 'read again: as cited' : `read again: ${status}`}
            </span>
          )}
          <span>found by {provenance}</span>
          {commit !== null && <span>at {commit.slice(0, 10)}</span>}
        </p>
        {reason !== '' && <p class="small muted">{plainText(reason)}</p>}
      </header>
      <div class="code-lines" tabIndex={0} role="region" aria-label="Lines">
        <table>
          <tbody>
            {shown.slice(0, 800).map((line, n) => {
              const number = start_line + n;
              return (
                <tr
                  class={number >= start && number <= end ? 'cited' : undefined}
                  {...(number === start && { ref: first })}
                >
                  <th scope="row">{number}</th>
                  <td>
                    <code>{plainText(line) || ' '}</code>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {shown.length > 800 && <p class="muted small">{shown.length - 800} more lines are not shown.</p>}
      </div>
    </section>
  );
}

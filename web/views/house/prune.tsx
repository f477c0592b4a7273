/** Shows which old runs and unused indexes would be removed, before removing them. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { read, write } from '../../api/client.ts';
import type { Pruned } from '../../api/types.ts';
import { Field, FormDialog } from '../../parts/form.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { plainText, size } from '../../parts/words.ts';

export function Prune(): VNode {
  const [age, setAge] = useState('30d');
  const [keep, setKeep] = useState('');
  const [found, setFound] = useState<{ readonly asked: Terms; readonly report: Pruned } | null>(null);
  const [sure, setSure] = useState(false);
  const act = useAct();
  const look = async (): Promise<void> => {
    const asked = termsOf(age, keep);
    const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
    const done = await act.run(() => read<Pruned>(`/prune?${query}`));
    setFound(done === null ? null : { asked, report: done.value });
  };
  const report = found?.report ?? null;
  const isSomething = report !== null && !report.removed && report.runs.length + report.indexes.length > 0;
  return (
    <>
      <p class="muted">
        What runs, what waits and what a page rests on always stays. Nothing goes before you have seen it
        here.
      </p>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <div class="pair">
          <Field
            label="Unused for at least"
            hint="Such as 12h or 30d; empty: any."
            value={age}
            set={setAge}
          />
          <Field
            label="Newest finished runs that stay"
            hint="A whole number; empty: none."
            value={keep}
            set={setKeep}
          />
        </div>
        <p class="row">
          <button type="submit" class="main-act" disabled={act.busy}>
            What would go <kbd>Enter</kbd>
          </button>
          {isSomething && (
            <button type="button" onClick={() => setSure(true)}>
              Remove these
            </button>
          )}
        </p>
      </form>
      {act.trouble !== null && !sure && <Failed trouble={act.trouble} />}
      {report !== null && <Report report={report} />}
      {sure && found !== null && (
        <FormDialog
          title="Remove them for good"
          act={act}
          does="Remove them"
          close={() => setSure(false)}
          send={() =>
            void act
              .run(() => write<Pruned>('POST', '/prune', found.asked))
              .then((done) => {
                if (done === null) return;
                setSure(false);
                setFound({ ...found, report: done.value });
              })
          }
        >
          <p>{told(found.report)} can't be brought back.</p>
        </FormDialog>
      )}
    </>
  );
}

interface Terms {
  readonly older_than?: string;
  readonly keep?: number;
}

/** The server knows what is well formed, and says so. */
function termsOf(age: string, keep: string): Terms {
  const older = age.trim();
  const stays = keep.trim();
  return {
    ...(older !== '' && { older_than: older }),
    // If both fields are empty, keep none; otherwise the server would use its own thirty days.
    ...(stays === '' ? older === '' && { keep: 0 } : { keep: Number(stays) }),
  };
}

const told = ({ runs, indexes, bytes }: Pruned): string =>
  `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} and ${indexes.length} ${
    indexes.length === 1 ? 'index' : 'indexes'
  }, ${size(bytes)},`;

function Report({ report }: { readonly report: Pruned }): VNode {
  const { removed, runs, indexes, kept, notes } = report;
  const stays = [
    kept.unfinished > 0 ? `${kept.unfinished} that are not finished` : '',
    kept.behind_pages > 0 ? `${kept.behind_pages} cited by pages` : '',
    kept.recent > 0 ? `${kept.recent} that are recent` : '',
  ].filter((part) => part !== '');
  return (
    <section aria-label="What goes">
      <p role="status">
        {runs.length + indexes.length === 0 ? (
          'Nothing would go.'
        ) : removed ? (
          <strong>{told(report)} were removed.</strong>
        ) : (
          <strong>{told(report)} would go.</strong>
        )}
        {stays.length > 0 && <span class="muted"> Of the runs, {stays.join(', ')} stay.</span>}
      </p>
      {notes.map((note) => (
        <p class="muted">{plainText(note)}</p>
      ))}
      {runs.length + indexes.length === 0 ? (
        <Empty title="There is nothing to remove" />
      ) : (
        <ul class="lines">
          {runs.map(({ run_id, question, created, workspace, bytes }) => (
            <li key={run_id} class="flat">
              <span class="line-main">{plainText(question || run_id)}</span>
              <span class="row small muted">
                <span class="tag">run</span>
                {workspace !== null && <span>{plainText(workspace)}</span>}
                <span>{plainText(created.slice(0, 10))}</span>
                <span>{size(bytes)}</span>
              </span>
            </li>
          ))}
          {indexes.map(({ folder, root, used, bytes }) => (
            <li key={folder} class="flat">
              <span class="line-main">{plainText(root ?? folder)}</span>
              <span class="row small muted">
                <span class="tag">index</span>
                <span>used {plainText(used.slice(0, 10))}</span>
                <span>{size(bytes)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

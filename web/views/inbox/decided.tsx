/** The list of decisions: who decided, when and why, with an undo if nothing has changed since. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Decision } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { go, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { wordsOf } from './groups.ts';

const said: Readonly<Record<Decision['act'], readonly [name: string, tone: string]>> = {
  accept: ['Accepted', 'good'],
  edit: ['Accepted, edited', 'good'],
  reject: ['Rejected', 'bad'],
  resolve: ['Still right', 'good'],
  undo: ['Taken back', 'warn'],
};

/** Whether the decision is in force and is not itself an undo. */
const stands = ({ act, undone }: Decision): boolean => act !== 'undo' && !undone;

export function Decided(): VNode {
  const { workspace, role } = useSession();
  const home = `/workspaces/${encodeURIComponent(workspace)}`;
  const [told, setTold] = useState('');
  const [refusal, setRefusal] = useState<{ readonly of: string; readonly trouble: Trouble } | null>(null);
  /** Taken back here, until the list is read again. */
  const [back, setBack] = useState<ReadonlySet<string>>(new Set());
  const shown = useRef<readonly Decision[]>([]);
  const mayUndo = (one: Decision): boolean => role === 'author' && stands(one) && !back.has(one.write_id);

  async function undo({ write_id, path }: Decision): Promise<void> {
    setRefusal(null);
    try {
      await write('POST', `${home}/undo`, { write_id });
      setBack((before) => new Set([...before, write_id]));
      setTold(`Taken back: ${path}. It waits in the inbox again.`);
    } catch (thrown) {
      setRefusal({ of: write_id, trouble: troubleOf(thrown) });
    }
  }
  const undoLast = (): void => {
    const last = shown.current.find(mayUndo);
    if (last !== undefined) void undo(last);
  };
  useKeys('Decided', [
    ...(role === 'author' ? [{ key: 'u', does: 'Take the last decision back', act: undoLast }] : []),
    { key: 'b', does: 'Back to what waits', act: () => go(to('inbox')) },
  ]);

  return (
    <div class="pad">
      <div class="row spread">
        <h1>Decided</h1>
        <a class="small" href={to('inbox')}>
          What waits <kbd>b</kbd>
        </a>
      </div>
      <p class="muted small">
        Decided on this page or over HTTP, the last first. What was decided in a terminal stands in the
        history of its page.
      </p>
      <p role="status">{plainText(told)}</p>
      <MoreList<Decision>
        path={`${home}/inbox/decisions`}
        what="decisions"
        follows
        empty={<Empty title="Nothing was decided yet" />}
      >
        {(items) => {
          shown.current = items;
          return (
            <ul class="lines">
              {items.map((one) => (
                <li key={one.write_id} class="flat">
                  <div class="row spread">
                    <span class={`line-main ${stands(one) ? '' : 'muted'}`}>
                      <span class={`tag ${stands(one) ? said[one.act][1] : ''}`}>{said[one.act][0]}</span>{' '}
                      {plainText(one.gist === null ? one.path : wordsOf(one.gist))}
                    </span>
                    {mayUndo(one) && (
                      <button
                        type="button"
                        aria-label={`Undo: ${said[one.act][0]} ${plainText(one.path)}`}
                        onClick={() => void undo(one)}
                      >
                        Undo
                      </button>
                    )}
                    {(one.undone || back.has(one.write_id)) && <span class="tag warn">taken back</span>}
                  </div>
                  <span class="row small muted">
                    <a href={to('find', one.path)}>{plainText(one.path)}</a>
                    <span>{plainText(one.person)}</span>
                    <time title={exact(one.at)}>{since(one.at)}</time>
                  </span>
                  {one.reason !== null && <span class="small">Why: {plainText(one.reason)}</span>}
                  {refusal?.of === one.write_id && <Failed trouble={refusal.trouble} />}
                </li>
              ))}
            </ul>
          );
        }}
      </MoreList>
    </div>
  );
}

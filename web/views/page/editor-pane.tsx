/** The author's own editing: what it saves is his, over the revision that he began with. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { PageText } from '../../api/types.ts';
import { Failed } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';
import type { Editor } from './editor.ts';

interface Props {
  readonly base: string;
  readonly page: PageText;
  readonly close: () => void;
  readonly saved: () => void;
}

export function EditorPane({ base, page, close, saved }: Props): VNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  /** The page as it was when editing began, even if others change it. */
  const [begun] = useState(page);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [said, setSaid] = useState('');
  const save = useRef(async (): Promise<void> => {});
  save.current = async () => {
    if (editor.current === null) return;
    setTrouble(null);
    try {
      const { applied } = await write<{ readonly applied: boolean }>('PATCH', base, {
        text: editor.current.text(),
        revision: begun.revision,
      });
      saved();
      if (applied) close();
      else setSaid('It was changed meanwhile: your text waits in the inbox, beside what stands.');
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
  };
  useEffect(() => {
    let ended = false;
    void import('./editor.ts').then(({ openEditor }) => {
      if (ended || place.current === null) return;
      editor.current = openEditor(place.current, begun.text, {
        save: () => void save.current(),
        leave: close,
      });
    });
    return () => {
      ended = true;
      editor.current?.close();
    };
  }, [begun, close]);
  const diff = trouble?.details?.['diff'];
  return (
    <div class="editor-pane">
      {trouble !== null && <Failed trouble={trouble} />}
      {typeof diff === 'string' && <pre class="block">{plainText(diff)}</pre>}
      <div class="editor" ref={place} />
      <footer class="acts">
        <button type="button" class="main-act" onClick={() => void save.current()}>
          Save as yours <kbd>Ctrl</kbd> <kbd>S</kbd>
        </button>
        <button type="button" onClick={close}>
          Cancel <kbd>Esc</kbd>
        </button>
        <span role="status" class="muted">
          {said}
        </span>
      </footer>
    </div>
  );
}

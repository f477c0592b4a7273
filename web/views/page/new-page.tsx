import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { write } from '../../api/client.ts';
import type { Saved } from '../../api/types.ts';
import { Field, FormDialog, TextField } from '../../parts/form.tsx';
import { go, to } from '../../parts/route.ts';
import { useAct } from '../../parts/use-act.ts';

/** A page of the author's own. */
export function NewPage({ home, close }: { readonly home: string; readonly close: () => void }): VNode {
  const [path, setPath] = useState('');
  const [text, setText] = useState('');
  const act = useAct();
  const begin = async (): Promise<void> => {
    const body = { path: path.trim(), text: text === '' || text.endsWith('\n') ? text : `${text}\n` };
    const made = await act.run(() => write<Saved>('POST', `${home}/pages`, body));
    if (made === null) return;
    close();
    go(to('pages', made.value.page));
  };
  return (
    <FormDialog title="Begin a page" act={act} send={() => void begin()} does="Begin it" close={close}>
      <Field
        label="Path"
        hint="Its last part is its name; what stands before it are the pages above."
        placeholder="Projects/Plan"
        value={path}
        set={setPath}
        isFirst
        required
      />
      <TextField label="Text, in Markdown; it can come later" value={text} set={setText} />
    </FormDialog>
  );
}

/** CodeMirror, loaded when somebody edits. Its styles show the nonce that the page came with. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';

export interface Editor {
  text(): string;
  close(): void;
}

const nonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="sonde-nonce"]')?.content ?? '';

/** As a command of the editor: nothing else is to take the key. */
function done(act: () => void): boolean {
  act();
  return true;
}

/** Tab stays the key that leaves the editor. */
export function openEditor(
  parent: HTMLElement,
  text: string,
  { save, leave }: { readonly save: () => void; readonly leave: () => void },
): Editor {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce()),
        EditorState.lineSeparator.of(newline),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the page' }),
        EditorView.lineWrapping,
        highlightSpecialChars(),
        history(),
        drawSelection(),
        markdown(),
        syntaxHighlighting(defaultHighlightStyle),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => done(save) },
          { key: 'Escape', run: () => done(leave) },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  view.focus();
  return { text: () => view.state.sliceDoc(), close: () => view.destroy() };
}

/**
 * CodeMirror, loaded on the first edit. Its styles carry the nonce of the page; without it the browser would refuse
 * them.
 */
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

/** Wraps an action as a command of the editor. Returning true stops the editor from handling the key as well. */
function handled(act: () => void): boolean {
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
          { key: 'Mod-s', preventDefault: true, run: () => handled(save) },
          { key: 'Escape', run: () => handled(leave) },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  view.focus();
  return { text: () => view.state.sliceDoc(), close: () => view.destroy() };
}

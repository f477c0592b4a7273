import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // If there is no field to fill in, Enter triggers the main button and not the first one.
    const first = dialog.current?.querySelector<HTMLElement>('[data-first="true"]');
    (first ?? dialog.current?.querySelector<HTMLElement>('.main-act'))?.focus();
  }, []);
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      <header class="row spread">
        <h1>{title}</h1>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      {children}
    </dialog>
  );
}

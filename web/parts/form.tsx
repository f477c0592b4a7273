/** A form in a dialog: the first field has the focus, Enter sends it, and an error is shown above the button. */
import type { ComponentChildren, VNode } from 'preact';
import { Dialog } from './dialog.tsx';
import { Failed } from './states.tsx';
import type { Act } from './use-act.ts';

export function FormDialog({
  title,
  act: { busy, trouble },
  send,
  does,
  close,
  children,
  beside,
}: {
  readonly title: string;
  readonly act: Pick<Act, 'busy' | 'trouble'>;
  readonly send: () => void;
  /** The label of the button. */
  readonly does: string;
  readonly close: () => void;
  readonly children?: ComponentChildren;
  /** Other buttons. */
  readonly beside?: ComponentChildren;
}): VNode {
  return (
    <Dialog title={title} close={close}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) send();
        }}
      >
        {children}
        {trouble !== null && <Failed trouble={trouble} />}
        <p class="row">
          <button type="submit" class="main-act" disabled={busy}>
            {does} <kbd>Enter</kbd>
          </button>
          {beside}
        </p>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  /** Said under it. */
  readonly hint?: string;
  readonly isFirst?: boolean;
  readonly required?: boolean;
  readonly placeholder?: string;
}

export const Field = ({
  label,
  value,
  set,
  hint,
  isFirst = false,
  required = false,
  placeholder = '',
}: FieldProps): VNode => (
  <label>
    <span class="small">{label}</span>
    <input
      data-first={isFirst}
      value={value}
      required={required}
      placeholder={placeholder}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
    {hint !== undefined && <span class="small muted">{hint}</span>}
  </label>
);

/** Enter is a new line in it, and Ctrl Enter sends. */
export const TextField = ({
  label,
  value,
  set,
  isFirst = false,
  required = false,
  rows = 8,
}: Omit<FieldProps, 'hint' | 'placeholder'> & { readonly rows?: number }): VNode => (
  <label>
    <span class="small">{label}</span>
    <textarea
      data-first={isFirst}
      value={value}
      required={required}
      rows={rows}
      onInput={({ currentTarget }) => set(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          event.currentTarget.form?.requestSubmit();
      }}
    />
  </label>
);

export const Choice = ({
  label,
  value,
  set,
  of,
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly of: readonly (readonly [value: string, says: string])[];
}): VNode => (
  <label>
    <span class="small">{label}</span>
    <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {of.map(([one, says]) => (
        <option key={one} value={one}>
          {says}
        </option>
      ))}
    </select>
  </label>
);

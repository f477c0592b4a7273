/** Keys without a modifier act where nobody types; they can be turned off, since some people press them by accident. */
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Key {
  /** As in `KeyboardEvent.key`; `g i` means g and then i. */
  readonly key: string;
  readonly does: string;
  readonly act: (event: KeyboardEvent) => void;
}

interface Layer {
  readonly title: string;
  readonly keys: readonly Key[];
}

const layers: { current: Layer }[] = [];
const off = 'sonde:keys-off';
let first: { readonly key: string; readonly at: number } | undefined;
/** Between two keys that belong together. Milliseconds. */
const togetherMs = 1_500;

export const areKeysOn = (): boolean => localStorage.getItem(off) === null;
export const setKeysOn = (on: boolean): void => {
  if (on) localStorage.removeItem(off);
  else localStorage.setItem(off, '1');
};

/** For the help: those of the view first. */
export const allKeys = (): readonly Layer[] =>
  layers
    .map(({ current }) => current)
    .filter(({ keys }) => keys.length > 0)
    .reverse();

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyped(event.target) || !areKeysOn()) return;
  // A dialog has its own.
  if (document.querySelector('dialog[open]') !== null) return;
  const before = first !== undefined && event.timeStamp - first.at < togetherMs ? first.key : '';
  first = undefined;
  for (const { current } of [...layers].reverse()) {
    const found =
      current.keys.find(({ key }) => before !== '' && key === `${before} ${event.key}`) ??
      current.keys.find(({ key }) => key === event.key);
    if (found !== undefined) {
      event.preventDefault();
      found.act(event);
      return;
    }
    if (current.keys.some(({ key }) => key.startsWith(`${event.key} `)))
      first = { key: event.key, at: event.timeStamp };
  }
}

/** The keys of a view work while it is shown, and take precedence over those of the page. */
export function useKeys(title: string, keys: readonly Key[]): void {
  const layer = useRef<Layer>({ title, keys });
  layer.current = { title, keys };
  // Registered in the same frame as the drawing, so that a key works as soon as its button is visible.
  useLayoutEffect(() => {
    if (layers.length === 0) window.addEventListener('keydown', onKey);
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener('keydown', onKey);
    };
  }, []);
}

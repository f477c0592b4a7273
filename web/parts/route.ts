/** The address within the page: the part after `#`, which is never sent to a server. `#/runs/RUN/evidence/EID?q=…` */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  readonly view: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', ...parts] = path.split('/').map(decoded);
  return { view: view === '' ? 'inbox' : view, parts, query: new URLSearchParams(query) };
}

export const to = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

export const go = (address: string): void => {
  location.hash = address;
};

/** Without a step in the history of the browser. */
export const goQuietly = (address: string): void => {
  history.replaceState(null, '', address);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const moved = (): void => setPlace(placeOf(location.hash));
    window.addEventListener('hashchange', moved);
    return () => window.removeEventListener('hashchange', moved);
  }, []);
  return place;
}

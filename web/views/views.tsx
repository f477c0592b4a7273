/** The views there are, in the order of the navigation: one line a view. */
import type { ComponentType } from 'preact';
import type { Session } from '../api/types.ts';
import { lazy } from '../parts/lazy.tsx';
import type { Place } from '../parts/route.ts';
import { Inbox } from './inbox/inbox.tsx';

export interface ViewEntry {
  readonly name: string;
  readonly title: string;
  /** After `g`. */
  readonly key: string;
  /** A path in a box of 24 by 24. */
  readonly icon: string;
  readonly may?: readonly Session['role'][];
  readonly Show: ComponentType<Placed>;
  /** Loads the code of the view, which is separate from that of the inbox. */
  readonly load?: () => Promise<void>;
}

interface Placed {
  readonly place: Place;
}

export const views: readonly ViewEntry[] = [
  {
    name: 'inbox',
    title: 'Inbox',
    key: 'i',
    icon: 'M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 3h5L16 13h5',
    Show: Inbox,
  },
  {
    name: 'threads',
    title: 'Conversations',
    key: 'c',
    icon: 'M4 5h16v11H9l-5 4z',
    ...lazy<Placed>('Conversations', () => import('./thread/threads.tsx').then(({ Threads }) => Threads)),
  },
  {
    name: 'pages',
    title: 'Pages',
    key: 'p',
    icon: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
    ...lazy<Placed>('Pages', () => import('./page/pages.tsx').then(({ Pages }) => Pages)),
  },
  {
    name: 'search',
    title: 'Search',
    key: 's',
    icon: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
    ...lazy<Placed>('Search', () => import('./search.tsx').then(({ Search }) => Search)),
  },
  {
    name: 'runs',
    title: 'Runs',
    key: 'r',
    icon: 'M5 4v16M5 7h9M5 12h13M5 17h6',
    ...lazy<Placed>('Runs', () => import('./run/runs.tsx').then(({ Runs }) => Runs)),
  },
  {
    name: 'incidents',
    title: 'Incidents',
    key: 'n',
    icon: 'M3 13h4l3-8 4 14 3-6h4',
    may: ['operator', 'author'],
    ...lazy<Placed>('Incidents', () => import('./incident/incidents.tsx').then(({ Incidents }) => Incidents)),
  },
  {
    name: 'schedules',
    title: 'Schedules',
    key: 'd',
    icon: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
    ...lazy<Placed>('Schedules', () => import('./house/schedules.tsx').then(({ Schedules }) => Schedules)),
  },
  {
    name: 'memory',
    title: 'Memory',
    key: 'm',
    icon: 'M6 4h12v16l-6-4-6 4z',
    may: ['author'],
    ...lazy<Placed>('Memory', () => import('./house/memory.tsx').then(({ Memory }) => Memory)),
  },
  {
    name: 'spend',
    title: 'Spend',
    key: 'b',
    icon: 'M5 20V11M12 20V4M19 20v-6',
    may: ['operator', 'author'],
    ...lazy<Placed>('Spend', () => import('./house/spend.tsx').then(({ Spend }) => Spend)),
  },
  {
    name: 'settings',
    title: 'Settings',
    key: 'e',
    icon: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
    may: ['operator', 'author'],
    ...lazy<Placed>('Settings', () => import('./house/settings.tsx').then(({ Settings }) => Settings)),
  },
];

/** Not in the navigation: links in the material lead here. */
const find: ViewEntry = {
  ...{ name: 'find', title: 'Looking for a page', key: '', icon: '' },
  ...lazy<Placed>('Looking for a page', () => import('./find.tsx').then(({ Find }) => Find)),
};

export const viewOf = (name: string): ViewEntry | undefined =>
  name === find.name ? find : views.find((one) => one.name === name);

/** One after another, while nobody waits: so that going there later asks for nothing. */
export async function loadViews(): Promise<void> {
  for (const { load } of [...views, find]) {
    await idle();
    // If loading in advance fails, the view loads when it is opened.
    await load?.().catch(() => {});
  }
}

const idle = (): Promise<void> =>
  new Promise((done) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => done(), { timeout: 10_000 });
    else setTimeout(done, 500);
  });

/** The log of a workspace, as those who watch it follow it. */
import type { World, WorldEvent } from '../../world/index.ts';
import { openTail, type Tail } from './tail.ts';

export type WorldTail = Tail<WorldEvent>;

/** Events that are read at once. */
const maxEvents = 200;

export const worldTail = (world: Pick<World, 'events'>): WorldTail =>
  openTail((after) => world.events(after, maxEvents));

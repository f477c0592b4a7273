export { type Frozen, type FrozenOptions, openFrozen } from './frozen/frozen.ts';

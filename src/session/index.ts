export { firewall, quoteMaterial } from './boundary.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './checkpointer.ts';

/** Loads the code for imports and exports (`loadSync`: for syncs), which most uses of a world don't need. */
export const loadVault = () => import('./index.ts');
export const loadSync = () => import('../sync/index.ts');

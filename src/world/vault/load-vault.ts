/** Bringing vaults in and out, and keeping them in step: loaded by who does, since a world is mostly read and written. */
export const loadVault = () => import('./index.ts');
export const loadSync = () => import('../sync/index.ts');

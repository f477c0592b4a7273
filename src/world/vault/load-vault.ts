/**
 * Loads the code for importing, exporting and syncing vaults. It is loaded only if needed, since a world is mostly read
 * and written.
 */
export const loadVault = () => import('./index.ts');
export const loadSync = () => import('../sync/index.ts');

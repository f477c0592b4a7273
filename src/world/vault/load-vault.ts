/** Bringing vaults in and out: loaded by who does, since a world is mostly read and written. */
export const loadVault = () => import('./index.ts');

/** Addresses of what a run leaves behind. */
export const resourceNames = ['trace.json', 'evidence.json', 'report.md'] as const;
export type ResourceName = (typeof resourceNames)[number];

export const resourceAddress = (run: string, name: ResourceName): string => `research://runs/${run}/${name}`;

export const mimeTypeOf = (name: ResourceName): string =>
  name === 'report.md' ? 'text/markdown' : 'application/json';

/** Addresses of the resources of a run. */
export const resourceNames = ['trace.json', 'evidence.json', 'claims.json', 'report.md'] as const;
export type ResourceName = (typeof resourceNames)[number];

export const resourceAddress = (run: string, name: ResourceName): string => `research://runs/${run}/${name}`;

export const toMimeType = (name: ResourceName): string =>
  name === 'report.md' ? 'text/markdown' : 'application/json';

export const resourceTitles: Readonly<Record<ResourceName, string>> = {
  'trace.json': 'every step of the run',
  'evidence.json': 'every piece of evidence',
  'claims.json': 'every claim of the answer',
  'report.md': 'the report, for people',
};

/** The entry of a resource, for lists of resources and for links in results. */
export const resourceEntry = (run: string, name: ResourceName) => ({
  uri: resourceAddress(run, name),
  name: `${run}/${name}`,
  description: resourceTitles[name],
  mimeType: toMimeType(name),
});

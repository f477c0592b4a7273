/** Syncs of Argo CD, from the history of each application (ten entries by default). */
import { stringify } from 'yaml';
import type { Change } from '../../core/index.ts';
import { compareSettings } from '../edited-settings.ts';
import { findCommitIds, findImageCommits } from '../named-commits.ts';
import {
  type Application,
  type Source,
  type SyncedResult,
  serviceOf,
  sourcesOf,
  sourceText,
} from './application.ts';

/** A commit of the manifests, as Argo CD reports it. */
export interface Revision {
  readonly author: string | null;
  readonly message: string;
}

export interface Sync {
  readonly application: Application;
  readonly entry: SyncedResult;
  /** The entry before it, with which it is compared. */
  readonly before: SyncedResult | null;
  readonly at: number;
  /** The commits of the manifests; a chart has a version in place of a commit. */
  readonly revisions: readonly string[];
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);
const revisionsOf = ({ revision, revisions }: SyncedResult): readonly string[] => {
  const several = revisions ?? [];
  return (several.length > 0 ? several : [revision ?? '']).filter((one) => one !== '');
};

/** The latest first. */
export function syncsOf(applications: readonly Application[]): readonly Sync[] {
  return applications
    .flatMap((application) => {
      const entries = (application.status.history ?? [])
        .map((entry) => ({ entry, at: Date.parse(entry.deployedAt ?? '') }))
        .filter(({ at }) => !Number.isNaN(at))
        .sort((a, b) => a.at - b.at || (a.entry.id ?? 0) - (b.entry.id ?? 0));
      return entries.map(({ entry, at }, k) => ({
        application,
        entry,
        at,
        before: entries[k - 1]?.entry ?? null,
        revisions: revisionsOf(entry).filter(isCommit),
      }));
    })
    .sort((a, b) => b.at - a.at);
}

/** The sync itself; where its settings differ from those of the sync before, these are a second change. */
export function changesOf(sync: Sync, revision: Revision | null): readonly Change[] {
  const { application, entry, before, at, revisions } = sync;
  const { name } = application.metadata;
  const isLatest = entry === (application.status.history ?? []).reduce(later, entry);
  // Argo CD knows the images of what runs now, and of no earlier sync.
  const images = isLatest ? (application.status.summary?.images ?? []) : [];
  const base = {
    at,
    service: serviceOf(application),
    author: revision?.author ?? entry.initiatedBy?.username ?? null,
    paths: [],
  };
  const id = `${name}#${entry.id ?? new Date(at).toISOString()}`;
  const message = revision?.message.split('\n')[0]?.trim() ?? '';
  const title = `${name} synced to ${placesOf(entry)}${byText(entry)}${message === '' ? '' : `: ${message}`}`;
  const rollout: Change = {
    ...base,
    kind: 'rollout',
    id,
    title,
    commits: [
      ...new Set([
        ...revisions,
        ...findCommitIds(revision?.message ?? ''),
        ...images.flatMap((image) => findImageCommits(image)),
      ]),
    ],
    diff: null,
  };
  const edited =
    before === null ? null : compareSettings(settingsOf(sourcesOf(before)), settingsOf(sourcesOf(entry)));
  if (edited === null) return [rollout];
  const config: Change = {
    ...base,
    kind: 'config',
    id,
    title: `synced with ${edited.summary}`,
    commits: [],
    diff: edited.diff,
  };
  return [rollout, config];
}

const later = (a: SyncedResult, b: SyncedResult): SyncedResult =>
  Date.parse(b.deployedAt ?? '') > Date.parse(a.deployedAt ?? '') ? b : a;

function placesOf(entry: SyncedResult): string {
  const sources = sourcesOf(entry);
  return revisionsOf(entry)
    .map((revision, k) => {
      const [source] = sources.slice(k, k + 1);
      const target = source?.targetRevision ?? '';
      const named = isCommit(revision) ? revision.slice(0, 12) : revision;
      const of = source === undefined ? '' : ` of ${sourceText(source)}`;
      return `${named}${target === '' || target === revision ? '' : ` (${target})`}${of}`;
    })
    .join(' and ');
}

const byText = ({ initiatedBy }: SyncedResult): string =>
  initiatedBy?.automated === true
    ? ' by itself'
    : initiatedBy?.username == null || initiatedBy.username === ''
      ? ''
      : ` by ${initiatedBy.username}`;

/**
 * The settings that an application has besides the manifests: parameters, values, images, replicas, the version of a
 * chart.
 */
function settingsOf(sources: readonly Source[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const { chart, targetRevision, helm, kustomize } of sources) {
    if (chart != null) all.set(`chart ${chart}`, targetRevision ?? '');
    for (const { name, value } of helm?.parameters ?? []) if (name != null) all.set(name, value ?? '');
    for (const [name, value] of valuesOf(helm?.values ?? null, helm?.valuesObject)) all.set(name, value);
    if (helm?.valueFiles != null) all.set('valueFiles', helm.valueFiles.join(' '));
    for (const image of kustomize?.images ?? []) {
      const at = Math.max(image.lastIndexOf(':'), image.indexOf('@'));
      all.set(`image ${at < 0 ? image : image.slice(0, at)}`, at < 0 ? '' : image.slice(at + 1));
    }
    for (const { name, count } of kustomize?.replicas ?? [])
      if (name != null) all.set(`replicas ${name}`, String(count ?? ''));
  }
  return all;
}

/** Values as text are told by their lines, each under the names above it. */
function valuesOf(values: string | null, object: unknown): readonly (readonly [string, string])[] {
  const text = object == null ? (values ?? '') : stringify(object);
  const above: { readonly indent: number; readonly name: string }[] = [];
  const found: [string, string][] = [];
  for (const line of text.split('\n')) {
    const [, space = '', name, value = ''] = /^(\s*)(?:- )?([\w.-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    while (above.length > 0 && above.at(-1)!.indent >= space.length) above.pop();
    if (value === '') above.push({ indent: space.length, name });
    else found.push([[...above.map((one) => one.name), name].join('.'), value.replace(/\s+#.*$/, '')]);
  }
  return found;
}

/** Syncs of Argo CD, from the history of each application (ten entries by default). */
import { stringify } from 'yaml';
import type { Change } from '../../core/index.ts';
import { compareSettings } from '../edited-settings.ts';
import { findCommitIds, findImageCommits } from '../named-commits.ts';
import {
  type Application,
  type HistoryEntry,
  type Source,
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
  readonly entry: HistoryEntry;
  /** The previous entry of the history, with which `entry` is compared. */
  readonly before: HistoryEntry | null;
  readonly at: number;
  /** The commits of the manifests; a chart has a version in place of a commit. */
  readonly revisions: readonly string[];
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);
const revisionsOf = ({ revision, revisions }: HistoryEntry): readonly string[] => {
  const severalRevisions = revisions ?? [];
  return (severalRevisions.length > 0 ? severalRevisions : [revision ?? '']).filter((one) => one !== '');
};

/** All syncs of the applications, latest first. */
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

/** The sync as a change. If its settings differ from those of the previous sync, these are a second change. */
export function changesOf(sync: Sync, revision: Revision | null): readonly Change[] {
  const { application, entry, before, at, revisions } = sync;
  const { name } = application.metadata;
  const isLatest = entry === (application.status.history ?? []).reduce(laterEntry, entry);
  // Argo CD knows only the images that run now, so earlier syncs have none.
  const images = isLatest ? (application.status.summary?.images ?? []) : [];
  const base = {
    at,
    service: serviceOf(application),
    author: revision?.author ?? entry.initiatedBy?.username ?? null,
    paths: [],
  };
  const id = `${name}#${entry.id ?? new Date(at).toISOString()}`;
  const message = revision?.message.split('\n')[0]?.trim() ?? '';
  const title = `${name} synced to ${targetsText(entry)}${byText(entry)}${message === '' ? '' : `: ${message}`}`;
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
  const settingsChange =
    before === null ? null : compareSettings(settingsOf(sourcesOf(before)), settingsOf(sourcesOf(entry)));
  if (settingsChange === null) return [rollout];
  const config: Change = {
    ...base,
    kind: 'config',
    id,
    title: `synced with ${settingsChange.summary}`,
    commits: [],
    diff: settingsChange.diff,
  };
  return [rollout, config];
}

const laterEntry = (a: HistoryEntry, b: HistoryEntry): HistoryEntry =>
  Date.parse(b.deployedAt ?? '') > Date.parse(a.deployedAt ?? '') ? b : a;

function targetsText(entry: HistoryEntry): string {
  const sources = sourcesOf(entry);
  return revisionsOf(entry)
    .map((revision, k) => {
      const [source] = sources.slice(k, k + 1);
      const target = source?.targetRevision ?? '';
      const revisionText = isCommit(revision) ? revision.slice(0, 12) : revision;
      const sourcePart = source === undefined ? '' : ` of ${sourceText(source)}`;
      return `${revisionText}${target === '' || target === revision ? '' : ` (${target})`}${sourcePart}`;
    })
    .join(' and ');
}

const byText = ({ initiatedBy }: HistoryEntry): string =>
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
    for (const [name, value] of valueSettings(helm?.values ?? null, helm?.valuesObject)) all.set(name, value);
    if (helm?.valueFiles != null) all.set('valueFiles', helm.valueFiles.join(' '));
    for (const image of kustomize?.images ?? []) {
      const separator = Math.max(image.lastIndexOf(':'), image.indexOf('@'));
      all.set(
        `image ${separator < 0 ? image : image.slice(0, separator)}`,
        separator < 0 ? '' : image.slice(separator + 1),
      );
    }
    for (const { name, count } of kustomize?.replicas ?? [])
      if (name != null) all.set(`replicas ${name}`, String(count ?? ''));
  }
  return all;
}

/** Helm values by name, with the names of outer keys in front: `image.tag`. `object` replaces the text `values`. */
function valueSettings(values: string | null, object: unknown): readonly (readonly [string, string])[] {
  const text = object == null ? (values ?? '') : stringify(object);
  const outerNames: { readonly indent: number; readonly name: string }[] = [];
  const settings: [string, string][] = [];
  for (const line of text.split('\n')) {
    const [, space = '', name, value = ''] = /^(\s*)(?:- )?([\w.-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    while (outerNames.length > 0 && outerNames.at(-1)!.indent >= space.length) outerNames.pop();
    if (value === '') outerNames.push({ indent: space.length, name });
    else
      settings.push([[...outerNames.map((one) => one.name), name].join('.'), value.replace(/\s+#.*$/, '')]);
  }
  return settings;
}

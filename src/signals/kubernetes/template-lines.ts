/**
 * What the template of a pod sets, as lines: each revision of a deployment keeps its own, so that two of them show which
 * limit, which variable or which argument a rollout changed. Values that come from a secret are named and never read.
 */
import type { KubernetesObject } from './objects.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isHeld = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asHeld = (value: unknown): JsonObject => (isHeld(value) ? value : {});
const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isHeld) : []);

/** Written by the cluster itself, and of no effect. */
const unset = /^(terminationMessage\w+|imagePullPolicy|image|name)$/;

/** Settings by name, without images. */
export function settingsOf({ spec = {} }: KubernetesObject): ReadonlyMap<string, string> {
  const template = asHeld(spec['template']);
  const pod = asHeld(template['spec']);
  const all = new Map<string, string>();
  const containers = [...list(pod['initContainers']), ...list(pod['containers'])];
  for (const container of containers) {
    // The name of a single container is left out.
    const own = containers.length > 1 ? `${String(container['name'])}.` : '';
    for (const [name, value] of Object.entries(container)) {
      if (unset.test(name)) continue;
      if (name === 'env')
        for (const one of list(value)) all.set(`${own}${String(one['name'])}`, variableOf(one));
      else add(all, `${own}${name}`, value);
    }
  }
  for (const [name, value] of Object.entries(pod))
    if (!/^(initContainers|containers)$/.test(name)) add(all, name, value);
  // Charts write the checksum of a config map there, so that pods are made anew when it changes.
  for (const [name, value] of Object.entries(asHeld(asHeld(template['metadata'])['annotations'])))
    if (/checksum/i.test(name)) all.set(name, String(value).slice(0, 12));
  return all;
}

const variableOf = ({ value, valueFrom }: JsonObject): string =>
  valueFrom === undefined ? String(value ?? '') : `from ${JSON.stringify(valueFrom)}`;

function add(all: Map<string, string>, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    if (value.length > 0)
      all.set(name, value.map((one) => (isHeld(one) ? JSON.stringify(one) : String(one))).join(' '));
  } else if (isHeld(value)) for (const [key, one] of Object.entries(value)) add(all, `${name}.${key}`, one);
  else if (value !== null && value !== undefined) all.set(name, String(value));
}

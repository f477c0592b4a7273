/**
 * Lists the settings of a pod template. Each revision of a deployment keeps its own template, so comparing two of them
 * shows which limit, variable or argument a rollout changed. For values from a secret only the reference is shown.
 */
import type { KubernetesObject } from './objects.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOrEmpty = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** Fields that are no settings: defaults that the cluster fills in, the image (compared elsewhere) and the name. */
const ignoredFields = /^(terminationMessage\w+|imagePullPolicy|image|name)$/;

/** The settings by name, without images. */
export function settingsOf({ spec = {} }: KubernetesObject): ReadonlyMap<string, string> {
  const template = objectOrEmpty(spec['template']);
  const pod = objectOrEmpty(template['spec']);
  const settings = new Map<string, string>();
  const containers = [...objectsIn(pod['initContainers']), ...objectsIn(pod['containers'])];
  for (const container of containers) {
    // The name of a single container is left out.
    const prefix = containers.length > 1 ? `${String(container['name'])}.` : '';
    for (const [name, value] of Object.entries(container)) {
      if (ignoredFields.test(name)) continue;
      if (name === 'env')
        for (const one of objectsIn(value)) settings.set(`${prefix}${String(one['name'])}`, variableOf(one));
      else addSetting(settings, `${prefix}${name}`, value);
    }
  }
  for (const [name, value] of Object.entries(pod))
    if (!/^(initContainers|containers)$/.test(name)) addSetting(settings, name, value);
  // Charts write the checksum of a config map into an annotation, so that pods restart when it changes.
  for (const [name, value] of Object.entries(
    objectOrEmpty(objectOrEmpty(template['metadata'])['annotations']),
  ))
    if (/checksum/i.test(name)) settings.set(name, String(value).slice(0, 12));
  return settings;
}

const variableOf = ({ value, valueFrom }: JsonObject): string =>
  valueFrom === undefined ? String(value ?? '') : `from ${JSON.stringify(valueFrom)}`;

function addSetting(settings: Map<string, string>, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    if (value.length > 0)
      settings.set(
        name,
        value.map((one) => (isJsonObject(one) ? JSON.stringify(one) : String(one))).join(' '),
      );
  } else if (isJsonObject(value))
    for (const [key, one] of Object.entries(value)) addSetting(settings, `${name}.${key}`, one);
  else if (value !== null && value !== undefined) settings.set(name, String(value));
}

/** Shared by all injection tests: published sets of injected orders, and the text outside of quoted blocks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts of the published sets, in a folder given by the environment or beside the project; none if it is absent. */
export function readPlantedOrders(): readonly string[] {
  const folder = join(
    process.env['SONDE_DATA'] ?? join(import.meta.dirname, '..', '../../../shared/data'),
    'injection',
  );
  if (!existsSync(folder)) return [];
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
  const strings = (value: unknown): readonly string[] =>
    typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(strings);
  const vectors = strings(read('agentdojo-injection-vectors.json')).flatMap((yaml) =>
    [...yaml.matchAll(/default: ("(?:[^"\\]|\\.)+")/g)].map(([, text]) => JSON.parse(text!) as string),
  );
  // Shorter texts are no orders.
  return [...strings(read('bipia-attacks-test.json')), ...vectors].filter((text) => text.trim().length > 12);
}

/** Everything in a prompt that is outside of a marked block. */
export function removeBlocks(page: string): string {
  return page.replace(
    /<sonde-material source="[^"\n]+" trust="(?:untrusted|derived)" id="([0-9a-f]{8})">[\s\S]*?<\/sonde-material id="\1">/g,
    '',
  );
}

/**
 * Families of which each member is a folder: systems to look at (`src/signals`) and providers of models
 * (`src/model/providers`). What lists them is written here from the folders, by `npm run docs`; folders.test.ts fails
 * where a list is not that of its folders.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DeclaredSettings } from '../src/core/index.ts';

/** What a member has that every list is made of. */
export interface Member {
  readonly name: string;
  readonly settings: DeclaredSettings;
  /** Its place in the list, the lowest first, where the family has an order. */
  readonly rank?: number | null;
}

export interface Family {
  /** Below the root of the project. */
  readonly folder: string;
  /** What a member's folder holds, and what that exports. */
  readonly file: string;
  readonly name: string;
  readonly type: string;
  /** Of the list of members, and of that of their settings. */
  readonly list: string;
  readonly settings: string;
  /** The suite that a test in each folder calls. */
  readonly suite?: string;
  /** What is said beside the settings, of each member. */
  readonly facts?: Facts;
}

interface Facts {
  readonly name: string;
  readonly type: string;
  readonly fields: readonly string[];
}

export const families = {
  systems: {
    folder: 'src/signals',
    file: 'system.ts',
    name: 'system',
    type: 'System',
    list: 'systems',
    settings: 'systemSettings',
  },
  providers: {
    folder: 'src/model/providers',
    file: 'provider.ts',
    name: 'provider',
    type: 'Provider',
    list: 'providers',
    settings: 'providerSettings',
    suite: 'provider.contract.ts',
    facts: {
      name: 'providerForms',
      type: '{ name: string; form: string; meaning: string; bare?: RegExp }',
      fields: ['name', 'form', 'meaning', 'bare'],
    },
  },
} as const satisfies Readonly<Record<string, Family>>;

const root = join(import.meta.dirname, '..');

/** By rank, and by the names of their folders. A folder whose name begins with `_` is there to be copied. */
export async function membersOf<Of extends Member>(
  { folder, file, name }: Family,
  at: string = root,
): Promise<readonly Of[]> {
  const base = join(at, folder);
  const names = readdirSync(base)
    .filter((each) => /^[a-z]/.test(each) && existsSync(join(base, each, file)))
    .sort();
  const members = await Promise.all(
    names.map(async (each) => {
      const found = (await import(pathToFileURL(join(base, each, file)).href)) as Record<string, Of>;
      const member = found[name];
      if (member?.name !== each)
        throw new Error(`${folder}/${each}/${file} exports no ${name} with the name ${each}`);
      return member;
    }),
  );
  const place = ({ rank }: Member): number => rank ?? Number.MAX_SAFE_INTEGER;
  return members.sort((a, b) => place(a) - place(b));
}

const head = (family: Family): string =>
  `// biome-ignore-all format: written by scripts/folders.ts from the folders of ${family.folder}: run npm run docs`;

/** Each member, loaded when it is asked for. */
export function listFile(family: Family, members: readonly Member[]): string {
  const { file, name, type, list } = family;
  return [
    head(family),
    `import type { ${type} } from './${file}';`,
    '',
    `export const ${list}: Readonly<Record<string, () => Promise<${type}>>> = {`,
    ...members.map((one) => `  '${one.name}': async () => (await import('./${one.name}/${file}')).${name},`),
    '};',
  ].join('\n');
}

/** The settings of all members in one file: every command reads them. Throws where two declare the same. */
export function settingsFile(family: Family, members: readonly Member[]): string {
  const seen = new Map<string, string>();
  for (const { name, settings } of members)
    for (const setting of Object.keys(settings)) {
      const other = seen.get(setting);
      if (other !== undefined) throw new Error(`${other} and ${name} both declare the setting ${setting}`);
      seen.set(setting, name);
    }
  const rows = members.flatMap(({ settings }) => Object.entries(settings));
  const up = '../'.repeat(family.folder.split('/').length - 1);
  return [
    head(family),
    `import type { DeclaredSettings } from '${up}core/index.ts';`,
    '',
    `export const ${family.settings} = {`,
    ...rows.map(([name, setting]) => `  ${name}: ${JSON.stringify(setting)},`),
    '} as const satisfies DeclaredSettings;',
    ...(family.facts === undefined ? [] : factLines(family.facts, members)),
  ].join('\n');
}

/** Read without loading a member: help and errors list them, and names are told apart by them. */
function factLines({ name, type, fields }: Facts, members: readonly Member[]): readonly string[] {
  const shown = (value: unknown): string => (value instanceof RegExp ? String(value) : JSON.stringify(value));
  const rows = members.map((member) =>
    fields.flatMap((field) => {
      const value = (member as unknown as Readonly<Record<string, unknown>>)[field];
      return value === undefined ? [] : [`${field}: ${shown(value)}`];
    }),
  );
  return [
    '',
    `export const ${name}: readonly Readonly<${type}>[] = [`,
    ...rows.map((row) => `  { ${row.join(', ')} },`),
    '];',
  ];
}

/** What is written for all families, by its place in the project. */
export const folderPages: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.values(families).flatMap((family) => [
    [`${family.folder}/${family.list}.ts`, async () => listFile(family, await membersOf(family))],
    [`${family.folder}/settings.ts`, async () => settingsFile(family, await membersOf(family))],
  ]),
);

// A process of its own, before docs.ts: what reads the settings reads those of the new folders.
if (import.meta.main)
  for (const [file, text] of Object.entries(folderPages))
    writeFileSync(join(root, file), `${await text()}\n`);

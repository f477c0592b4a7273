import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import config, { entryPoints, forbidden, mayImport } from '../.dependency-cruiser.mjs';

const root = join(import.meta.dirname, '..');
const tsConfig = extractTsConfig(join(root, 'tsconfig.json'));
const rooms = Object.keys(mayImport);

async function violationsIn(directory: string): Promise<ICruiseResult> {
  const { output } = await cruise(
    ['src'],
    {
      ...config.options,
      baseDir: directory,
      validate: true,
      ruleSet: { forbidden } as unknown as IFlattenedRuleSet,
    } as Parameters<typeof cruise>[1],
    undefined,
    { tsConfig },
  );
  return output as ICruiseResult;
}

describe('the import table', () => {
  it('holds for the tree, and the tree was really examined', async () => {
    const { summary } = await violationsIn(root);
    expect(summary.violations.map((v) => `${v.rule.name}: ${v.from} -> ${v.to}`)).toEqual([]);
    // Some versions of the checker examine nothing under an unknown compiler, and report success.
    const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.d.ts'] });
    expect(summary.totalCruised).toBeGreaterThanOrEqual(sources.length);
  });

  describe('catches a seeded violation', () => {
    const toy = mkdtempSync(join(tmpdir(), 'sonde-boundaries-'));
    const found = new Set<string>();

    beforeAll(async () => {
      for (const room of rooms) {
        mkdirSync(join(toy, 'src', room), { recursive: true });
        writeFileSync(join(toy, 'src', room, 'index.ts'), `export const ${room} = 1;\n`);
        writeFileSync(join(toy, 'src', room, 'inner.ts'), `export const inner = 1;\n`);
      }
      for (const from of rooms)
        for (const to of rooms)
          if (from !== to) {
            const seeded = (door: string) =>
              `import * as x from '../${to}/${door}.ts';\nexport const y = x;\n`;
            writeFileSync(join(toy, 'src', from, `door-${to}.ts`), seeded('index'));
            writeFileSync(join(toy, 'src', from, `inner-${to}.ts`), seeded('inner'));
          }
      for (const [room, parts] of Object.entries(entryPoints))
        for (const part of parts) {
          const file = join(toy, 'src', room, part);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, 'export const part = 1;\n');
          writeFileSync(
            join(toy, 'src', 'app', `second-${room}-${part.replaceAll('/', '-')}`),
            `import * as x from '../${room}/${part}';\nexport const y = x;\n`,
          );
        }
      for (const room of rooms)
        writeFileSync(
          join(toy, 'src', room, 'owned.ts'),
          `import * as x from 'node:sqlite';\nexport const y = x;\n`,
        );
      const { summary } = await violationsIn(toy);
      for (const { rule, from, to } of summary.violations) found.add(`${rule.name} ${from} ${to}`);
    });

    afterAll(() => rmSync(toy, { recursive: true, force: true }));

    for (const from of rooms)
      for (const to of rooms)
        if (from !== to) {
          const allowed = (mayImport[from] ?? []).includes(to);
          it(`${from} -> ${to} is ${allowed ? 'allowed' : 'refused'}`, () => {
            expect(found.has(`layer-${from} src/${from}/door-${to}.ts src/${to}/index.ts`)).toBe(!allowed);
            expect(found.has(`entry-point-only src/${from}/inner-${to}.ts src/${to}/inner.ts`)).toBe(true);
          });
        }

    it('none is a second door, which a room has by the list', () => {
      const refused = [...found].filter((line) => / src\/app\/second-/.test(line));
      expect(refused).toEqual([]);
    });

    for (const room of rooms)
      it(`node:sqlite in ${room} is ${room === 'store' ? 'allowed' : 'refused'}`, () => {
        const caught = [...found].some((line) => line.startsWith(`owned-by-store src/${room}/owned.ts`));
        expect(caught).toBe(room !== 'store');
      });
  });
});

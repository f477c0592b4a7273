import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareImage } from './image.ts';

it('of several that build at once the first is kept, and its files stay for those that use them', async () => {
  const cacheDirectory = mkdtempSync(join(tmpdir(), 'sonde-image-'));
  try {
    const first = prepareImage({ cacheDirectory }).then(({ libraryPath }) => [
      libraryPath,
      statSync(libraryPath).ino,
    ]);
    const others = [prepareImage({ cacheDirectory }), prepareImage({ cacheDirectory })];
    const [made, ...later] = await Promise.all([
      Promise.race([
        first,
        ...others.map((other) => other.then(({ libraryPath }) => [libraryPath, statSync(libraryPath).ino])),
      ]),
      first,
      ...others,
    ]);
    const [path, ino] = made as [string, number];
    expect(later).toHaveLength(3);
    expect(statSync(path).ino).toBe(ino);
  } finally {
    rmSync(cacheDirectory, { recursive: true, force: true });
  }
});

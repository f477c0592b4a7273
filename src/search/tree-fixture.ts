import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A tree in a temporary folder, and a place for its index outside it. */
export interface TreeFixture {
  readonly root: string;
  readonly directory: string;
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  dispose(): void;
}

export function treeFixture(files: Readonly<Record<string, string | Uint8Array>> = {}): TreeFixture {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-tree-')));
  const root = join(top, 'tree');
  mkdirSync(root);
  const fixture: TreeFixture = {
    root,
    directory: join(top, 'index'),
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    dispose: () => rmSync(top, { recursive: true, force: true }),
  };
  for (const [path, content] of Object.entries(files)) fixture.write(path, content);
  return fixture;
}

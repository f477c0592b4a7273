/** Shared by the tests of a sync: a folder and a workspace, and people who write in both. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Caller } from '../../core/index.ts';
import { type Database, openDatabase } from '../../store/index.ts';
import {
  joinPageText,
  openWorld,
  type SubmitResult,
  type World,
  type WorldOperation,
  worldWrite,
} from '../index.ts';
import { type SyncOptions, type SyncReport, syncVault } from './index.ts';

export const author: Caller = { kind: 'user', name: 'ada', device: 'desk', thread: null, channel: null };
export const agent: Caller = { kind: 'agent', name: 'scribe', device: 'desk', thread: 't', channel: null };

export interface SyncScene {
  readonly root: string;
  readonly world: World;
  readonly database: Database;
  put(files: Readonly<Record<string, string>>): void;
  remove(...files: readonly string[]): void;
  text(file: string): string;
  /** Names of all files, without those that begin with a dot. */
  files(): readonly string[];
  write(operation: WorldOperation, caller?: Caller): SubmitResult;
  edit(path: string, text: string): SubmitResult;
  page(path: string): string;
  /** Texts of the pages that are read, by path. */
  pages(): Readonly<Record<string, string>>;
  sync(options?: Partial<SyncOptions>): Promise<SyncReport>;
  close(): void;
}

export function openScene(files: Readonly<Record<string, string>> = {}, path = ':memory:'): SyncScene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-sync-')));
  const database = openDatabase({ path, schemas: [], busyMs: 5000 });
  const world = openWorld(database);
  const submit = (operation: WorldOperation, caller: Caller = author): SubmitResult =>
    world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
  const read = (id: string): string => {
    const text = world.read(id);
    return text === null ? '' : joinPageText(text);
  };
  const scene: SyncScene = {
    root,
    world,
    database,
    put(given) {
      for (const [file, text] of Object.entries(given)) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
    },
    remove: (...names) => {
      for (const name of names) rmSync(join(root, name), { recursive: true });
    },
    text: (file) => readFileSync(join(root, file), 'utf8'),
    files: () =>
      (readdirSync(root, { recursive: true }) as string[])
        .filter((file) => !/(?:^|\/)\./.test(file) && statSync(join(root, file)).isFile())
        .sort(),
    write: submit,
    edit(name, text) {
      const page = world.page(name);
      const operation: WorldOperation =
        page === null || page.deleted
          ? { op: 'create_page', path: name, text }
          : { op: 'update_page', page: page.id, text };
      return submit(operation);
    },
    page: (name) => read(world.page(name)?.id ?? ''),
    pages: () => Object.fromEntries(world.pages().map(({ id, path: name }) => [name, read(id)])),
    sync: (options = {}) => syncVault({ world, database }, { root, author, quietMs: 0, ...options }),
    close() {
      world.close();
      database.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  scene.put(files);
  return scene;
}

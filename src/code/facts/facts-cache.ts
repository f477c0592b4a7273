/**
 * Facts cached on disk by the hash of their text and of the rules that made them. What is missing or damaged is
 * computed again.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FileFacts } from './facts.ts';

export interface FactsCache {
  get(key: string): FileFacts | null;
  set(key: string, facts: FileFacts): void;
}

/** Maximum files in each of the 256 folders. The oldest are deleted first. */
const maxInFolder = 400;

export function openFactsCache(folder: string): FactsCache {
  const rulesHash = hashRules();
  let written = 0;
  const pathOf = (key: string): string => {
    const name = createHash('sha256').update(`${rulesHash} ${key}`).digest('hex').slice(0, 40);
    return join(folder, name.slice(0, 2), name.slice(2));
  };
  return {
    get(key) {
      try {
        const bytes = readFileSync(pathOf(key));
        const body = bytes.subarray(4);
        return crc32(body) === bytes.readUInt32LE(0)
          ? (deserialize(inflateRawSync(body)) as FileFacts)
          : null;
      } catch {
        return null;
      }
    },
    set(key, facts) {
      const place = pathOf(key);
      const part = `${place}.${process.pid}`;
      try {
        const body = deflateRawSync(serialize(facts), { level: 1 });
        const sum = Buffer.alloc(4);
        sum.writeUInt32LE(crc32(body));
        mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
        writeFileSync(part, Buffer.concat([sum, body]), { mode: 0o600 });
        renameSync(part, place);
        written += 1;
        if (written % 64 === 1) deleteOldest(dirname(place));
      } catch {
        // The disk is full, or the cache is read-only.
        remove(part);
      }
    },
  };
}

function remove(place: string): void {
  try {
    rmSync(place, { force: true });
  } catch {
    // The path of its folder exists and is not a folder.
  }
}

function deleteOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= maxInFolder) return;
  const aged = names
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length / 2)) remove(join(folder, name));
}

let knownHash: string | undefined;

/** A hash of the grammars and of the files of this folder. When it changes, all facts are computed anew. */
function hashRules(): string {
  if (knownHash !== undefined) return knownHash;
  const hash = createHash('sha256').update(process.versions.v8);
  const here = dirname(fileURLToPath(import.meta.url));
  for (const name of readdirSync(here).sort())
    if (/\.[jt]s$/.test(name) && !name.includes('.test.'))
      hash.update(name).update(readFileSync(join(here, name)));
  const { resolve } = createRequire(import.meta.url);
  for (const packageName of grammarPackages)
    try {
      hash.update(readFileSync(resolve(`${packageName}/package.json`)));
    } catch {
      // The grammar is not installed.
    }
  knownHash = hash.digest('hex');
  return knownHash;
}

const grammarPackages = [
  'web-tree-sitter',
  '@vscode/tree-sitter-wasm',
  'tree-sitter-c',
  'tree-sitter-scala',
  '@tree-sitter-grammars/tree-sitter-kotlin',
];

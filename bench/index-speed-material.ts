/** The files, chunks and queries that every engine of `index-speed.ts` is given. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';

export interface Chunk {
  readonly path: string;
  readonly start: number;
  readonly text: string;
}

export const ripgrepArguments = ['--hidden', '--no-require-git'];
const maxFileBytes = 1_000_000;
const linesOfChunk = 40;

/** As ripgrep walks, in the order of paths. */
export function listFiles(root: string): string[] {
  const options = { cwd: root, maxBuffer: 1 << 30, encoding: 'utf8' } as const;
  const { status, stdout, stderr, error } = spawnSync(rgPath, ['--files', ...ripgrepArguments], options);
  if (error !== undefined) throw error;
  // 1: there is none.
  if (status !== 0 && status !== 1) throw new Error(`ripgrep ended with ${status}: ${stderr}`);
  return stdout.split('\n').filter(Boolean).sort();
}

/** The first file with text, code before prose: one that every engine takes in. */
export function fileToChange(root: string, files: readonly string[]): string | undefined {
  const code = (path: string) => /\.(go|ts|py|c|rs|java)$/.test(path);
  const taken = (path: string) => chunksOf(root, path).some(({ text }) => text.trim() !== '');
  return files.filter(code).find(taken) ?? files.find(taken);
}

/** Empty where a file is binary or large: what every engine leaves out. */
export function chunksOf(root: string, path: string): Chunk[] {
  const bytes = readFileSync(join(root, path));
  if (bytes.length > maxFileBytes || bytes.subarray(0, 8_000).includes(0)) return [];
  const lines = bytes.toString('utf8').split('\n');
  const chunks: Chunk[] = [];
  for (let k = 0; k < lines.length; k += linesOfChunk) {
    chunks.push({ path, start: k + 1, text: lines.slice(k, k + linesOfChunk).join('\n') });
  }
  return chunks;
}

export interface Queries {
  /** Sentences from comments and prose. */
  readonly language: readonly string[];
  readonly identifiers: readonly string[];
}

const sentence = /^\s*(?:\/\/|#|\*|--|;)?\s*([A-Z][a-z]+(?: [\w'-]+){5,14})[.,]?\s*$/m;
const identifier = /\b(?:[a-z]+(?:[A-Z][a-z0-9]+){1,4}|[a-z]+(?:_[a-z0-9]+){1,4})\b/;

/** From files spread evenly over the tree: the same tree gives the same queries. */
export function deriveQueries(root: string, files: readonly string[], count: number): Queries {
  const language = new Set<string>();
  const identifiers = new Set<string>();
  const wanted = { language: Math.ceil((count * 2) / 3), identifiers: Math.floor(count / 3) };
  // A prime stride that grows no pattern with folders, from a middle line so that licences don't repeat.
  for (let k = 0; k < files.length; k++) {
    if (language.size === wanted.language && identifiers.size === wanted.identifiers) break;
    const chunks = chunksOf(root, files[(k * 7_919) % files.length]!);
    const { text } = chunks[Math.floor(chunks.length / 2)] ?? { text: '' };
    const found = sentence.exec(text)?.[1];
    if (found !== undefined && language.size < wanted.language) language.add(found);
    const name = identifier.exec(text)?.[0];
    if (name !== undefined && name.length >= 8 && identifiers.size < wanted.identifiers)
      identifiers.add(name);
  }
  return { language: [...language], identifiers: [...identifiers] };
}

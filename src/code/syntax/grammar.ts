/** Grammars, loaded when a file of their language is first read. Runs in the worker only. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { grammarBytes, type LanguageName, sampleOf } from './languages.ts';

/** Functions that the loader provides to every grammar. */
const providedNames = new Set([
  ...['__stack_pointer', '__memory_base', '__table_base', 'memory', '__indirect_function_table'],
  // Called only if a scanner breaks its own rules; then the whole worker is stopped.
  '__assert_fail',
]);

let runtime: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns the names that a grammar may import. A missing name would fail only when it is called, and break all later
 * parsing.
 */
async function startRuntime(): Promise<ReadonlySet<string>> {
  await Parser.init();
  const path = createRequire(import.meta.url).resolve('web-tree-sitter/web-tree-sitter.wasm');
  const exported = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(path)));
  return new Set([...providedNames, ...exported.map(({ name }) => name)]);
}

const loaded = new Map<LanguageName, Promise<Parser>>();

export function parserFor(language: LanguageName): Promise<Parser> {
  let parser = loaded.get(language);
  if (parser === undefined) {
    parser = loadParser(language);
    loaded.set(language, parser);
  }
  return parser;
}

async function loadParser(language: LanguageName): Promise<Parser> {
  return createParser(new Uint8Array(grammarBytes(language)), sampleOf(language));
}

/** Throws if the grammar imports a name that is missing, or can't parse its sample. */
export async function createParser(bytes: Uint8Array<ArrayBuffer>, sample: string): Promise<Parser> {
  runtime ??= startRuntime();
  const known = await runtime;
  const module = new WebAssembly.Module(bytes);
  const own = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = WebAssembly.Module.imports(module).find(({ name }) => !known.has(name) && !own.has(name));
  if (missing !== undefined) throw new Error(`it imports ${missing.name}, which is not there`);
  const parser = new Parser();
  parser.setLanguage(await Language.load(bytes));
  const tree = parser.parse(sample);
  const reads = tree !== null && !tree.rootNode.hasError;
  tree?.delete();
  if (reads) return parser;
  parser.delete();
  throw new Error('it cannot read a plain line of its own language');
}

/**
 * Returns a test whether the limit is exceeded, in processor time of this thread, so that a busy machine cuts nothing
 * short.
 */
export function stopwatch(limitMs: number): () => boolean {
  const began = process.threadCpuUsage();
  const start = performance.now();
  return () => {
    // A thread can't use more of the processor than has passed, and this clock costs a tenth of the other.
    if (performance.now() - start <= limitMs) return false;
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000 > limitMs;
  };
}

/** Returns null if the time ran out. The caller must delete the tree. */
export function parseWithin(parser: Parser, text: string, isOver: () => boolean): Tree | null {
  const tree = parser.parse(text, null, { progressCallback: () => isOver() });
  if (tree === null) parser.reset();
  return tree;
}

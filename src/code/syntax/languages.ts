/**
 * The languages that are parsed, and the packages of their grammars. Other files are read line by line
 * (`definition-forms.ts`).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type LanguageName =
  | 'python'
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'go'
  | 'rust'
  | 'c'
  | 'cpp'
  | 'java'
  | 'csharp'
  | 'ruby'
  | 'php'
  | 'bash'
  | 'kotlin'
  | 'scala';

interface Grammar {
  readonly extensions: string;
  readonly packageName: string;
  readonly file: string;
  /** A line that it must read without an error, before it is trusted with anything else. */
  readonly sample: string;
}

const bundle = '@vscode/tree-sitter-wasm';
const grammarFromBundle = (extensions: string, name: string, sample: string): Grammar => ({
  extensions,
  packageName: bundle,
  file: `wasm/tree-sitter-${name}.wasm`,
  sample,
});

const grammars: Readonly<Record<LanguageName, Grammar>> = {
  python: grammarFromBundle('py pyi', 'python', 'def f(x):\n    return x\n'),
  typescript: grammarFromBundle('ts mts cts', 'typescript', 'function f(x: number): number { return x; }\n'),
  tsx: grammarFromBundle('tsx', 'tsx', 'const f = (x: number) => <b>{x}</b>;\n'),
  javascript: grammarFromBundle('js mjs cjs jsx', 'javascript', 'const f = (x) => <b>{x}</b>;\n'),
  go: grammarFromBundle('go', 'go', 'package p\nfunc f(x int) int { return x }\n'),
  rust: grammarFromBundle('rs', 'rust', 'fn f(x: u8) -> u8 { x }\n'),
  c: {
    extensions: 'c h',
    packageName: 'tree-sitter-c',
    file: 'tree-sitter-c.wasm',
    sample: 'int f(int x) { return x; }\n',
  },
  cpp: grammarFromBundle('cc cpp cxx hpp hh hxx', 'cpp', 'class A { int f() const; };\n'),
  java: grammarFromBundle('java', 'java', 'class A { int f(int x) { return x; } }\n'),
  csharp: grammarFromBundle('cs', 'c-sharp', 'class A { int F(int x) { return x; } }\n'),
  ruby: grammarFromBundle('rb rake', 'ruby', 'def f(x)\n  x\nend\n'),
  php: grammarFromBundle('php', 'php', '<?php function f($x) { return $x; }\n'),
  bash: grammarFromBundle('sh bash', 'bash', 'f() { echo "$1"; }\n'),
  kotlin: {
    extensions: 'kt kts',
    packageName: '@tree-sitter-grammars/tree-sitter-kotlin',
    file: 'tree-sitter-kotlin.wasm',
    sample: 'fun f(x: Int): Int { return x }\n',
  },
  scala: {
    extensions: 'scala sc',
    packageName: 'tree-sitter-scala',
    file: 'tree-sitter-scala.wasm',
    sample: 'object A { def f(x: Int): Int = x }\n',
  },
};

const byExtension = new Map(
  Object.entries(grammars).flatMap(([name, { extensions }]) =>
    extensions.split(' ').map((extension) => [extension, name as LanguageName] as const),
  ),
);

/** Endings of the files whose syntax is read. */
export const syntaxExtensions: readonly string[] = [...byExtension.keys()];

/** Null if the syntax of the file is not read. */
export function syntaxLanguage(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 1 ? null : (byExtension.get(name.slice(dot + 1).toLowerCase()) ?? null);
}

/** Lines that a C compiler would refuse. */
const onlyCpp =
  /^[ \t]*(?:template[ \t]*<|namespace(?:[ \t]+[\w:]+)?[ \t]*\{|(?:enum[ \t]+)?class[ \t]+(?:\w+[ \t]+)*\w+(?:[ \t]+final)?[ \t]*(?::[^:]|[{;])|(?:public|private|protected)[ \t]*:|using[ \t]+\w|constexpr[ \t]+\w|extern[ \t]+"C\+\+")/m;
/** Parts of a C header that only C++ reads, and comments. */
const forCppToo =
  /\/\*[\s\S]*?(?:\*\/|$)|^[ \t]*#[ \t]*(?:ifdef[ \t]+__cplusplus|if[ \t]+defined[ \t(]+__cplusplus).*$[\s\S]*?^[ \t]*#[ \t]*(?:endif|else).*$/gm;

/** Headers of C and C++ share an extension, so their text decides. */
export function detectLanguage(path: string, text: string): LanguageName | null {
  const language = syntaxLanguage(path);
  const isOpen = language === 'c' && /\.h$/i.test(path) && onlyCpp.test(text);
  return isOpen && onlyCpp.test(text.replace(forCppToo, '')) ? 'cpp' : language;
}

export const sampleOf = (language: LanguageName): string => grammars[language].sample;

/** Throws if the package of the grammar is not installed. */
export function grammarBytes(language: LanguageName): Buffer {
  const { packageName, file } = grammars[language];
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  return readFileSync(join(dirname(manifest), file));
}

/** Which languages are read by syntax, and where their grammars come from. What is not here is read by the form of lines. */
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
  readonly holder: string;
  readonly file: string;
  /** A line that it must read without an error, before it is trusted with anything else. */
  readonly sample: string;
}

const bundle = '@vscode/tree-sitter-wasm';
const bundledGrammar = (extensions: string, name: string, sample: string): Grammar => ({
  extensions,
  holder: bundle,
  file: `wasm/tree-sitter-${name}.wasm`,
  sample,
});

const grammars: Readonly<Record<LanguageName, Grammar>> = {
  python: bundledGrammar('py pyi', 'python', 'def f(x):\n    return x\n'),
  typescript: bundledGrammar('ts mts cts', 'typescript', 'function f(x: number): number { return x; }\n'),
  tsx: bundledGrammar('tsx', 'tsx', 'const f = (x: number) => <b>{x}</b>;\n'),
  javascript: bundledGrammar('js mjs cjs jsx', 'javascript', 'const f = (x) => <b>{x}</b>;\n'),
  go: bundledGrammar('go', 'go', 'package p\nfunc f(x int) int { return x }\n'),
  rust: bundledGrammar('rs', 'rust', 'fn f(x: u8) -> u8 { x }\n'),
  c: {
    extensions: 'c h',
    holder: 'tree-sitter-c',
    file: 'tree-sitter-c.wasm',
    sample: 'int f(int x) { return x; }\n',
  },
  cpp: bundledGrammar('cc cpp cxx hpp hh hxx', 'cpp', 'class A { int f() const; };\n'),
  java: bundledGrammar('java', 'java', 'class A { int f(int x) { return x; } }\n'),
  csharp: bundledGrammar('cs', 'c-sharp', 'class A { int F(int x) { return x; } }\n'),
  ruby: bundledGrammar('rb rake', 'ruby', 'def f(x)\n  x\nend\n'),
  php: bundledGrammar('php', 'php', '<?php function f($x) { return $x; }\n'),
  bash: bundledGrammar('sh bash', 'bash', 'f() { echo "$1"; }\n'),
  kotlin: {
    extensions: 'kt kts',
    holder: '@tree-sitter-grammars/tree-sitter-kotlin',
    file: 'tree-sitter-kotlin.wasm',
    sample: 'fun f(x: Int): Int { return x }\n',
  },
  scala: {
    extensions: 'scala sc',
    holder: 'tree-sitter-scala',
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
export function languageOfText(path: string, text: string): LanguageName | null {
  const language = syntaxLanguage(path);
  const isOpen = language === 'c' && /\.h$/i.test(path) && onlyCpp.test(text);
  return isOpen && onlyCpp.test(text.replace(forCppToo, '')) ? 'cpp' : language;
}

export const sampleOf = (language: LanguageName): string => grammars[language].sample;

/** Throws where the package that holds it is not installed. */
export function grammarBytes(language: LanguageName): Buffer {
  const { holder, file } = grammars[language];
  const manifest = createRequire(import.meta.url).resolve(`${holder}/package.json`);
  return readFileSync(join(dirname(manifest), file));
}

/** Compares values with types that others publish: the compiler is the judge. */
import { join } from 'node:path';
import ts from 'typescript';

export interface TypedValue {
  readonly name: string;
  /** An expression of a type. */
  readonly type: string;
  readonly value: unknown;
}

export interface Mismatch {
  /** Of the value. */
  readonly name: string;
  readonly why: string;
}

/** A value that is no fresh literal may hold more fields than are published, and lists of literals are frozen. */
const frozen = `type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;`;

/** What does not fit. More fields than are published do, and nulls where `absent` says that they mean nothing. */
export function mismatches(
  imports: string,
  values: readonly TypedValue[],
  absent: 'missing' | 'null' = 'missing',
): readonly Mismatch[] {
  const file = join(import.meta.dirname, 'published-types.ts');
  const literal = (value: unknown): string =>
    JSON.stringify(value, (_, held: unknown) => (absent === 'null' && held === null ? undefined : held));
  const head = `${imports}\n${frozen}\n`;
  const lines = values.flatMap(({ name, type, value }) => [
    `const ${name} = ${literal(value)} as const;`,
    `export const ${name}_typed: Frozen<${type}> = ${name};`,
  ]);
  const text = `${head}${lines.join('\n')}`;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (name, target, ...rest) =>
    name === file ? ts.createSourceFile(name, text, target) : getSourceFile(name, target, ...rest);
  host.fileExists = (name) => name === file || fileExists(name);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText, start = 0 }) => {
    const line = text.slice(head.length, start).split('\n').length - 1;
    const why = ts.flattenDiagnosticMessageText(messageText, ' ').slice(-400);
    return { name: start < head.length ? 'imports' : values[Math.floor(line / 2)]!.name, why };
  });
}

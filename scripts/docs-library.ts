/**
 * The reference of the library, read from the sources of its entry points: each name with what its author wrote about it, and
 * its declaration. By syntax alone, so that it is written, and compared, in a moment.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '..');

const entryPoints = [
  ['sonde', 'src/index.ts'],
  ['sonde/signals', 'src/signals.ts'],
  ['sonde/langgraph', 'src/langgraph.ts'],
  ['sonde/client', 'src/client.ts'],
  ['sonde/bench', 'src/bench.ts'],
] as const;

const parsed = new Map<string, ts.SourceFile>();
function sourceOf(path: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const made = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  parsed.set(path, made);
  return made;
}

type Declared =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableStatement;

interface Named {
  readonly name: string;
  readonly isType: boolean;
  readonly node: Declared;
}

const hasName = (node: ts.Statement, name: string): node is Declared =>
  ts.isVariableStatement(node)
    ? node.declarationList.declarations.some((one) => one.name.getText() === name)
    : (ts.isFunctionDeclaration(node) ||
        ts.isClassDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node)) &&
      node.name?.text === name;

/** Where a name of a module is declared, through whatever hands it on. */
function declared(path: string, name: string): Declared {
  const { statements } = sourceOf(path);
  for (const node of statements) {
    if (hasName(node, name)) return node;
    const handed = ts.isExportDeclaration(node) || ts.isImportDeclaration(node) ? handedOn(node, name) : null;
    if (handed !== null) return declared(resolve(dirname(path), handed.from), handed.name);
  }
  throw new Error(`${path} declares no ${name}`);
}

/** Of the file's own modules alone. */
function handedOn(node: ts.ExportDeclaration | ts.ImportDeclaration, name: string) {
  const from = node.moduleSpecifier;
  if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return null;
  const named = ts.isExportDeclaration(node) ? node.exportClause : node.importClause?.namedBindings;
  if (named === undefined || !(ts.isNamedExports(named) || ts.isNamedImports(named))) return null;
  const found = named.elements.find((one) => one.name.text === name);
  return found === undefined ? null : { from: from.text, name: (found.propertyName ?? found.name).text };
}

function exportsOf(path: string): readonly Named[] {
  return sourceOf(path).statements.flatMap((node) => {
    if (!ts.isExportDeclaration(node) || node.exportClause === undefined) return [];
    if (!ts.isNamedExports(node.exportClause)) return [];
    return node.exportClause.elements.map((one) => {
      const name = one.name.text;
      const found = declared(path, name);
      const isType = ts.isInterfaceDeclaration(found) || ts.isTypeAliasDeclaration(found);
      return { name, isType: isType || one.isTypeOnly || node.isTypeOnly, node: found };
    });
  });
}

/** What stands above a declaration, as prose. */
function about(node: ts.Node): string {
  const comment = ts.getJSDocCommentsAndTags(node).at(-1);
  return comment === undefined
    ? ''
    : comment
        .getText()
        .replace(/^\/\*\*|\*\/$/g, '')
        .replace(/^[ \t]*\*[ \t]?/gm, '')
        .trim();
}

/** Without what it does: its body, and the word that exports it. */
function declaration({ name, node }: Named): string {
  const source = node.getSourceFile();
  const text = (from: number, to: number) => source.text.slice(from, to).trim();
  const start = node.getStart(source);
  const whole = (): string => {
    if (ts.isFunctionDeclaration(node)) return `function ${signature(node)}`;
    if (ts.isClassDeclaration(node)) return `class ${name}`;
    if (ts.isVariableStatement(node)) return constantText(name, node);
    return text(start, node.getEnd());
  };
  return whole()
    .replace(/^export (async )?/, '')
    .replace(/^(function|interface|type|class) \w+/, `$1 ${name}`);
}

/** As a caller sees it: what is taken apart inside is one value, and what has a default may be left out. */
function signature(node: ts.FunctionDeclaration | ts.ArrowFunction): string {
  const types = node.typeParameters?.map((one) => one.getText()).join(', ');
  const parameters = node.parameters.map(({ name, type, initializer, questionToken }) => {
    const plain = ts.isIdentifier(name) ? name.text : 'options';
    const isOptional = initializer !== undefined || questionToken !== undefined;
    return `${plain}${isOptional ? '?' : ''}: ${type?.getText() ?? 'unknown'}`;
  });
  const named = ts.isFunctionDeclaration(node) ? (node.name?.text ?? '') : '';
  const gives = node.type === undefined ? '' : `: ${node.type.getText()}`;
  return `${named}${types === undefined ? '' : `<${types}>`}(${parameters.join(', ')})${gives}`;
}

/** An arrow without what follows it; of another value its name. */
function constantText(name: string, node: ts.VariableStatement): string {
  const one = node.declarationList.declarations.find((each) => each.name.getText() === name);
  const value = one?.initializer;
  if (value === undefined || !ts.isArrowFunction(value)) return `const ${name}`;
  return `function ${name}${signature(value)}`;
}

const entryText = (named: Named): string =>
  [`### ${named.name}`, about(named.node), `\`\`\`ts\n${declaration(named)}\n\`\`\``]
    .filter((part) => part !== '')
    .join('\n\n');

function entryPointText([name, path]: (typeof entryPoints)[number]): string {
  const file = resolve(root, path);
  const [first] = sourceOf(file).statements;
  const all = exportsOf(file).toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const values = all.filter(({ isType }) => !isType);
  const types = all.filter(({ isType }) => isType);
  const list = (some: readonly Named[]) =>
    some.map((one) => `[${one.name}](#${one.name.toLowerCase()})`).join(', ');
  return [
    `## ${name}`,
    first === undefined ? '' : about(first),
    `Values: ${list(values)}.`,
    ...(types.length === 0 ? [] : [`Types: ${list(types)}.`]),
    ...values.map(entryText),
    ...types.map(entryText),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export const libraryPage = (generated: string): string =>
  [
    '# The library',
    generated,
    'Everything that a program can import, by entry point. How to begin: [guides/own-parts.md](guides/own-parts.md), and the programs in `examples/`, each of which a test runs.',
    'It needs Node 26. In the clone, `npx node FILE` runs a program with it, whatever `node` is; in a project of your own, too, after `npm i ../sonde node@26`. The types are there after `npm run build` in the clone.',
    ...entryPoints.map(entryPointText),
  ].join('\n\n');

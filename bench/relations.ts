/**
 * Makes claims of what one name of code does with another, true and false, out of a repository's own functions:
 * `save` returns `row`, calls `open`, throws `Full`, takes `path`. The truth comes from the syntax tree. A false claim
 * takes a name of the same lines that the function does not do that with: a call whose value it does not return or
 * throw, a local variable for a parameter, a call of its neighbour.
 *
 * `node bench/relations.ts REPOSITORY --lang go [--count 150] > SET/NAME.jsonl`, then `node bench/claims.ts SET`.
 * REPOSITORY is a checkout or a git directory; LANG one of those below.
 */
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Language, type Node, Parser } from 'web-tree-sitter';

interface Forms {
  readonly file: RegExp;
  readonly grammar: string;
  readonly functions: readonly string[];
  readonly calls: readonly string[];
  readonly returns: readonly string[];
  readonly throws: readonly string[];
}

const vscode = (name: string): string => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
const script = {
  functions: ['function_declaration', 'method_definition'],
  calls: ['call_expression'],
  returns: ['return_statement'],
  throws: ['throw_statement'],
};
const languages: Readonly<Record<string, Forms>> = {
  typescript: { ...script, file: /\.ts$/, grammar: vscode('typescript') },
  javascript: { ...script, file: /\.js$/, grammar: vscode('javascript') },
  go: {
    file: /\.go$/,
    grammar: vscode('go'),
    functions: ['function_declaration', 'method_declaration'],
    calls: ['call_expression'],
    returns: ['return_statement'],
    throws: [],
  },
  rust: {
    file: /\.rs$/,
    grammar: vscode('rust'),
    functions: ['function_item'],
    calls: ['call_expression'],
    returns: ['return_expression'],
    throws: [],
  },
  java: {
    file: /\.java$/,
    grammar: vscode('java'),
    functions: ['method_declaration'],
    calls: ['method_invocation'],
    returns: ['return_statement'],
    throws: ['throw_statement'],
  },
  c: {
    file: /\.c$/,
    grammar: 'tree-sitter-c/tree-sitter-c.wasm',
    functions: ['function_definition'],
    calls: ['call_expression'],
    returns: ['return_statement'],
    throws: [],
  },
  ruby: {
    file: /\.rb$/,
    grammar: vscode('ruby'),
    functions: ['method'],
    calls: ['call'],
    returns: ['return'],
    throws: [],
  },
};
const within = [
  'arrow_function',
  'function_expression',
  'function',
  'closure_expression',
  'func_literal',
  'lambda_expression',
  'block_argument',
  'do_block',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lang: { type: 'string' }, count: { type: 'string', default: '150' } },
});
const [repository] = positionals;
const forms = languages[values.lang ?? ''];
if (repository === undefined || forms === undefined) {
  console.error(`give a repository and --lang, one of ${Object.keys(languages).join(', ')}`);
  process.exit(2);
}
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { maxBuffer: 1 << 28, encoding: 'utf8' });

let state = 8;
const random = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
};
const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
const shuffled = <T>(list: readonly T[]): readonly T[] =>
  list
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(fileURLToPath(new URL(`../node_modules/${forms.grammar}`, import.meta.url))),
);

const nodes = (node: Node, types: readonly string[]): readonly Node[] =>
  types.length === 0 ? [] : node.descendantsOfType([...types]).filter((one) => one !== null);
const isPlain = (text: string | undefined): text is string =>
  text !== undefined && text.length > 2 && text.length < 60 && !/[\n`'"*]/.test(text);
const calleesIn = (node: Node): readonly string[] =>
  nodes(node, forms.calls)
    .map((call) =>
      ['function', 'name', 'method'].map((field) => call.childForFieldName(field)?.text).find(Boolean),
    )
    .filter((text) => isPlain(text) && /^[\w.:>-]+$/.test(text))
    .map(String);

interface Claim {
  readonly claim: string;
  readonly mutation?: string;
}

function* claimsOf(one: Node, neighbour: Node | undefined): Generator<Claim> {
  const named =
    one.childForFieldName('name') ?? nodes(one.childForFieldName('declarator') ?? one, ['identifier'])[0];
  const body = one.childForFieldName('body');
  if (named === undefined || body === null || nodes(body, [...forms!.functions, ...within]).length > 0)
    return;
  const returned = nodes(body, forms!.returns);
  const thrown = nodes(body, forms!.throws);
  const [returnText, throwText] = [returned, thrown].map((all) => all.map(({ text }) => text).join(' ')) as [
    string,
    string,
  ];
  // Where the last expression is the value: every line that ends a block may be one.
  const lines = body.text.split('\n');
  const last = lines.filter((_, at) => /^\s*(?:\}|end|else)/.test(lines[at + 1] ?? '}')).join(' ');
  const valueText = `${returnText} ${/rust|ruby/.test(values.lang!) ? last : ''}`;
  const kept = [...body.text.matchAll(/(\w+)\s*:?=\s*([^;\n]+)/g)]
    .filter(([, name]) => new RegExp(`\\b${name}\\b`).test(valueText))
    .map(([, , value]) => value)
    .join(' ');
  const parameters =
    one.childForFieldName('parameters') ??
    nodes(one, ['parameter_list', 'formal_parameters', 'parameters'])[0];
  const name = named.text;
  const calls = calleesIn(body);
  const values_ = returned
    .map((each) => each.namedChildren[0]?.text)
    .filter(
      (text) =>
        isPlain(text) &&
        /^[\w.]+(?:\(.*\))?$/.test(text) &&
        !/^(?:true|false|null|nil|None|undefined|this|self|\d+)$/.test(text),
    )
    .map(String);
  if (values_.length > 0) yield { claim: `\`${name}\` returns \`${pick(values_)}\`` };
  if (calls.length > 0) yield { claim: `\`${name}\` calls \`${pick(calls)}\`` };
  const errors = thrown.map(({ text }) => /throw\s+new\s+([\w.]+)/.exec(text)?.[1]).filter(isPlain);
  if (errors.length > 0) yield { claim: `\`${name}\` throws \`${pick(errors)}\`` };
  const taken = parameters === undefined ? [] : nodes(parameters, ['identifier']).map(({ text }) => text);
  if (taken.length > 0) yield { claim: `\`${name}\` takes \`${pick(taken)}\`` };

  const unreturned = nodes(body, forms!.calls)
    .map(({ text }) => text)
    .filter((text) => isPlain(text) && !valueText.includes(text) && !kept.includes(text));
  if (unreturned.length > 0)
    yield { claim: `\`${name}\` returns \`${pick(unreturned)}\``, mutation: 'returns' };
  const unthrown = calls.filter(
    (text) => !throwText.includes(text) && !/err|panic|fail|throw|raise|reject|abort/i.test(text),
  );
  if (unthrown.length > 0 && forms!.throws.length > 0)
    yield { claim: `\`${name}\` throws \`${pick(unthrown)}\``, mutation: 'throws' };
  const local = nodes(body, ['identifier'])
    .map(({ text }) => text)
    .filter((text) => text.length > 2 && text !== name && parameters?.text.includes(text) === false);
  if (local.length > 0) yield { claim: `\`${name}\` takes \`${pick(local)}\``, mutation: 'takes' };
  const others = neighbour === undefined ? [] : calleesIn(neighbour);
  const uncalled = others.filter((text) => !one.text.includes(text.split(/\.|::|->/).at(-1)!));
  if (uncalled.length > 0) yield { claim: `\`${name}\` calls \`${pick(uncalled)}\``, mutation: 'calls' };
}

const source = basename(repository.replace(/\/(?:repo|\.git)?$/, ''));
const files = git('ls-tree', '-r', '--name-only', 'HEAD')
  .split('\n')
  .filter(
    (path) => forms.file.test(path) && !/test|spec|bench|fixture|example|dist|vendor|\.d\.ts/i.test(path),
  );
let made = 0;
for (const path of shuffled(files)) {
  const text = git('show', `HEAD:${path}`);
  if (text.length > 200_000) continue;
  const tree = parser.parse(text);
  if (tree === null) continue;
  const functions = nodes(tree.rootNode, forms.functions).filter(({ startPosition, endPosition }) => {
    const height = endPosition.row - startPosition.row;
    return height >= 3 && height <= 40;
  });
  for (const one of shuffled(functions).slice(0, 4)) {
    const away = (other: Node): number => other.startPosition.row - one.endPosition.row;
    const next = functions.find((other) => away(other) > 0 && away(other) < 6);
    const neighbour = random() < 0.5 ? next : undefined;
    const [start, end] = [one.startPosition.row, (neighbour ?? one).endPosition.row];
    const lines = [
      {
        path,
        start: start + 1,
        end: end + 1,
        text: text
          .split('\n')
          .slice(start, end + 1)
          .join('\n'),
      },
    ];
    for (const { claim, mutation } of claimsOf(one, neighbour)) {
      made += 1;
      if (made > Number(values.count)) process.exit(0);
      const truth = mutation === undefined;
      console.log(
        JSON.stringify({
          id: `${source}-${made}`,
          source,
          kind: 'code',
          wording: 'made',
          claim,
          lines,
          truth,
          mutation,
        }),
      );
    }
  }
  tree.delete();
}

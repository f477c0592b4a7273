/**
 * Patterns for definitions in common languages, each for one line. `NAME` stands for the name that is searched for.
 * Patterns are anchored at the start of the line, so that a use of the name does not match.
 */
import { form, generic, type Language, repeatWords } from './definition-form.ts';
import { c, kotlin, objectLanguage, php, scala, swift } from './definition-forms-braced.ts';

const script: Language = {
  closing: 'braces',
  forms: [
    form('class', `^\\s*${repeatWords('export|default|declare|abstract')}class\\s+NAME`),
    form('interface', `^\\s*${repeatWords('export|default|declare')}interface\\s+NAME`),
    form('type', `^\\s*${repeatWords('export|declare')}type\\s+NAME\\s*${generic}\\s*=`),
    form('enum', `^\\s*${repeatWords('export|declare|const')}enum\\s+NAME`),
    form('namespace', `^\\s*${repeatWords('export|declare')}(?:namespace|module)\\s+NAME`),
    form('function', `^\\s*${repeatWords('export|default|declare|async')}function\\s*\\*?\\s*NAME`),
    form(
      'function',
      `^\\s*${repeatWords('export|declare')}(?:const|let|var)\\s+NAME\\s*(?::[^=]+(?:=>[^=]+)?)?=\\s*(?:async\\s*)?(?:function|\\(|\\w+\\s*=>|<)`,
    ),
    form('constant', `^\\s*${repeatWords('export|declare')}const\\s+NAME`),
    form('variable', `^\\s*${repeatWords('export|declare')}(?:let|var)\\s+NAME`),
    form('function', '^\\s*(?:module\\.)?exports\\.NAME\\s*='),
    form('method', '^\\s*[\\w$.]+\\.prototype\\.NAME\\s*='),
    form(
      'function',
      '^\\s*[\\w$.]+\\.(?!exports\\b)NAME\\s*=\\s*(?:async\\s*)?(?:function\\b|\\([^()]*\\)\\s*=>|[\\w$]+\\s*=>)',
    ),
    form(
      'method',
      `^\\s+${repeatWords('public|private|protected|static|async|override|get|set|abstract|declare')}\\*?#?NAME\\s*[?]?${generic}\\s*\\(.*\\)\\s*(?::[^;]+)?\\{\\s*(?:.*\\}\\s*,?)?$`,
    ),
    form(
      'method',
      `^\\s+(?:(?:public|private|protected|static|async|override|get|set|abstract)\\s+)+\\*?#?NAME\\s*${generic}\\s*\\(`,
    ),
    form(
      'method',
      `^\\s+${repeatWords('static|async|get|set')}\\*?\\[(?:[\\w$]+\\.)*NAME\\]\\s*\\([^)]*\\)\\s*(?::[^;]+)?\\{\\s*(?:.*\\}\\s*,?)?$`,
    ),
    form('method', `^\\s+NAME\\s*[?]?${generic}\\s*\\([^)]*\\)\\s*:\\s*[^=]+;\\s*$`),
    form(
      'method',
      '^\\s+NAME\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|\\w+\\s*=>)',
    ),
    form(
      'field',
      '^\\s+(?:(?:public|private|protected|static|readonly|declare|override)\\s+)+#?NAME\\s*[?!]?\\s*[:=;]',
    ),
    form('field', '^\\s+NAME\\??:\\s*[^,]+;\\s*$'),
  ],
};

const python: Language = {
  closing: 'indentation',
  forms: [
    form('class', '^\\s*class\\s+NAME'),
    form('function', '^(?:async\\s+)?def\\s+NAME'),
    form('method', '^\\s+(?:async\\s+)?def\\s+NAME'),
    form('type', '^type\\s+NAME'),
    form('constant', '^NAME\\s*(?::[^=]+)?=(?!=)'),
    form('field', '^ {4}NAME\\s*:\\s*[^=]+(?:=.*)?$'),
    form('field', '^\\s+self\\.NAME\\s*(?::[^=]+)?=(?!=)'),
  ],
};

const go: Language = {
  closing: 'braces',
  forms: [
    form('function', '^func\\s+NAME\\s*[\\[(]'),
    form('method', '^func\\s+\\([^)]*\\)\\s*NAME\\s*[\\[(]'),
    form('type', '^\\s*type\\s+NAME'),
    form('type', '^\\s+NAME\\s*(?:\\[[^\\]]*\\])?\\s+(?:struct|interface|func)\\b'),
    form('constant', '^\\s*const\\s+NAME'),
    form('variable', '^\\s*var\\s+NAME'),
    // Matches only inside a group of constants: elsewhere an assignment to a local variable looks the same.
    form('constant', '^\\t(?=[A-Z])NAME(?:\\s+[\\w.*\\[\\]]+)?\\s*=\\s'),
    form('constant', '^\\tNAME(?:\\s+[\\w.*\\[\\]]+)?\\s*=\\s*(?:iota\\b|["`]|errors\\.New)'),
    form('method', '^\\t+NAME\\([^)]*\\)\\s*(?:\\(.*\\)|[\\w.*\\[\\]]+)$'),
    form('field', '^\\t+NAME\\s+[\\w.*\\[\\]{}]+(?:\\s+`[^`]*`)?\\s*(?://.*)?$'),
  ],
};

const rustWords = repeatWords('pub(?:\\([^)]*\\))?|default|const|async|unsafe|extern(?:\\s+"[^"]*")?');
const rust: Language = {
  closing: 'lifetimes',
  forms: [
    form('function', `^${rustWords}fn\\s+NAME`),
    form('method', `^\\s+${rustWords}fn\\s+NAME`),
    ...['struct', 'enum', 'union', 'trait', 'type'].map((kind) =>
      form(kind, `^\\s*${rustWords}${kind}\\s+NAME`),
    ),
    form('module', `^\\s*${rustWords}mod\\s+NAME`),
    form('constant', `^\\s*${repeatWords('pub(?:\\([^)]*\\))?')}(?:const|static)\\s+(?:mut\\s+)?NAME`),
    form('macro', '^\\s*macro_rules!\\s*NAME'),
    form('field', `^\\s+${repeatWords('pub(?:\\([^)]*\\))?')}NAME\\s*:\\s*[^=]+,\\s*$`),
  ],
};

const ruby: Language = {
  closing: 'end',
  forms: [
    form('method', '^\\s*(?:private\\s+|protected\\s+)?def\\s+(?:self\\.|\\w+\\.)?NAME'),
    form('class', '^\\s*class\\s+(?:\\w+::)*NAME'),
    form('module', '^\\s*module\\s+(?:\\w+::)*NAME'),
    form('constant', '^\\s*NAME\\s*=(?![=~>])'),
    form('field', '^\\s*attr_(?:reader|writer|accessor)\\s.*:NAME'),
    form('method', '^\\s*(?:define_method|scope|alias_method)[\\s(]+:NAME'),
  ],
};

const shell: Language = {
  closing: 'braces',
  forms: [
    form('function', '^\\s*(?:function\\s+)?NAME\\s*\\(\\s*\\)'),
    form('function', '^\\s*function\\s+NAME'),
    form('variable', '^(?:(?:export|readonly|declare|typeset|local)\\s+(?:-\\w+\\s+)*)*NAME='),
  ],
};

const sqlThings =
  'table|(?:materialized\\s+)?view|function|procedure|(?:unique\\s+)?index|type|trigger|schema|sequence|domain';
const sql: Language = {
  closing: 'semicolon',
  forms: [
    form(
      'table',
      `^\\s*(?:[cC][rR][eE][aA][tT][eE])\\s+(?:\\w+\\s+){0,3}?(?:${toCaseless(sqlThings)})\\s+(?:[iI][fF]\\s+[nN][oO][tT]\\s+[eE][xX][iI][sS][tT][sS]\\s+)?(?:["\`\\[]?\\w+["\`\\]]?\\.)?["\`\\[]?NAME`,
    ),
  ],
};

const markdown: Language = { closing: 'heading', forms: [form('heading', '^#{1,6}\\s+(?:.*[^\\w])?NAME')] };

/** For languages that are not in the table. */
const other: Language = {
  closing: 'indentation',
  forms: [
    form(
      'function',
      `^\\s*${repeatWords('\\w+')}(?:def|defp|func|function|fn|fun|sub|proc|rpc|macro)\\s+(?:[\\w.:]+[.:])?NAME`,
    ),
    form(
      'class',
      `^\\s*${repeatWords('\\w+')}(?:class|struct|interface|trait|enum|type|module|defmodule|message|service|record|object)\\s+(?:[\\w.]+\\.)?NAME`,
    ),
  ],
};

/** `table` as `[tT][aA]…`, since a flag for case can't apply to a part of a pattern. */
function toCaseless(pattern: string): string {
  return pattern.replace(/(?<!\\)[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const byExtension = new Map<string, Language>(
  (
    [
      ['ts tsx mts cts js jsx mjs cjs vue svelte astro', script],
      ['py pyi pyx', python],
      ['go', go],
      ['rs', rust],
      ['java groovy', objectLanguage('class|interface|enum|record|@interface')],
      ['cs', objectLanguage('class|interface|enum|record|struct|delegate')],
      ['kt kts', kotlin],
      ['scala sc', scala],
      ['c h cc cpp cxx hpp hh hxx m mm cu', c],
      ['rb rake', ruby],
      ['php', php],
      ['swift', swift],
      ['sh bash zsh ksh', shell],
      ['sql', sql],
      ['md mdx markdown', markdown],
    ] as const
  ).flatMap(([extensions, language]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
);

/** Files of data and prose, which define no names. */
const withoutNames = new Set(
  'json jsonl lock txt rst csv tsv log svg html css scss less xml yaml yml toml po map'.split(' '),
);

export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  if (withoutNames.has(extension)) return null;
  return byExtension.get(extension) ?? other;
}

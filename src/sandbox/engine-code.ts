import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, posix } from 'node:path';

/**
 * A TypeScript module of the sandbox: its text without types, and the names of the modules that it imports from its own
 * folder.
 */
interface EngineModule {
  readonly code: string;
  readonly imports: readonly string[];
}

const importForm = /^import \{([^}]*)\} from ['"]([^'"]+)['"];$/gm;
const exportForm = /^export ((?:async )?function\*?|class|const) (\w+)/gm;

/**
 * A program of the engine as one file of plain JavaScript (CommonJS): a worker that loaded each module by itself
 * would spend 9 ms on it, and one that stripped the types by itself 50 ms and 10 MB.
 *
 * `entry`: the name of the program's main module, a key of `modules`, which maps names without extension to files.
 * Only named imports and exports of declarations are supported; anything else throws.
 */
export function engineProgramText(entry: string, modules: ReadonlyMap<string, URL>): string {
  const parts: string[] = [];
  const added = new Set<string>();
  const addModule = (name: string, path: readonly string[]) => {
    if (path.includes(name)) throw new Error(`modules of the engine import each other: ${name}`);
    if (added.has(name)) return;
    const url = modules.get(name);
    if (!url) throw new Error(`${path.at(-1)} imports ${name}, which is not a module of the engine`);
    const { code, imports } = toCommonJs(name, readFileSync(url, 'utf8'), url.pathname.endsWith('.ts'));
    for (const imported of imports) addModule(imported, [...path, name]);
    added.add(name);
    parts.push(`modules[${JSON.stringify(name)}] = (() => {\n${code}\n})();\n`);
  };
  addModule(entry, []);
  return `'use strict';\nconst modules = {};\n${parts.join('')}`;
}

function toCommonJs(name: string, text: string, typed: boolean): EngineModule {
  const imports: string[] = [];
  const exported: string[] = [];
  const code = (typed ? stripTypeScriptTypes(text) : text)
    .replace(importForm, (_, names: string, from: string) => {
      const list = names.replace(/ as /g, ': ');
      if (from.startsWith('node:')) return `const {${list}} = require('${from}');`;
      const imported = posix.join(dirname(name), from).replace(/\.[jt]s$/, '');
      imports.push(imported);
      return `const {${list}} = modules[${JSON.stringify(imported)}];`;
    })
    .replace(exportForm, (_, kind: string, exportName: string) => {
      exported.push(exportName);
      return `${kind} ${exportName}`;
    });
  const unsupported = /^(?:import|export)\b.*/m.exec(code.replace(/^export \{\};$/m, ''));
  if (unsupported) throw new Error(`${name} has a form that is not understood here: ${unsupported[0]}`);
  return { code: `${code}\nreturn { ${exported.join(', ')} };`, imports };
}

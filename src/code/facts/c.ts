/** C and C++. Macros are not expanded. */
import type { Node } from 'web-tree-sitter';
import { ownName } from './facts.ts';
import { chainText, type LanguageRules, type Rule, typeText, type Walker } from './walker.ts';

interface Declarator {
  readonly name: Node;
  /** Whether the name itself is a function, not a pointer to one. */
  readonly isFunction: boolean;
  readonly owner: string | undefined;
}

/** Finds the declared name in a declarator such as `*(f)(int)[3]`. */
function findDeclarator(node: Node | null): Declarator | null {
  let isFunction = false;
  let at = node;
  while (at !== null) {
    if (at.type === 'function_declarator') isFunction = true;
    // `(*f)(int)` is a value.
    else if (/^(?:pointer_declarator|array_declarator|reference_declarator)$/.test(at.type)) {
      if (isFunction) isFunction = false;
    } else if (at.type === 'qualified_identifier') {
      const name = at.childForFieldName('name');
      const inner = findDeclarator(name);
      const scope = at.childForFieldName('scope')?.text.replace(/<.*$/s, '');
      return inner === null ? null : { ...inner, isFunction, owner: inner.owner ?? scope };
    } else if (/identifier$|^operator_name$|^destructor_name$/.test(at.type))
      return { name: at, isFunction, owner: undefined };
    else if (at.type === 'template_function' || at.type === 'template_method') {
      at = at.childForFieldName('name');
      continue;
    }
    at =
      at.childForFieldName('declarator') ??
      at.namedChildren.find(({ type }) => /declarator|identifier/.test(type)) ??
      null;
  }
  return null;
}

const findFunctionDeclarator = (node: Node | null): Node | null => {
  for (let at = node; at !== null; at = at.childForFieldName('declarator'))
    if (at.type === 'function_declarator') return at;
  return null;
};

const isStatic = (node: Node): boolean =>
  node.namedChildren.some((child) => child.type === 'storage_class_specifier' && child.text === 'static');

const isExtern = (node: Node): boolean => /^\s*extern\b/.test(node.text.slice(0, 40));

const bareType = (node: Node | null): string | undefined =>
  typeText(node)
    ?.replace(/^(?:(?:const|volatile|struct|union|enum|class)\s+)+/, '')
    .replace(/\s*\{.*$/s, '');

const classKinds = /^(?:class|struct|namespace)$/;

/** Binds a local name and records it as a use, so that every word of the file is accounted for. */
function recordLocal(w: Walker, name: Node, type: string | undefined): void {
  w.bindLocal(name, type);
  w.use(name, 'key', ownName);
}

function recordParameters(w: Walker, declarator: Node | null): void {
  for (const parameter of declarator?.childForFieldName('parameters')?.namedChildren ?? []) {
    const type = parameter.childForFieldName('type');
    const name =
      parameter.type === 'identifier'
        ? parameter
        : findDeclarator(parameter.childForFieldName('declarator'))?.name;
    if (name !== undefined && name !== null) recordLocal(w, name, bareType(type));
    w.visit(type);
    w.visit(parameter.childForFieldName('default_value'));
  }
}

const functionDefinition: Rule = (w, node) => {
  const declarator = node.childForFieldName('declarator');
  const found = findDeclarator(declarator);
  const body = node.childForFieldName('body');
  const type = node.childForFieldName('type');
  if (found === null) return w.visitChildren(node);
  const isInClass =
    w.scopeKind === 'class' &&
    w.currentDefinition >= 0 &&
    classKinds.test(w.definitionAt(w.currentDefinition)!.kind) &&
    w.definitionAt(w.currentDefinition)!.kind !== 'namespace';
  const index = w.define({
    name: found.name,
    node,
    body,
    type: bareType(type),
    owner: found.owner,
    kind: isInClass || found.owner !== undefined ? 'method' : 'function',
    flags: [isStatic(node) ? 'private' : 'exported'],
  });
  w.visit(type);
  w.withParent(index, () =>
    w.withScope('function', () => {
      recordParameters(w, findFunctionDeclarator(declarator));
      w.visit(body);
    }),
  );
};

const declaration: Rule = (w, node) => {
  const type = node.childForFieldName('type');
  const isInFunction = w.scopeKind === 'function' || w.scopeKind === 'block';
  w.visit(type);
  for (const one of node.childrenForFieldName('declarator')) {
    if (one === null) continue;
    const found = findDeclarator(one);
    if (found !== null && found.name.type !== 'qualified_identifier') {
      if (found.isFunction && !isInFunction)
        w.define({
          name: found.name,
          node,
          kind: node.type === 'field_declaration' ? 'method' : 'function',
          type: bareType(type),
          flags: ['declaration', isStatic(node) ? 'private' : 'exported'],
          unbound: isBound(w, found.name),
        });
      // A declaration inside a function refers to something defined outside of it.
      else if (isInFunction && (found.isFunction || isExtern(node))) w.use(found.name, 'read');
      else if (isInFunction) recordLocal(w, found.name, bareType(type));
      else if (!isInFunction)
        w.define({
          name: found.name,
          node,
          kind: node.type === 'field_declaration' ? 'field' : 'variable',
          type: bareType(type),
          unbound: node.type === 'field_declaration' || isBound(w, found.name),
          flags: [isStatic(node) ? 'private' : 'exported', isExtern(node) && 'declaration'],
        });
      if (node.type === 'field_declaration') w.addField(w.currentDefinition, found.name.text, bareType(type));
    }
    const functionNode = findFunctionDeclarator(one);
    if (functionNode !== null) w.withScope('function', () => recordParameters(w, functionNode));
    w.visit(one.childForFieldName('value'));
    w.visit(one.childForFieldName('size'));
  }
};

/** A definition with a body replaces a declaration that came before it. */
const isBound = (w: Walker, name: Node): boolean => w.isBoundInModule(name.text);

/** In C, the names of `struct`, `union` and `enum` have a namespace of their own. */
const tagName = (name: Node): string => `tag ${name.text}`;

const typeItem =
  (kind: string, isTag = false): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    const body = node.childForFieldName('body');
    if (body === null) {
      if (name !== null && isTag) w.useAs(name, 'type', tagName(name));
      else if (name !== null) w.visit(name);
      return;
    }
    const bases = node.namedChildren
      .filter(({ type }) => type === 'base_class_clause')
      .flatMap((clause) =>
        clause.namedChildren
          .filter(({ type }) => !/access/.test(type))
          .map(({ text }) => text.replace(/<.*$/s, '').split('::').at(-1)!),
      );
    const index =
      name === null ? -1 : w.define({ name, node, body, kind, bases, flags: ['exported'], unbound: isTag });
    if (name !== null && isTag) w.bind(tagName(name), { kind: 'definition', index });
    w.withParent(index, () =>
      w.withScope('class', () => w.visitChildren(node, (child) => child.id === name?.id)),
    );
  };

/** Blanks out names that are joined with `##`, since they are only parts of names. Columns don't change. */
const blankPastedNames = (text: string): string =>
  text.includes('##') ? text.replace(/\w*\s*(?:##\s*\w*\s*)+/g, (part) => part.replace(/[^\n]/g, ' ')) : text;

const macro: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  const value = node.childForFieldName('value');
  const index = name === null ? -1 : w.define({ name, node, kind: 'macro', flags: ['exported'] });
  if (value === null) return;
  w.withParent(index, () =>
    w.withScope('block', () => {
      for (const one of node.childForFieldName('parameters')?.namedChildren ?? [])
        if (one.type === 'identifier') recordLocal(w, one, undefined);
      w.addMacroWords(blankPastedNames(value.text), value);
    }),
  );
};

const c: LanguageRules = {
  sequential: true,
  names: { identifier: 'read', type_identifier: 'type', field_identifier: 'key' },
  leaves: new Set([
    'comment',
    'number_literal',
    'char_literal',
    'primitive_type',
    'storage_class_specifier',
    'type_qualifier',
    'statement_identifier',
    'string_content',
    'escape_sequence',
    'true',
    'false',
    'null',
    'system_lib_string',
    'preproc_directive',
    'this',
  ]),
  blocks: new Set(['compound_statement', 'for_statement']),
  comments: new Set(['comment']),
  rules: {
    function_definition: functionDefinition,
    declaration,
    field_declaration: declaration,
    struct_specifier: typeItem('struct'),
    union_specifier: typeItem('struct'),
    class_specifier: typeItem('class'),
    enum_specifier: typeItem('enum'),
    namespace_definition: (w, node) => {
      const name = node.childForFieldName('name');
      const index =
        name === null
          ? -1
          : w.define({
              name,
              node,
              body: node.childForFieldName('body'),
              kind: 'namespace',
              givenName: name.text.split('::').at(-1)!,
              unbound: true,
            });
      // Names in a namespace are used bare within it; the whole file is treated as one namespace.
      w.withParent(index, () => w.visit(node.childForFieldName('body')));
    },
    enumerator: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.define({ name, node, kind: 'constant', unbound: true });
      w.visit(node.childForFieldName('value'));
    },
    type_definition: (w, node) => {
      w.visit(node.childForFieldName('type'));
      for (const one of node.childrenForFieldName('declarator')) {
        const found = one === null ? null : findDeclarator(one);
        if (found !== null)
          w.define({
            name: found.name,
            node,
            kind: 'type',
            type: bareType(node.childForFieldName('type')),
            flags: ['exported'],
          });
      }
    },
    alias_declaration: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.define({ name, node, kind: 'type', flags: ['exported'] });
      w.visit(node.childForFieldName('type'));
    },
    preproc_def: macro,
    preproc_function_def: macro,
    preproc_call: (w, node) => {
      const argument = node.childForFieldName('argument');
      if (argument !== null) w.addMacroWords(argument.text, argument);
    },
    preproc_include: (w, node) => {
      const path = node.childForFieldName('path');
      if (path !== null)
        w.addImport({
          local: '*',
          module: path.text.replace(/^["<]|[">]$/g, ''),
          name: '*',
          line: node.startPosition.row + 1,
        });
    },
    call_expression: (w, node) => {
      let callee = node.childForFieldName('function');
      if (callee?.type === 'template_function') callee = callee.childForFieldName('name');
      if (callee?.type === 'identifier') w.use(callee, 'call');
      else w.visit(callee);
      w.visit(node.childForFieldName('arguments'));
    },
    field_expression: (w, node) => {
      const name = node.childForFieldName('field');
      const value = node.childForFieldName('argument');
      const isCalled =
        node.parent?.type === 'call_expression' && node.parent.childForFieldName('function')?.id === node.id;
      if (name?.type === 'field_identifier') w.use(name, isCalled ? 'call' : 'read', chainText(value));
      w.visit(value);
    },
    qualified_identifier: (w, node) => {
      const name = node.childForFieldName('name');
      const isCalled = node.parent?.type === 'call_expression';
      if (name !== null && /^(?:type_)?identifier$/.test(name.type))
        w.use(name, isCalled ? 'call' : 'read', chainText(node.childForFieldName('scope')));
      else w.visit(name);
    },
    field_designator: (w, node) => {
      const [name] = node.namedChildren;
      if (name !== undefined) w.use(name, 'key', '?');
    },
    // Names in inline assembly, which the compiler does not resolve.
    gnu_asm_expression: (w, node) => {
      let { row, column } = node.startPosition;
      for (const line of node.text.split('\n')) {
        for (const { 0: word, index } of line.matchAll(/[A-Za-z_]\w*/g))
          w.useAt(word, row + 1, column + index, 'string');
        row += 1;
        column = 0;
      }
    },
    string_literal: (w, node) => w.addWords(node.text.replace(/^"|"$/g, ''), node),
  },
};

export const cRules: LanguageRules = {
  ...c,
  rules: {
    ...c.rules,
    struct_specifier: typeItem('struct', true),
    union_specifier: typeItem('struct', true),
    enum_specifier: typeItem('enum', true),
  },
};
export const cppRules: LanguageRules = { ...c, ownMembers: true };

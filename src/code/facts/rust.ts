import type { Node } from 'web-tree-sitter';
import {
  chainText,
  type LanguageRules,
  outerStarImport,
  type Rule,
  typeText,
  type Walker,
} from './walker.ts';

const bareType = (node: Node | null | undefined): string | undefined =>
  /^(?:&(?:'\w+\s+)?(?:mut\s+)?|dyn\s+|impl\s+|\*(?:const|mut)\s+)*((?:\w+::)*\w+)/
    .exec(node?.text ?? '')?.[1]
    ?.replaceAll('::', '.');

const isPublic = (node: Node): boolean =>
  node.namedChildren.some(({ type }) => type === 'visibility_modifier');

const attributesText = (node: Node): string => {
  let text = '';
  for (
    let at = node.previousNamedSibling;
    at !== null && /attribute_item|comment/.test(at.type);
    at = at.previousNamedSibling
  )
    text += at.text;
  return text;
};

function valueType(node: Node | null | undefined): string | undefined {
  if (node === null || node === undefined) return undefined;
  switch (node.type) {
    case 'struct_expression':
      return bareType(node.childForFieldName('name'));
    case 'reference_expression':
    case 'try_expression':
    case 'await_expression':
      return valueType(node.childForFieldName('value') ?? node.namedChildren[0]);
    case 'call_expression': {
      const chain = chainText(node.childForFieldName('function'));
      return chain === '?' ? undefined : `${chain}()`;
    }
    default:
      return undefined;
  }
}

/** Capitalised names are variants and constants: a pattern refers to them and does not bind them. */
function bindPattern(w: Walker, node: Node | null | undefined, type?: string): void {
  if (node === null || node === undefined) return;
  if (node.type === 'identifier') {
    if (/^\p{Lu}/u.test(node.text)) w.use(node, 'read');
    else w.bindLocal(node, type);
  } else if (node.type === 'shorthand_field_identifier') w.bindLocal(node);
  else if (node.type === 'tuple_struct_pattern' || node.type === 'struct_pattern') {
    const named = node.childForFieldName('type');
    w.visit(named);
    for (const child of node.namedChildren) if (child.id !== named?.id) bindPattern(w, child);
  } else if (node.type === 'field_pattern') {
    const pattern = node.childForFieldName('pattern');
    if (pattern === null) for (const child of node.namedChildren) bindPattern(w, child);
    else bindPattern(w, pattern);
  } else if (/^(?:scoped_identifier|range_pattern|.*literal)$/.test(node.type)) w.visit(node);
  else
    for (const child of node.namedChildren)
      bindPattern(w, child, /ref|mut|captured/.test(node.type) ? type : undefined);
}

function bindTypeParameters(w: Walker, node: Node): void {
  for (const parameter of node.childForFieldName('type_parameters')?.namedChildren ?? []) {
    const name = parameter.childForFieldName('name');
    if (name?.type === 'type_identifier')
      w.bindLocal(name, bareType(parameter.childForFieldName('bounds')?.namedChildren[0]));
    for (const child of parameter.namedChildren) if (child.id !== name?.id) w.visit(child);
  }
}

function visitFunction(w: Walker, node: Node): void {
  w.withScope('function', () => {
    bindTypeParameters(w, node);
    for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
      const type = parameter.childForFieldName('type');
      if (parameter.type === 'parameter')
        bindPattern(w, parameter.childForFieldName('pattern'), typeText(type));
      else if (parameter.type !== 'self_parameter') bindPattern(w, parameter);
      w.visit(type);
    }
    w.visit(node.childForFieldName('return_type'));
    for (const child of node.namedChildren) if (child.type === 'where_clause') w.visit(child);
    w.visit(node.childForFieldName('body'));
  });
}

/** The enclosing `impl` or `trait` during the walk: Rust's methods are not inside the type's own node. */
let enclosingOwners: { readonly name: string; readonly isTrait: boolean }[] = [];

/** The modules inside the file that are being visited, outermost first. */
let inlineModules: string[] = [];

/** Converts a path to one that starts at the file: inside an inline module, `super` may be the file itself. */
function toFileRelativePath(path: string): string {
  const depth = inlineModules.length;
  const parts = path.split('::');
  if (depth === 0 || (parts[0] !== 'self' && parts[0] !== 'super')) return path;
  let up = 0;
  let at = parts[0] === 'self' ? 1 : 0;
  for (; parts[at] === 'super'; at += 1) up += 1;
  const above =
    up > depth
      ? Array.from({ length: up - depth }, () => 'super')
      : ['self', ...inlineModules.slice(0, depth - up)];
  return [...above, ...parts.slice(at)].join('::');
}

const functionItem: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  if (name === null) return visitFunction(w, node);
  const owner = w.scopeKind === 'class' ? enclosingOwners.at(-1) : undefined;
  const attributes = attributesText(node);
  const index = w.define({
    name,
    node,
    kind: owner === undefined ? 'function' : 'method',
    body: node.childForFieldName('body'),
    type: typeText(node.childForFieldName('return_type'))?.replace(/^->\s*/, ''),
    owner: owner?.name,
    unbound: owner !== undefined,
    flags: [
      isPublic(node) && 'exported',
      node.type === 'function_signature_item' && 'declaration',
      owner?.isTrait === true && 'implements',
      /#\[(?!(?:inline|must_use|allow|doc|cfg|deprecated|cold|track_caller|expect)\b)/.test(attributes) &&
        'decorated',
      !node.childForFieldName('parameters')?.namedChildren.some(({ type }) => type === 'self_parameter') &&
        'static',
    ],
  });
  w.withParent(index, () => visitFunction(w, node));
};

const typeItem =
  (kind: string): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    if (name === null) return w.visitChildren(node);
    const owner = w.scopeKind === 'class' ? enclosingOwners.at(-1) : undefined;
    const index = w.define({
      name,
      node,
      kind,
      body: node.childForFieldName('body'),
      type: kind === 'type' ? typeText(node.childForFieldName('type')) : undefined,
      // The bounds of an associated type are not its bases.
      bases:
        kind === 'type'
          ? undefined
          : (node.childForFieldName('bounds')?.namedChildren ?? []).flatMap((bound) => bareType(bound) ?? []),
      // Associated items can only be named through their type.
      owner: owner?.name,
      unbound: owner !== undefined,
      flags: [
        isPublic(node) && 'exported',
        node.type === 'associated_type' && 'declaration',
        owner?.isTrait === true && 'implements',
        /derive|#\[/.test(attributesText(node)) && 'decorated',
      ],
    });
    w.withParent(index, () =>
      w.withScope('class', () => {
        bindTypeParameters(w, node);
        if (kind === 'interface') enclosingOwners.push({ name: name.text, isTrait: true });
        w.visitChildren(node, (child) => child.id === name.id || child.type === 'type_parameters');
        if (kind === 'interface') enclosingOwners.pop();
      }),
    );
  };

const implItem: Rule = (w, node) => {
  const type = node.childForFieldName('type');
  const trait = node.childForFieldName('trait');
  const owner = bareType(type);
  w.withScope('class', () => {
    bindTypeParameters(w, node);
    w.visit(trait);
    w.visit(type);
    for (const child of node.namedChildren) if (child.type === 'where_clause') w.visit(child);
    // An unnamed type, such as `[u8]`, is recorded as written.
    const written = owner ?? type?.text.replace(/\s+/g, '').slice(0, 40) ?? '?';
    w.bind('Self', { kind: 'local', type: written });
    w.bind('self', { kind: 'local', type: written });
    enclosingOwners.push({ name: owner?.split('.').at(-1) ?? written, isTrait: trait !== null });
    w.visit(node.childForFieldName('body'));
    enclosingOwners.pop();
  });
};

const valueItem =
  (kind: string): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    const owner = w.scopeKind === 'class' ? enclosingOwners.at(-1) : undefined;
    if (name !== null && w.scopeKind !== 'function' && w.scopeKind !== 'block')
      w.define({
        name,
        node,
        kind,
        type: typeText(node.childForFieldName('type')),
        owner: owner?.name,
        unbound: owner !== undefined,
        flags: [isPublic(node) && 'exported', owner?.isTrait === true && 'implements'],
      });
    else if (name !== null) w.bindLocal(name, typeText(node.childForFieldName('type')));
    w.visit(node.childForFieldName('type'));
    w.visit(node.childForFieldName('value'));
  };

function visitUseTree(w: Walker, node: Node, path: string, isPub: boolean): void {
  const line = node.startPosition.row + 1;
  const join = (more: string): string => (path === '' ? more : `${path}::${more}`);
  const add = (full: string, local: string, at: Node): void => {
    const lastIndex = full.lastIndexOf('::');
    const name = lastIndex < 0 ? full : full.slice(lastIndex + 2);
    const module = lastIndex < 0 ? '' : toFileRelativePath(full.slice(0, lastIndex));
    w.addImport({ local, module, name, line });
    w.useAs(at, 'import', local);
    if (isPub) w.addExport({ name: local, local: name, module, line });
  };
  const removeSpace = (one: Node | null): string => one?.text.replace(/\s+/g, '') ?? '';
  switch (node.type) {
    case 'scoped_use_list':
      for (const child of node.childForFieldName('list')?.namedChildren ?? [])
        visitUseTree(w, child, join(removeSpace(node.childForFieldName('path'))), isPub);
      return;
    case 'use_list':
      for (const child of node.namedChildren) visitUseTree(w, child, path, isPub);
      return;
    case 'use_as_clause': {
      const original = node.childForFieldName('path');
      const alias = node.childForFieldName('alias');
      const last = original?.childForFieldName('name') ?? original;
      if (last !== null && alias !== null) add(join(removeSpace(original)), alias.text, last);
      return;
    }
    case 'use_wildcard': {
      const written = join(removeSpace(node.namedChildren[0] ?? null));
      if (written === 'super' && w.scopeKind === 'inline') w.bind(outerStarImport, { kind: 'local' });
      const module = toFileRelativePath(written);
      w.addImport({ local: '*', module, name: '*', line });
      if (isPub) w.addExport({ name: '*', local: '*', module, line });
      return;
    }
    case 'self':
      add(path, path.split('::').at(-1) ?? path, node);
      return;
    default: {
      const last = node.childForFieldName('name') ?? node;
      add(join(removeSpace(node)), last.text, last);
    }
  }
}

const scopedRule =
  (role: 'read' | 'type'): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    const path = node.childForFieldName('path');
    let outer = node.parent;
    if (outer?.type === 'generic_function') outer = outer.parent;
    const called =
      outer?.type === 'call_expression' &&
      outer.childForFieldName('function')?.startIndex === node.startIndex;
    const chain = chainText(path);
    if (name !== null)
      w.use(
        name,
        called ? 'call' : role,
        toFileRelativePath(chain.replaceAll('.', '::')).replaceAll('::', '.'),
      );
    w.visit(path);
  };

/** The module recorded for `extern crate`. */
export const externCrate = 'extern crate';

/** Macros that evaluate their arguments like a function call. */
const functionLikeMacros = new Set(
  (
    'assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne dbg eprint eprintln format format_args matches panic ' +
    'print println todo unimplemented unreachable vec write writeln addr_of addr_of_mut log trace debug info warn error bail ensure anyhow'
  ).split(' '),
);

export const rust: LanguageRules = {
  sequential: true,
  ownMembers: true,
  names: { identifier: 'read', type_identifier: 'type', field_identifier: 'key' },
  leaves: new Set([
    'line_comment',
    'block_comment',
    'integer_literal',
    'float_literal',
    'char_literal',
    'boolean_literal',
    'primitive_type',
    'lifetime',
    'self',
    'super',
    'crate',
    'metavariable',
    'mutable_specifier',
    'escape_sequence',
    'label',
    'fragment_specifier',
  ]),
  blocks: new Set(['block', 'match_arm', 'if_expression', 'while_expression']),
  comments: new Set(['line_comment', 'block_comment']),
  rules: {
    source_file: (w, node) => {
      enclosingOwners = [];
      inlineModules = [];
      w.visitChildren(node);
    },
    function_item: functionItem,
    function_signature_item: functionItem,
    closure_expression: (w, node) => visitFunction(w, node),
    struct_item: typeItem('class'),
    union_item: typeItem('class'),
    enum_item: typeItem('enum'),
    trait_item: typeItem('interface'),
    type_item: typeItem('type'),
    associated_type: typeItem('type'),
    impl_item: implItem,
    mod_item: (w, node) => {
      const name = node.childForFieldName('name');
      const inner = node.childForFieldName('body');
      if (name === null) return;
      const index = w.define({
        name,
        node,
        body: inner,
        kind: 'namespace',
        flags: [isPublic(node) && 'exported', inner === null && 'declaration'],
      });
      if (inner === null) return;
      inlineModules.push(name.text);
      w.withParent(index, () => w.withScope('inline', () => w.visit(inner)));
      inlineModules.pop();
    },
    extern_crate_declaration: (w, node) => {
      const name = node.childForFieldName('name');
      const local = (node.childForFieldName('alias') ?? name)?.text;
      if (name === null || local === undefined) return;
      const line = node.startPosition.row + 1;
      w.addImport({ local, module: externCrate, name: name.text, line });
      w.useAs(name, 'import', local);
    },
    const_item: valueItem('constant'),
    static_item: valueItem('variable'),
    enum_variant: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.define({ name, node, kind: 'field', unbound: true });
      w.visitChildren(node, (child) => child.id === name?.id);
    },
    field_declaration: (w, node) => {
      const name = node.childForFieldName('name');
      const type = node.childForFieldName('type');
      if (name !== null) {
        w.define({
          name,
          node,
          kind: 'field',
          unbound: true,
          type: typeText(type),
          flags: [isPublic(node) && 'exported'],
        });
        w.addField(w.currentDefinition, name.text, typeText(type));
      }
      w.visit(type);
    },
    macro_definition: (w, node) => {
      const name = node.childForFieldName('name');
      const index = name === null ? -1 : w.define({ name, node, kind: 'macro', flags: ['exported'] });
      w.withParent(index, () => w.visitChildren(node, (child) => child.id === name?.id));
    },
    macro_invocation: (w, node) => {
      const name = node.childForFieldName('macro');
      if (name?.type === 'identifier') w.use(name, 'call');
      else w.visit(name);
      const isOpen = !functionLikeMacros.has(name?.text.split('::').at(-1) ?? '');
      for (const child of node.namedChildren)
        if (child.type === 'token_tree') w.addMacroWords(child.text, child, isOpen);
        else if (child.id !== name?.id) w.visit(child);
    },
    token_tree: (w, node) => w.addMacroWords(node.text, node),
    use_declaration: (w, node) => {
      const argument = node.childForFieldName('argument');
      if (argument !== null) visitUseTree(w, argument, '', isPublic(node));
    },
    let_declaration: (w, node) => {
      const type = node.childForFieldName('type');
      const value = node.childForFieldName('value');
      w.visit(type);
      w.visit(value);
      bindPattern(w, node.childForFieldName('pattern'), typeText(type) ?? valueType(value));
      w.visit(node.childForFieldName('alternative'));
    },
    let_condition: (w, node) => {
      w.visit(node.childForFieldName('value'));
      bindPattern(w, node.childForFieldName('pattern'));
    },
    match_pattern: (w, node) => {
      const condition = node.childForFieldName('condition');
      for (const child of node.namedChildren)
        if (child.id === condition?.id) w.visit(child);
        else bindPattern(w, child);
    },
    for_expression: (w, node) =>
      w.withScope('block', () => {
        bindPattern(w, node.childForFieldName('pattern'));
        w.visit(node.childForFieldName('value'));
        w.visit(node.childForFieldName('body'));
      }),
    call_expression: (w, node) => {
      let callee = node.childForFieldName('function');
      if (callee?.type === 'generic_function') {
        w.visit(callee.childForFieldName('type_arguments'));
        callee = callee.childForFieldName('function');
      }
      if (callee?.type === 'identifier') w.use(callee, 'call');
      else w.visit(callee);
      w.visit(node.childForFieldName('arguments'));
    },
    field_expression: (w, node) => {
      const name = node.childForFieldName('field');
      const value = node.childForFieldName('value');
      let outer = node.parent;
      if (outer?.type === 'generic_function') outer = outer.parent;
      const called =
        outer?.type === 'call_expression' &&
        outer.childForFieldName('function')?.startIndex === node.startIndex &&
        outer.childForFieldName('function')!.endIndex >= node.endIndex;
      if (name?.type === 'field_identifier') w.use(name, called ? 'call' : 'read', chainText(value));
      w.visit(value);
    },
    scoped_identifier: scopedRule('read'),
    scoped_type_identifier: scopedRule('type'),
    shorthand_field_initializer: (w, node) => {
      const [name] = node.namedChildren;
      if (name !== undefined) w.use(name, 'read');
    },
    string_literal: (w, node) => w.addWords(node.text.replace(/^"|"$/g, ''), node),
  },
};

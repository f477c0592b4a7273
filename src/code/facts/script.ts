/** TypeScript, TSX and JavaScript. */
import type { Node } from 'web-tree-sitter';
import { chainText, type LanguageRules, type Rule, typeText, type Walker } from './walker.ts';

const hasMembers = (kind: string): boolean => kind === 'class' || kind === 'interface';

const unquote = (node: Node | null): string => node?.text.replace(/^['"`]|['"`]$/g, '') ?? '';

const literals: Readonly<Record<string, string>> = {
  array: 'Array',
  string: 'String',
  template_string: 'String',
  number: 'Number',
  regex: 'RegExp',
  object: '{}',
};

function valueType(node: Node | null): string | undefined {
  if (node === null) return undefined;
  switch (node.type) {
    case 'new_expression': {
      const chain = chainText(node.childForFieldName('constructor'));
      return chain === '?' ? undefined : chain;
    }
    case 'call_expression': {
      const chain = chainText(node.childForFieldName('function'));
      return chain === '?' ? undefined : `${chain}()`;
    }
    case 'as_expression':
    case 'satisfies_expression':
      return node.type === 'as_expression'
        ? typeText(node.namedChildren[1])
        : valueType(node.namedChildren[0] ?? null);
    case 'binary_expression': {
      // `a ?? b` and `a || b` have the type of a or of b.
      const sign = node.childForFieldName('operator')?.type ?? '';
      const [left, right] = [
        valueType(node.childForFieldName('left')),
        valueType(node.childForFieldName('right')),
      ];
      return sign === '??' || sign === '||'
        ? left === undefined || left.startsWith('=')
          ? (right ?? left)
          : left
        : undefined;
    }
    case 'ternary_expression':
      return (
        valueType(node.childForFieldName('consequence')) ?? valueType(node.childForFieldName('alternative'))
      );
    case 'await_expression':
    case 'non_null_expression':
    case 'parenthesized_expression':
      return valueType(node.namedChildren[0] ?? null);
    case 'identifier':
    case 'member_expression': {
      // Refers to the expression that a value is taken from: `=a.b`.
      const chain = chainText(node);
      return chain === '?' ? undefined : `=${chain}`;
    }
    default:
      return literals[node.type];
  }
}

/** Names that a pattern binds. At the top level of a file they are its variables. */
function bindPattern(
  w: Walker,
  node: Node | null,
  how: { type?: string | undefined; statement?: Node; wide?: boolean },
): void {
  if (node === null) return;
  switch (node.type) {
    case 'identifier':
    case 'shorthand_property_identifier_pattern':
      if (w.scopeKind === 'module' && how.statement !== undefined)
        w.define({
          name: node,
          node: how.statement,
          kind: 'variable',
          type: how.type,
          flags: [isExported(how.statement) && 'exported'],
        });
      else w.bindLocal(node, how.type, how.wide === true ? 'function' : 'nearest');
      if (node.type !== 'identifier') w.use(node, 'key', '?');
      return;
    case 'object_assignment_pattern':
    case 'assignment_pattern':
      bindPattern(w, node.childForFieldName('left'), { ...how, type: undefined });
      w.visit(node.childForFieldName('right'));
      return;
    case 'pair_pattern': {
      const key = node.childForFieldName('key');
      if (key?.type === 'property_identifier') w.use(key, 'key', '?');
      bindPattern(w, node.childForFieldName('value'), { ...how, type: undefined });
      return;
    }
    case 'object_pattern':
    case 'array_pattern':
    case 'rest_pattern':
      for (const child of node.namedChildren) bindPattern(w, child, { ...how, type: undefined });
      return;
    default:
      w.visit(node);
  }
}

const isExported = (node: Node): boolean => {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (at.type === 'export_statement') return true;
    if (/block|body|program/.test(at.type)) return false;
  }
  return false;
};

function recordDefaultExport(w: Walker, node: Node, name: Node): void {
  const statement = node.parent;
  if (statement?.type === 'export_statement' && statement.children.some((child) => child?.type === 'default'))
    w.addExport({ name: 'default', local: name.text, line: node.startPosition.row + 1 });
}

/** Methods of arrays that call their argument with each element. */
const elementMethods = /^(?:map|forEach|filter|find|findIndex|findLast|some|every|flatMap)$/;

/** The type of the element that `xs.map((x) => …)` passes to its callback; undefined if it is not known. */
function callbackElementType(w: Walker, node: Node): string | undefined {
  const call = node.parent?.type === 'arguments' ? node.parent.parent : null;
  const callee = call?.type === 'call_expression' ? call.childForFieldName('function') : null;
  if (
    callee?.type !== 'member_expression' ||
    !elementMethods.test(callee.childForFieldName('property')?.text ?? '')
  )
    return undefined;
  const list = callee.childForFieldName('object');
  return list?.type === 'identifier' ? w.elementType(list.text) : undefined;
}

function visitFunction(w: Walker, node: Node): void {
  const element = callbackElementType(w, node);
  w.withScope('function', () => {
    for (const child of node.childForFieldName('type_parameters')?.namedChildren ?? []) w.visit(child);
    const single = node.childForFieldName('parameter');
    if (single !== null) w.bindLocal(single, element);
    for (const [nth, parameter] of (node.childForFieldName('parameters')?.namedChildren ?? []).entries()) {
      const type = parameter.childForFieldName('type');
      const pattern = parameter.childForFieldName('pattern') ?? parameter;
      const modifier =
        parameter.namedChildren.some((child) =>
          /^(?:accessibility|readonly|override)_modifier$/.test(child.type),
        ) || /^(?:public|private|protected|readonly)\b/.test(parameter.text);
      if (pattern.type !== 'this')
        bindPattern(w, pattern, { type: typeText(type) ?? (nth === 0 ? element : undefined) });
      if (modifier && pattern.type === 'identifier') {
        const owner = w.enclosingClass(hasMembers);
        w.addField(owner, pattern.text, typeText(type), true);
        w.use(pattern, 'key', 'this');
      }
      for (const child of parameter.namedChildren) if (child.type === 'decorator') w.visit(child);
      w.visit(type);
      w.visit(parameter.childForFieldName('value'));
    }
    w.visit(node.childForFieldName('return_type'));
    w.visit(node.childForFieldName('body'));
  });
}

/** Type parameters of a function type belong to that type. */
const functionType: Rule = (w, node) =>
  w.withScope('block', () => {
    w.visit(node.childForFieldName('type_parameters'));
    for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
      const pattern = parameter.childForFieldName('pattern') ?? parameter;
      if (pattern.type !== 'this')
        bindPattern(w, pattern, { type: typeText(parameter.childForFieldName('type')) });
      w.visit(parameter.childForFieldName('type'));
    }
    w.visitChildren(node, (child) => /parameters$/.test(child.type));
  });

/** A function or class expression: its own name is visible inside it. */
const withOwnName =
  (work: Rule): Rule =>
  (w, node) =>
    w.withScope('block', () => {
      const name = node.childForFieldName('name');
      if (name !== null) w.bindLocal(name);
      work(w, node);
    });

const functionWithOwnName = withOwnName(visitFunction);
const classWithOwnName = withOwnName((w, node) => w.withScope('class', () => w.visitChildren(node)));

const functionLike: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  if (name === null) return visitFunction(w, node);
  const inner = node.childForFieldName('body');
  const index = w.define({
    name,
    node,
    body: inner,
    kind: 'function',
    type: typeText(node.childForFieldName('return_type')),
    flags: [inner === null && 'declaration', isExported(node) && 'exported'],
  });
  recordDefaultExport(w, node, name);
  w.withParent(index, () => visitFunction(w, node));
};

const typeLike =
  (kind: string): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    const inner = node.childForFieldName('body');
    if (name === null) {
      // The members of a class expression are recorded as usual.
      return w.withScope('class', () => w.visitChildren(node));
    }
    const heritage = node.namedChildren.filter(({ type }) => /heritage|extends_type_clause/.test(type));
    const index = w.define({
      name: /string/.test(name.type) ? name : name,
      node,
      body: inner,
      kind,
      givenName:
        name.type === 'nested_identifier' ? (name.text.split('.').at(-1) ?? name.text) : unquote(name),
      bases: heritage.flatMap(listBases),
      type: kind === 'type' ? typeText(node.childForFieldName('value')) : undefined,
      flags: [
        isExported(node) && 'exported',
        node.namedChildren
          .concat(node.parent?.namedChildren ?? [])
          .some(({ type }) => type === 'decorator') && 'decorated',
      ],
    });
    recordDefaultExport(w, node, name);
    w.withParent(index, () =>
      w.withScope(kind === 'namespace' ? 'function' : 'class', () => {
        for (const child of node.namedChildren)
          if (child.id === name.id) continue;
          else if (heritage.some(({ id }) => id === child.id)) visitHeritage(w, child);
          else w.visit(child);
      }),
    );
  };

const listBases = (node: Node): readonly string[] =>
  node.namedChildren.flatMap((child) => {
    if (/clause/.test(child.type)) return listBases(child);
    if (child.type === 'type_arguments') return [];
    const named = child.type === 'generic_type' ? child.childForFieldName('name') : child;
    return [chainText(named)];
  });

function visitHeritage(w: Walker, node: Node): void {
  for (const child of node.namedChildren) {
    if (/clause/.test(child.type)) visitHeritage(w, child);
    else if (child.type === 'generic_type') {
      const name = child.childForFieldName('name');
      if (name?.type === 'type_identifier') w.use(name, 'base');
      else w.visit(name);
      w.visit(child.childForFieldName('type_arguments'));
    } else if (/^(?:type_)?identifier$/.test(child.type)) w.use(child, 'base');
    else w.visit(child);
  }
}

const accessOf = (node: Node): string =>
  node.namedChildren.find(({ type }) => type === 'accessibility_modifier')?.text ?? 'public';

const member =
  (kind: string): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name') ?? node.childForFieldName('property');
    if (name === null) return w.visitChildren(node);
    const value = node.childForFieldName('value');
    const isFunction = value !== null && /function|arrow/.test(value.type);
    const inner = node.childForFieldName('body') ?? (isFunction ? value.childForFieldName('body') : null);
    const type =
      typeText(node.childForFieldName('type') ?? node.childForFieldName('return_type')) ??
      (isFunction ? typeText(value.childForFieldName('return_type')) : valueType(value));
    const owner = w.enclosingClass(hasMembers);
    const inObject = node.parent?.type === 'object';
    const isGetter = node.children.some((child) => child?.type === 'get' || child?.type === 'set');
    const index = w.define({
      name,
      node,
      body: inner,
      unbound: true,
      type,
      givenName: unquote(name),
      kind: kind === 'field' && isFunction ? 'method' : kind,
      flags: [
        (accessOf(node) === 'private' || name.type === 'private_property_identifier') && 'private',
        inObject && 'object',
        isGetter && 'object',
        /signature/.test(node.type) && 'declaration',
        node.children.some((child) => child?.type === 'static') && 'static',
        node.namedChildren.some((child) => child.type === 'decorator') ||
        node.previousNamedSibling?.type === 'decorator'
          ? 'decorated'
          : false,
      ],
    });
    if (!inObject && (kind === 'field' || isGetter))
      w.addField(owner, unquote(name), type, node.childForFieldName('type') !== null);
    w.withParent(index, () => {
      for (const child of node.namedChildren) if (child.type === 'decorator') w.visit(child);
      if (name.type === 'computed_property_name') w.visit(name);
      if (kind === 'method') visitFunction(w, node);
      else {
        w.visit(node.childForFieldName('type'));
        w.visit(value);
      }
    });
  };

const declarator =
  (wide: boolean): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    const value = node.childForFieldName('value');
    const type = typeText(node.childForFieldName('type')) ?? valueType(value);
    const imported = findImportedModule(value);
    if (imported !== null && name !== null) bindImported(w, name, imported);
    else if (
      name?.type === 'identifier' &&
      value !== null &&
      /^(?:arrow_function|function_expression|generator_function|class)$/.test(value.type)
    ) {
      const isClass = value.type === 'class';
      const index = w.define({
        name,
        node: findStatement(node),
        kind: isClass ? 'class' : 'function',
        body: value.childForFieldName('body'),
        bases: isClass
          ? value.namedChildren.filter((child) => /heritage/.test(child.type)).flatMap(listBases)
          : undefined,
        type: typeText(value.childForFieldName('return_type')),
        flags: [isExported(node) && 'exported'],
      });
      w.visit(node.childForFieldName('type'));
      w.withParent(index, () => (isClass ? classWithOwnName : functionWithOwnName)(w, value));
      return;
    } else if (name?.type === 'identifier' && w.scopeKind === 'module') {
      const index = w.define({
        name,
        node: findStatement(node),
        kind: 'variable',
        type,
        body: value?.type === 'object' ? value : null,
        flags: [isExported(node) && 'exported'],
      });
      w.visit(node.childForFieldName('type'));
      w.withParent(index, () => w.visit(value));
      return;
    } else bindPattern(w, name, { type, statement: findStatement(node), wide });
    w.visit(node.childForFieldName('type'));
    w.visit(value);
  };

/** If several variables are declared in one statement, each has its own lines. */
const findStatement = (node: Node): Node =>
  node.parent !== null &&
  node.parent.namedChildren.filter(({ type }) => type === 'variable_declarator').length === 1
    ? node.parent
    : node;

/** The module in `require('x')` and `await import('x')`. */
function findImportedModule(node: Node | null): string | null {
  const call = node?.type === 'await_expression' ? (node.namedChildren[0] ?? null) : node;
  if (call?.type !== 'call_expression') return null;
  const callee = call.childForFieldName('function');
  const [argument, ...more] = call.childForFieldName('arguments')?.namedChildren ?? [];
  const isImport = callee?.type === 'import' ? node?.type === 'await_expression' : callee?.text === 'require';
  return isImport && argument?.type === 'string' && more.length === 0 ? unquote(argument) : null;
}

function bindImported(w: Walker, name: Node, module: string): void {
  const line = name.startPosition.row + 1;
  if (name.type === 'identifier') {
    w.addImport({ local: name.text, module, name: '*', line });
    w.use(name, 'import');
  } else
    for (const child of name.namedChildren)
      if (child.type === 'shorthand_property_identifier_pattern') {
        w.addImport({ local: child.text, module, name: child.text, line });
        w.use(child, 'import');
      } else if (child.type === 'pair_pattern') {
        const [key, value] = [child.childForFieldName('key'), child.childForFieldName('value')];
        if (key !== null && value?.type === 'identifier') {
          w.addImport({ local: value.text, module, name: key.text, line });
          w.useAs(key, 'import', value.text);
        } else bindPattern(w, value, {});
      } else bindPattern(w, child, {});
}

const importStatement: Rule = (w, node) => {
  const line = node.startPosition.row + 1;
  const required = node.namedChildren.find(({ type }) => type === 'import_require_clause');
  const source = node.childForFieldName('source') ?? required?.childForFieldName('source') ?? null;
  const module = unquote(source);
  const [clause] = node.namedChildren;
  if (required !== undefined) {
    const [name] = required.namedChildren;
    if (name !== undefined) w.addImport({ local: name.text, module, name: '*', line });
    return;
  }
  if (clause?.type !== 'import_clause') return w.addImport({ local: '*', module, name: '', line }, false);
  for (const part of clause.namedChildren) {
    if (part.type === 'identifier') {
      w.addImport({ local: part.text, module, name: 'default', line });
      w.use(part, 'import');
    } else if (part.type === 'namespace_import') {
      const [name] = part.namedChildren;
      if (name === undefined) continue;
      w.addImport({ local: name.text, module, name: '*', line });
      w.use(name, 'import');
    } else
      for (const specifier of part.namedChildren) {
        const name = specifier.childForFieldName('name');
        const alias = specifier.childForFieldName('alias');
        if (name === null) continue;
        const local = (alias ?? name).text;
        w.addImport({ local, module, name: unquote(name), line });
        w.useAs(name, 'import', local);
      }
  }
};

const exportStatement: Rule = (w, node) => {
  const line = node.startPosition.row + 1;
  const source = node.childForFieldName('source');
  const module = source === null ? {} : { module: unquote(source) };
  const clause = node.namedChildren.find(({ type }) => /^(?:export_clause|namespace_export)$/.test(type));
  if (clause?.type === 'namespace_export') {
    const name = clause.namedChildren[0];
    if (name !== undefined) w.addExport({ name: name.text, local: '*', ...module, line });
  } else if (clause !== undefined)
    for (const specifier of clause.namedChildren) {
      const name = specifier.childForFieldName('name');
      const alias = specifier.childForFieldName('alias');
      if (name === null) continue;
      w.addExport({ name: unquote(alias ?? name), local: unquote(name), ...module, line });
      if (source === null) w.use(name, 'export');
      else w.useName(unquote(name), name, 'export', '?');
    }
  else if (source !== null) w.addExport({ name: '*', local: '*', ...module, line });
  else {
    const value =
      node.childForFieldName('value') ??
      (node.childForFieldName('declaration') === null
        ? node.namedChildren.find(({ type }) => type !== 'decorator' && type !== 'comment')
        : null);
    if (value?.type === 'identifier') {
      const isEquals = !node.children.some((child) => child?.type === 'default');
      w.addExport({ name: isEquals ? '=' : 'default', local: value.text, line });
      w.use(value, 'export');
    } else w.visitChildren(node);
  }
};

const assignmentExpression: Rule = (w, node) => {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const chain = chainText(left);
  const line = node.startPosition.row + 1;
  const named = /^(?:module\.)?exports\.([\w$]+)$/.exec(chain)?.[1];
  if (chain === 'module.exports' && right !== null) {
    if (right.type === 'identifier') w.addExport({ name: '=', local: right.text, line });
    for (const item of right.type === 'object' ? right.namedChildren : [])
      if (item.type === 'shorthand_property_identifier')
        w.addExport({ name: item.text, local: item.text, line });
      else if (item.type === 'pair' && item.childForFieldName('value')?.type === 'identifier')
        w.addExport({
          name: unquote(item.childForFieldName('key')),
          local: item.childForFieldName('value')!.text,
          line,
        });
  } else if (named !== undefined && right?.type === 'identifier')
    w.addExport({ name: named, local: right.text, line });
  else if (named !== undefined && right !== null && /function|arrow/.test(right.type) && left !== null) {
    const name = left.childForFieldName('property')!;
    const index = w.define({
      name,
      node,
      kind: 'function',
      body: right.childForFieldName('body'),
      unbound: w.isBoundInModule(named),
      flags: ['exported'],
    });
    w.addExport({ name: named, local: named, line });
    w.withParent(index, () => functionWithOwnName(w, right));
    return;
  }
  const field = /^this\.([\w$#]+)$/.exec(chain)?.[1];
  if (field !== undefined) w.addField(w.enclosingClass(hasMembers), field, valueType(right));
  w.visit(left);
  w.visit(right);
};

const memberExpression: Rule = (w, node) => {
  const object = node.childForFieldName('object');
  const name = node.childForFieldName('property');
  let outer = node.parent;
  if (outer?.type === 'non_null_expression' || outer?.type === 'instantiation_expression')
    outer = outer.parent;
  const called =
    outer?.type === 'call_expression' &&
    outer.childForFieldName('function')?.startIndex === node.startIndex &&
    outer.childForFieldName('function')?.endIndex === node.endIndex;
  const isNew = outer?.type === 'new_expression' && outer.childForFieldName('constructor')?.id === node.id;
  if (name !== null) w.use(name, called || isNew ? 'call' : 'read', chainText(object));
  w.visit(object);
};

const callRule =
  (field: string): Rule =>
  (w, node) => {
    let callee = node.childForFieldName(field);
    while (
      callee !== null &&
      /^(?:parenthesized_expression|non_null_expression|await_expression)$/.test(callee.type)
    )
      callee = callee.namedChildren[0] ?? null;
    if (callee?.type === 'identifier') w.use(callee, 'call');
    else w.visit(callee);
    w.visitChildren(
      node,
      (child) =>
        child.startIndex === node.childForFieldName(field)?.startIndex &&
        child.endIndex === node.childForFieldName(field)?.endIndex,
    );
  };

const jsxElement: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  if (name?.type === 'identifier') {
    if (/^[A-Z_$]/.test(name.text)) w.use(name, 'call');
  } else w.visit(name);
  w.visitChildren(node, (child) => child.id === name?.id);
};

export const script: LanguageRules = {
  ownMembers: true,
  names: {
    identifier: 'read',
    type_identifier: 'type',
    shorthand_property_identifier: 'read',
    property_identifier: 'key',
    private_property_identifier: 'key',
  },
  leaves: new Set([
    'comment',
    'html_comment',
    'number',
    'regex',
    'true',
    'false',
    'null',
    'undefined',
    'this',
    'super',
    'predefined_type',
    'escape_sequence',
    'accessibility_modifier',
    'optional_chain',
    'statement_identifier',
    'jsx_text',
    'hash_bang_line',
    'import',
    'string_fragment',
  ]),
  blocks: new Set(['statement_block', 'for_statement', 'switch_body', 'class_static_block']),
  comments: new Set(['comment']),
  rules: {
    function_declaration: functionLike,
    generator_function_declaration: functionLike,
    function_signature: functionLike,
    function_expression: functionWithOwnName,
    generator_function: functionWithOwnName,
    function_type: functionType,
    constructor_type: functionType,
    call_signature: functionType,
    construct_signature: functionType,
    tuple_type: (w, node) => {
      for (const child of node.namedChildren)
        w.visit(/_parameter$/.test(child.type) ? child.childForFieldName('type') : child);
    },
    index_signature: (w, node) =>
      w.withScope('block', () => {
        const name = node.childForFieldName('name');
        if (name !== null) w.bindLocal(name);
        w.visitChildren(node, (child) => child.id === name?.id);
      }),
    mapped_type_clause: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.bindLocal(name);
      w.visitChildren(node, (child) => child.id === name?.id);
    },
    conditional_type: (w, node) => w.withScope('block', () => w.visitChildren(node)),
    infer_type: (w, node) => {
      const [name, ...more] = node.namedChildren;
      if (name?.type === 'type_identifier') w.bindLocal(name);
      for (const child of more) w.visit(child);
    },
    arrow_function: (w, node) => visitFunction(w, node),
    class_declaration: typeLike('class'),
    abstract_class_declaration: typeLike('class'),
    class: (w, node) => w.withScope('block', () => typeLike('class')(w, node)),
    interface_declaration: typeLike('interface'),
    type_alias_declaration: typeLike('type'),
    enum_declaration: typeLike('enum'),
    ambient_declaration: (w, node) => {
      const first = w.definitionCount;
      w.visitChildren(node);
      // `declare global` and `declare module 'x'` extend declarations of other files.
      if (!node.children.some((child) => child?.type === 'global' || child?.type === 'module')) return;
      for (let index = first; index < w.definitionCount; index += 1)
        w.amend(index, { flags: [...w.definitionAt(index)!.flags, 'merged'] });
    },
    internal_module: typeLike('namespace'),
    module: typeLike('namespace'),
    method_definition: member('method'),
    method_signature: member('method'),
    abstract_method_signature: member('method'),
    public_field_definition: member('field'),
    field_definition: member('field'),
    property_signature: member('field'),
    lexical_declaration: (w, node) => {
      for (const child of node.namedChildren)
        if (child.type === 'variable_declarator') declarator(false)(w, child);
    },
    variable_declaration: (w, node) => {
      for (const child of node.namedChildren)
        if (child.type === 'variable_declarator') declarator(true)(w, child);
    },
    type_parameter: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.bindLocal(name);
      w.visitChildren(node, (child) => child.id === name?.id);
    },
    for_in_statement: (w, node) =>
      w.withScope('block', () => {
        const left = node.childForFieldName('left');
        if (node.children.some((child) => /^(?:const|let|var)$/.test(child?.type ?? '')))
          bindPattern(w, left, {});
        else w.visit(left);
        w.visitChildren(node, (child) => child.id === left?.id);
      }),
    catch_clause: (w, node) =>
      w.withScope('block', () => {
        bindPattern(w, node.childForFieldName('parameter'), {});
        w.visit(node.childForFieldName('body'));
      }),
    import_statement: importStatement,
    export_statement: exportStatement,
    assignment_expression: assignmentExpression,
    member_expression: memberExpression,
    call_expression: callRule('function'),
    new_expression: callRule('constructor'),
    decorator: (w, node) => {
      const [applied] = node.namedChildren;
      if (applied?.type === 'identifier') w.use(applied, 'decorator');
      else w.visit(applied);
    },
    nested_type_identifier: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.use(name, 'type', chainText(node.childForFieldName('module')));
      w.visit(node.childForFieldName('module'));
    },
    pair: (w, node) => {
      const key = node.childForFieldName('key');
      const value = node.childForFieldName('value');
      if (key?.type === 'property_identifier') w.use(key, 'key');
      else w.visit(key);
      w.visit(value);
    },
    string: (w, node) => w.addWords(unquote(node), node),
    template_string: (w, node) => {
      for (const child of node.namedChildren) if (child.type === 'template_substitution') w.visit(child);
    },
    jsx_self_closing_element: jsxElement,
    jsx_opening_element: jsxElement,
    jsx_closing_element: () => {},
    enum_body: (w, node) => {
      for (const child of node.namedChildren) {
        const name = child.type === 'enum_assignment' ? child.childForFieldName('name') : child;
        if (name?.type === 'property_identifier')
          w.define({ name, node: child, kind: 'field', unbound: true });
        if (child.type === 'enum_assignment') w.visit(child.childForFieldName('value'));
      }
    },
  },
};

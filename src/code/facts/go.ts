import type { Node } from 'web-tree-sitter';
import { chainText, type LanguageRules, type Rule, typeText, type Walker } from './walker.ts';

/** `*S[T]` belongs to S. */
const bareType = (node: Node | null | undefined): string | undefined =>
  /^[*&\s]*((?:\w+\.)?\w+)/.exec(node?.text ?? '')?.[1];

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name);

/** Maximum links of a chain that are read. Limited, since each link reads all links before it again. */
const maxLinks = 24;

/** Like `chainText`, but from the nodes of a chain: its arguments, which may be long, are skipped. */
function readChain(node: Node | null, linksLeft = maxLinks): string {
  const chain = chainText(node);
  if (node === null || chain !== '?' || linksLeft === 0) return chain;
  const isCall = node.type === 'call_expression';
  if (!isCall && node.type !== 'selector_expression') return '?';
  const chainBefore = readChain(node.childForFieldName(isCall ? 'function' : 'operand'), linksLeft - 1);
  // The type of `f()()` is not written anywhere.
  if (chainBefore === '?' || (isCall && chainBefore.endsWith('()'))) return '?';
  return isCall ? `${chainBefore}()` : `${chainBefore}.${node.childForFieldName('field')?.text ?? '?'}`;
}

function valueType(node: Node | null | undefined): string | undefined {
  if (node === null || node === undefined) return undefined;
  switch (node.type) {
    case 'composite_literal':
      return bareType(node.childForFieldName('type'));
    case 'unary_expression':
      return valueType(node.childForFieldName('operand'));
    case 'type_assertion_expression':
      return bareType(node.childForFieldName('type'));
    case 'call_expression': {
      const callee = node.childForFieldName('function');
      if (callee?.text === 'new') return bareType(node.childForFieldName('arguments')?.namedChildren[0]);
      const chain = readChain(callee);
      return chain === '?' ? undefined : `${chain}()`;
    }
    default:
      return undefined;
  }
}

const listNames = (node: Node): readonly Node[] =>
  node.childrenForFieldName('name').filter((child): child is Node => child?.isNamed === true);

function bindParameters(w: Walker, list: Node | null | undefined): void {
  for (const parameter of list?.namedChildren ?? []) {
    const type = parameter.childForFieldName('type');
    for (const name of listNames(parameter))
      w.bindLocal(name, parameter.type === 'variadic_parameter_declaration' ? '[]' : typeText(type));
    w.visit(type);
  }
}

function visitFunction(w: Walker, node: Node): void {
  w.withScope('function', () => {
    for (const parameter of node.childForFieldName('type_parameters')?.namedChildren ?? []) {
      for (const name of listNames(parameter)) w.bindLocal(name);
      w.visit(parameter.childForFieldName('type'));
    }
    const receiver = node.childForFieldName('receiver');
    bindParameters(w, receiver);
    bindParameters(w, node.childForFieldName('parameters'));
    const result = node.childForFieldName('result');
    if (result?.type === 'parameter_list') bindParameters(w, result);
    else w.visit(result);
    w.visit(node.childForFieldName('body'));
  });
}

/** The type of a function's first result, to which a single variable is bound. */
function resultType(node: Node): string | undefined {
  const result = node.childForFieldName('result');
  if (result?.type !== 'parameter_list') return typeText(result);
  return typeText(result.namedChildren[0]?.childForFieldName('type'));
}

const functionLike =
  (kind: 'function' | 'method'): Rule =>
  (w, node) => {
    const name = node.childForFieldName('name');
    if (name === null) return visitFunction(w, node);
    const receiver = node.childForFieldName('receiver')?.namedChildren[0]?.childForFieldName('type');
    const index = w.define({
      name,
      node,
      kind,
      body: node.childForFieldName('body'),
      type: resultType(node),
      owner: bareType(receiver),
      unbound: kind === 'method',
      flags: [isExported(name.text) ? 'exported' : 'private'],
    });
    w.withParent(index, () => visitFunction(w, node));
  };

/** Returns the opening brace of a type's body, or the list that begins with it. */
const findBody = (type: Node | null): Node | null =>
  type?.children.find((child) => child?.type === '{' || child?.type === 'field_declaration_list') ?? null;

const typeSpec: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  const type = node.childForFieldName('type');
  if (name === null) return w.visitChildren(node);
  const members =
    type?.type === 'struct_type'
      ? (type.namedChildren[0]?.namedChildren ?? [])
      : type?.type === 'interface_type'
        ? type.namedChildren
        : [];
  const embedded = members.filter(
    (member) =>
      (member.type === 'field_declaration' && listNames(member).length === 0) || member.type === 'type_elem',
  );
  const isInterface = type?.type === 'interface_type';
  const kind = isInterface ? 'interface' : type?.type === 'struct_type' ? 'class' : 'type';
  const index = w.define({
    name,
    node,
    kind,
    bases: embedded.flatMap(
      (member) => bareType(member.childForFieldName('type') ?? member.namedChildren[0]) ?? [],
    ),
    type: kind === 'type' ? typeText(type) : undefined,
    flags: [isExported(name.text) ? 'exported' : 'private'],
    // Fields and methods have signatures of their own.
    body: kind === 'type' ? null : findBody(type),
  });
  w.withParent(index, () =>
    w.withScope('class', () => {
      for (const parameter of node.childForFieldName('type_parameters')?.namedChildren ?? []) {
        for (const each of listNames(parameter)) w.bindLocal(each);
        w.visit(parameter.childForFieldName('type'));
      }
      w.visit(type);
    }),
  );
};

const fieldDeclaration: Rule = (w, node) => {
  const type = node.childForFieldName('type');
  const names = listNames(node);
  for (const name of names) {
    w.define({
      name,
      node,
      kind: 'field',
      unbound: true,
      type: typeText(type),
      flags: [isExported(name.text) ? 'exported' : 'private'],
    });
    w.addField(w.currentDefinition, name.text, typeText(type));
  }
  const base = bareType(type)?.split('.').at(-1);
  if (names.length === 0 && base !== undefined) w.addField(w.currentDefinition, base, typeText(type));
  w.visit(type);
};

const valueSpec =
  (kind: string): Rule =>
  (w, node) => {
    const type = typeText(node.childForFieldName('type'));
    const values = node.childForFieldName('value')?.namedChildren ?? [];
    const names = listNames(node);
    for (const [nth, name] of names.entries()) {
      const ownType =
        type ?? (values.length === names.length || nth === 0 ? valueType(values[nth]) : undefined);
      if (w.scopeKind === 'module')
        w.define({
          name,
          node,
          kind,
          type: ownType,
          flags: [isExported(name.text) ? 'exported' : 'private'],
        });
      else w.bindLocal(name, ownType);
    }
    w.visit(node.childForFieldName('type'));
    w.visit(node.childForFieldName('value'));
  };

const recordAssignment: Rule = (w, node) => {
  const assignedNames = node.childForFieldName('left')?.namedChildren ?? [];
  const right = node.childForFieldName('right');
  const values = right?.namedChildren ?? [];
  const isRange = node.type === 'range_clause';
  if (isRange && !node.children.some((child) => child?.type === ':=')) return w.visitChildren(node);
  w.visit(right);
  const element = isRange && right?.type === 'identifier' ? w.elementType(right.text) : undefined;
  for (const [nth, name] of assignedNames.entries())
    if (isRange && nth === 1 && name.type === 'identifier') w.bindLocal(name, element);
    else if (name.type === 'identifier')
      w.bindLocal(
        name,
        isRange || (nth > 0 && values.length !== assignedNames.length) ? undefined : valueType(values[nth]),
      );
    else w.visit(name);
};

export const go: LanguageRules = {
  sequential: true,
  names: { identifier: 'read', type_identifier: 'type', field_identifier: 'key' },
  leaves: new Set([
    'comment',
    'package_identifier',
    'int_literal',
    'float_literal',
    'imaginary_literal',
    'rune_literal',
    'nil',
    'true',
    'false',
    'iota',
    'blank_identifier',
    'dot',
    'label_name',
    'escape_sequence',
  ]),
  blocks: new Set([
    'block',
    'if_statement',
    'for_statement',
    'expression_case',
    'type_case',
    'default_case',
    'communication_case',
    'expression_switch_statement',
  ]),
  comments: new Set(['comment']),
  rules: {
    package_clause: (w, node) => {
      w.package = node.namedChildren[0]?.text ?? '';
    },
    import_spec: (w, node) => {
      const module = (node.childForFieldName('path')?.text ?? '').replace(/^["`]|["`]$/g, '');
      const alias = node.childForFieldName('name');
      const line = node.startPosition.row + 1;
      // `gopkg.in/yaml.v3` and `x/v2` are imported under the part of the path before the version.
      const packageName =
        module
          .split('/')
          .filter((part) => !/^v\d+$/.test(part))
          .at(-1)
          ?.replace(/\.v\d+$/, '') ?? module;
      if (alias?.type === 'dot') w.addImport({ local: '*', module, name: '*', line });
      else if (alias?.type !== 'blank_identifier')
        w.addImport({ local: alias?.text ?? packageName, module, name: '*', line });
    },
    function_declaration: functionLike('function'),
    method_declaration: functionLike('method'),
    func_literal: (w, node) => visitFunction(w, node),
    function_type: (w, node) =>
      w.withScope('function', () => {
        bindParameters(w, node.childForFieldName('parameters'));
        const result = node.childForFieldName('result');
        if (result?.type === 'parameter_list') bindParameters(w, result);
        else w.visit(result);
      }),
    type_spec: typeSpec,
    type_alias: typeSpec,
    field_declaration: fieldDeclaration,
    method_elem: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null)
        w.define({
          name,
          node,
          kind: 'method',
          unbound: true,
          type: resultType(node),
          flags: ['declaration', isExported(name.text) ? 'exported' : 'private'],
        });
      w.withScope('function', () => {
        bindParameters(w, node.childForFieldName('parameters'));
        const result = node.childForFieldName('result');
        if (result?.type === 'parameter_list') bindParameters(w, result);
        else w.visit(result);
      });
    },
    const_spec: valueSpec('constant'),
    var_spec: valueSpec('variable'),
    short_var_declaration: recordAssignment,
    range_clause: recordAssignment,
    receive_statement: (w, node) => {
      for (const name of node.childForFieldName('left')?.namedChildren ?? [])
        if (name.type === 'identifier') w.bindLocal(name);
      w.visit(node.childForFieldName('right'));
    },
    type_switch_statement: (w, node) =>
      w.withScope('block', () => {
        for (const name of node.childForFieldName('alias')?.namedChildren ?? []) w.bindLocal(name);
        w.visitChildren(node, (child) => child.id === node.childForFieldName('alias')?.id);
      }),
    selector_expression: (w, node) => {
      const object = node.childForFieldName('operand');
      const name = node.childForFieldName('field');
      const called =
        node.parent?.type === 'call_expression' && node.parent.childForFieldName('function')?.id === node.id;
      if (name !== null) w.use(name, called ? 'call' : 'read', readChain(object));
      w.visit(object);
    },
    qualified_type: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.use(name, 'type', chainText(node.childForFieldName('package')));
    },
    call_expression: (w, node) => {
      const callee = node.childForFieldName('function');
      if (callee?.type === 'identifier') w.use(callee, 'call');
      else w.visit(callee);
      w.visitChildren(node, (child) => child.id === callee?.id);
    },
    type_conversion_expression: (w, node) => {
      const type = node.childForFieldName('type');
      const name = type?.type === 'generic_type' ? type.childForFieldName('type') : null;
      // The grammar parses a call with type arguments as a conversion.
      if (name?.type === 'type_identifier') {
        w.use(name, 'call');
        w.visit(type?.childForFieldName('type_arguments'));
      } else w.visit(type);
      w.visit(node.childForFieldName('operand'));
    },
    keyed_element: (w, node) => {
      const key = node.childForFieldName('key');
      const [name] = key?.namedChildren ?? [];
      const literal = node.parent?.parent;
      const type =
        literal?.type === 'composite_literal' ? literal.childForFieldName('type')?.type : undefined;
      if (name?.type !== 'identifier') w.visit(key);
      else if (/^(?:map|array|slice|implicit_length_array)_type$/.test(type ?? '')) w.use(name, 'read');
      else {
        // A field of a struct, or an expression if the named type is a map.
        w.use(name, 'key', '?');
        if (type !== 'struct_type') w.use(name, 'key');
      }
      w.visit(node.childForFieldName('value'));
    },
    interpreted_string_literal: (w, node) => w.addWords(node.text.slice(1, -1), node),
    raw_string_literal: (w, node) => w.addWords(node.text.slice(1, -1), node),
  },
};

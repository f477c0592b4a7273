/** Languages for which a table of node types lists definitions and calls. Their imports are not followed. */
import type { Node } from 'web-tree-sitter';
import type { Role } from './facts.ts';
import { chainText, type LanguageRules, type Rule, typeText } from './walker.ts';

interface Table {
  /**
   * Nodes that define, with the kind of definition. The name is in the field `name`, or is the first name inside the
   * node.
   */
  readonly defines: Readonly<Record<string, string>>;
  /** Nodes that call, with the fields of the called name and of its receiver. */
  readonly calls: Readonly<
    Record<string, { readonly name: string; readonly receiver?: string; readonly bare?: string }>
  >;
  readonly names: Readonly<Record<string, Role>>;
  /** Nodes that declare one value or several: fields, or values of a function. */
  readonly values?: readonly string[];
  /** Nodes whose `name` is a value of the function. */
  readonly locals: readonly string[];
  /** Nodes of parameters. The function tells whether such a node also declares a field. */
  readonly parameters?: Readonly<Record<string, (node: Node) => boolean>>;
  /** Nodes that name the base classes of a class. */
  readonly heritage: readonly string[];
  /** The node of an import; the names inside it form the path of what is imported. */
  readonly imports?: string;
  readonly leaves: readonly string[];
}

const kindsWithMembers = new Set(['class', 'interface', 'namespace', 'enum']);

const findName = (node: Node, names: Table['names']): Node | null => {
  const named = node.childForFieldName('name');
  if (named?.type === 'scope_resolution') return named.childForFieldName('name') ?? named;
  if (named !== null) return /variable_name/.test(named.type) ? (named.namedChildren[0] ?? named) : named;
  const declared = node.childForFieldName('declarator') ?? node.childForFieldName('pattern');
  if (declared !== null) return declared.childForFieldName('name') ?? declared;
  return node.namedChildren.find(({ type }) => type in names || /identifier|^name$/.test(type)) ?? null;
};

/** `A::B` of `class A::B::C`, with the dots of other languages. */
const ownerText = (node: Node): string | undefined =>
  node.childForFieldName('name')?.childForFieldName('scope')?.text.replaceAll('::', '.');

const isDeclaring = (type: string): boolean =>
  /^(?:variable_declarator|(?:multi_)?variable_declaration|identifiers|\w+_pattern)$/.test(type);

/** Lists the names that a pattern binds. In Scala, a capitalised name in a pattern refers to a constant. */
function listPatternNames(pattern: Node): readonly Node[] {
  if (pattern.type === 'identifier') return [pattern];
  const inner = pattern.namedChildren.flatMap((child) =>
    child.type === 'identifier' || isDeclaring(child.type) ? listPatternNames(child) : [],
  );
  return pattern.type === 'identifiers' ? inner : inner.filter(({ text }) => /^[\p{Ll}_]/u.test(text));
}

/** Names of `int a, b`, `val (a, b)` and the like. */
function listValueNames(node: Node): readonly Node[] {
  const pattern = node.childForFieldName('pattern');
  if (pattern !== null) return listPatternNames(pattern);
  const parts = node.namedChildren.filter(({ type }) => isDeclaring(type));
  if (parts.length > 0) return parts.flatMap(listValueNames);
  const name = node.childForFieldName('name') ?? node.namedChildren.find(({ type }) => type === 'identifier');
  return name === undefined ? [] : [name];
}

const valueTypeText = (node: Node): string | undefined =>
  typeText(
    node.childForFieldName('type') ??
      node.namedChildren.find(({ type }) => isDeclaring(type))?.childForFieldName('type'),
  );

const accessFlag = (node: Node): 'private' | 'exported' =>
  /\bprivate\b/.test(node.text.slice(0, 120)) ? 'private' : 'exported';

const listBases = (node: Node, heritage: readonly string[]): readonly string[] =>
  node.namedChildren
    .filter(({ type }) => heritage.includes(type))
    .flatMap(({ text }) => text.match(/[A-Z_a-z][\w.:\\]*(?=\s*(?:[,(<{]|$|\s))/g) ?? [])
    .filter((word) => !/^(?:extends|implements|with|by)$/.test(word))
    .map((word) => word.split(/[.:\\]+/).at(-1)!);

/** Modules that a class of Ruby includes, and traits that a class of PHP uses. */
const listMixins = (body: Node | null): readonly string[] =>
  (body?.namedChildren ?? []).flatMap(({ type, text }) => {
    const named =
      type === 'use_declaration'
        ? /^use\s+([\w\\\s,]+)/.exec(text)?.[1]
        : type === 'call'
          ? /^(?:include|extend|prepend)[\s(]+([A-Z][\w:\s,]*)/.exec(text)?.[1]
          : undefined;
    return (named ?? '').match(/(?:\w+(?:::|\\))*\w+/g)?.map((one) => one.split(/[:\\]+/).at(-1)!) ?? [];
  });

function rulesFromTable({
  defines,
  calls,
  names,
  values = [],
  locals,
  parameters = {},
  heritage,
  imports,
  leaves,
}: Table): LanguageRules {
  const visitImport: Rule = (w, node) => {
    for (const child of node.namedChildren)
      if (child.type in names && child.namedChildren.length === 0) w.use(child, 'import');
      else visitImport(w, child);
  };
  const define =
    (kind: string): Rule =>
    (w, node) => {
      const name = findName(node, names);
      if (name === null) return w.visitChildren(node);
      const holder = w.currentDefinition >= 0 ? w.definitionAt(w.currentDefinition) : undefined;
      const isMember =
        holder !== undefined && kindsWithMembers.has(holder.kind) && holder.kind !== 'namespace';
      const body = node.childForFieldName('body');
      if (w.isInFunction && /^(?:field|variable|constant)$/.test(kind)) {
        w.bindLocal(name);
        return w.visitChildren(node, (child) => child.id === name.id);
      }
      const index = w.define({
        name,
        node,
        body,
        kind: kind === 'function' && isMember ? 'method' : kind,
        bases: [
          ...listBases(node, heritage),
          ...listMixins(body ?? node.namedChildren.find(({ type }) => type === 'body_statement') ?? null),
        ],
        owner: ownerText(node),
        type: typeText(node.childForFieldName('type') ?? node.childForFieldName('return_type')),
        flags: [accessFlag(node), kind !== 'field' && /^\s*[@[]/.test(node.text) && 'decorated'],
      });
      const scope = kindsWithMembers.has(kind)
        ? 'class'
        : /^(?:function|method)$/.test(kind)
          ? 'function'
          : 'block';
      w.withParent(index, () =>
        w.withScope(scope, () => w.visitChildren(node, (child) => child.id === name.id)),
      );
    };
  const declareValues: Rule = (w, node) => {
    const found = listValueNames(node);
    const ids = new Set(found.map(({ id }) => id));
    const visitRest = (at: Node): void => {
      for (const child of at.namedChildren)
        if (ids.has(child.id)) continue;
        else if (isDeclaring(child.type)) visitRest(child);
        else w.visit(child);
    };
    const type = valueTypeText(node);
    if (w.isInFunction) {
      for (const name of found) w.bindLocal(name, type);
      return visitRest(node);
    }
    const made = found.map((name) =>
      w.define({ name, node, kind: 'field', type, flags: [accessFlag(node)] }),
    );
    w.withParent(made.length === 1 ? made[0]! : -1, () => w.withScope('block', () => visitRest(node)));
  };
  const bindParameter: Rule = (w, node) => {
    const name = findName(node, names);
    if (name !== null) w.bindLocal(name, typeText(node.childForFieldName('type')));
    w.visitChildren(node, (child) => child.id === name?.id);
  };
  const call =
    ({ name: field, receiver, bare }: Table['calls'][string]): Rule =>
    (w, node) => {
      const called =
        bare === undefined
          ? node.childForFieldName(field)
          : (node.childForFieldName(bare) ?? node.namedChildren[0] ?? null);
      const receiverNode = receiver === undefined ? null : node.childForFieldName(receiver);
      if (called === null) return w.visitChildren(node);
      if (called.namedChildren.length === 0 || /^(?:name|command_name)$/.test(called.type)) {
        const plain = called.type === 'command_name' ? (called.namedChildren[0] ?? called) : called;
        w.useName(
          plain.text.slice(0, 200),
          plain,
          'call',
          receiverNode === null ? null : chainText(receiverNode).replace(/^\$/, ''),
        );
      } else w.visit(called);
      w.visitChildren(node, (child) => child.id === called.id);
    };
  const member: Rule = (w, node) => {
    const parts = node.namedChildren;
    const last = node.childForFieldName('name') ?? node.childForFieldName('field') ?? parts.at(-1) ?? null;
    const object =
      node.childForFieldName('expression') ??
      node.childForFieldName('value') ??
      node.childForFieldName('object') ??
      (parts[0]?.id === last?.id ? null : (parts[0] ?? null));
    const called =
      /call|invocation/.test(node.parent?.type ?? '') && node.parent?.namedChildren[0]?.id === node.id;
    if (last !== null) w.use(last, called ? 'call' : 'read', object === null ? 'this' : chainText(object));
    if (object !== null) w.visit(object);
  };
  return {
    ownMembers: true,
    names,
    leaves: new Set(leaves),
    blocks: new Set(['block']),
    comments: new Set(['comment', 'line_comment', 'block_comment', 'multiline_comment']),
    rules: {
      ...Object.fromEntries(Object.entries(defines).map(([type, kind]) => [type, define(kind)])),
      ...Object.fromEntries(Object.entries(calls).map(([type, how]) => [type, call(how)])),
      ...Object.fromEntries(
        Object.entries(parameters).map(([type, isField]) => [
          type,
          ((w, node) => (isField(node) ? declareValues : bindParameter)(w, node)) satisfies Rule,
        ]),
      ),
      ...Object.fromEntries(locals.map((type) => [type, bindParameter])),
      ...Object.fromEntries(values.map((type) => [type, declareValues])),
      ...Object.fromEntries(
        ['member_access_expression', 'navigation_expression', 'field_expression', 'field_access'].map(
          (type) => [type, member],
        ),
      ),
      ...Object.fromEntries(
        ['string', 'string_literal', 'encapsed_string', 'raw_string'].map((type) => [
          type,
          ((w, node) => {
            w.addWords(node.text.replace(/^["'`]|["'`]$/g, ''), node);
            for (const child of node.namedChildren)
              if (!/content|escape|fragment|string_(?:start|end)|heredoc_end/.test(child.type))
                w.visit(child);
          }) satisfies Rule,
        ]),
      ),
      // An anonymous class: its declarations are its members, wherever it occurs.
      object_literal: (w, node) => w.withScope('class', () => w.visitChildren(node)),
      class_body: (w, node) =>
        node.parent?.type === 'object_creation_expression'
          ? w.withScope('class', () => w.visitChildren(node))
          : w.visitChildren(node),
      simple_symbol: (w, node) => w.addWords(node.text.slice(1), node),
      ...(imports !== undefined && { [imports]: visitImport }),
    },
  };
}

const comments = ['comment', 'line_comment', 'block_comment', 'multiline_comment'];
const types = { class_declaration: 'class', interface_declaration: 'interface', enum_declaration: 'enum' };

export const java = rulesFromTable({
  defines: {
    ...types,
    record_declaration: 'class',
    annotation_type_declaration: 'interface',
    method_declaration: 'method',
    constructor_declaration: 'method',
    enum_constant: 'field',
    annotation_type_element_declaration: 'method',
  },
  calls: {
    method_invocation: { name: 'name', receiver: 'object' },
    object_creation_expression: { name: 'type' },
  },
  names: { identifier: 'read', type_identifier: 'type' },
  values: ['field_declaration', 'local_variable_declaration'],
  locals: [
    'formal_parameter',
    'spread_parameter',
    'enhanced_for_statement',
    'catch_formal_parameter',
    'resource',
  ],
  heritage: ['superclass', 'super_interfaces', 'extends_interfaces'],
  imports: 'import_declaration',
  leaves: comments,
});

export const csharp = rulesFromTable({
  defines: {
    ...types,
    struct_declaration: 'class',
    record_declaration: 'class',
    namespace_declaration: 'namespace',
    file_scoped_namespace_declaration: 'namespace',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'field',
    event_declaration: 'field',
    enum_member_declaration: 'field',
    delegate_declaration: 'type',
    local_function_statement: 'function',
  },
  calls: { invocation_expression: { name: 'function' }, object_creation_expression: { name: 'type' } },
  names: { identifier: 'read' },
  values: ['field_declaration', 'event_field_declaration'],
  locals: ['parameter', 'variable_declarator', 'foreach_statement'],
  heritage: ['base_list'],
  imports: 'using_directive',
  leaves: comments,
});

export const ruby = rulesFromTable({
  defines: { class: 'class', module: 'namespace', method: 'method', singleton_method: 'method' },
  calls: { call: { name: 'method', receiver: 'receiver' } },
  names: { identifier: 'call', constant: 'read' },
  locals: ['optional_parameter', 'keyword_parameter', 'block_parameter', 'splat_parameter'],
  heritage: ['superclass'],
  leaves: comments,
});

export const php = rulesFromTable({
  defines: {
    ...types,
    trait_declaration: 'class',
    method_declaration: 'method',
    function_definition: 'function',
    property_element: 'field',
    const_element: 'constant',
    enum_case: 'field',
  },
  calls: {
    function_call_expression: { name: 'function' },
    member_call_expression: { name: 'name', receiver: 'object' },
    nullsafe_member_call_expression: { name: 'name', receiver: 'object' },
    scoped_call_expression: { name: 'name', receiver: 'scope' },
    object_creation_expression: { name: 'name', bare: 'name' },
  },
  names: { name: 'read' },
  locals: [],
  heritage: ['base_clause', 'class_interface_clause'],
  imports: 'namespace_use_declaration',
  leaves: [...comments, 'variable_name', 'php_tag', 'text'],
});

export const kotlin = rulesFromTable({
  defines: {
    class_declaration: 'class',
    object_declaration: 'class',
    function_declaration: 'function',
    enum_entry: 'field',
    type_alias: 'type',
  },
  calls: { call_expression: { name: 'function', bare: 'function' } },
  names: { identifier: 'read' },
  values: ['property_declaration'],
  locals: ['parameter', 'variable_declaration'],
  parameters: {
    class_parameter: (node) => node.children.some((child) => /^va[lr]$/.test(child?.type ?? '')),
  },
  heritage: ['delegation_specifiers'],
  imports: 'import',
  leaves: comments,
});

export const scala = rulesFromTable({
  defines: {
    class_definition: 'class',
    object_definition: 'class',
    trait_definition: 'interface',
    enum_definition: 'enum',
    function_definition: 'function',
    function_declaration: 'function',
    type_definition: 'type',
    given_definition: 'field',
  },
  calls: { call_expression: { name: 'function' } },
  names: { identifier: 'read', type_identifier: 'type' },
  values: ['val_definition', 'var_definition', 'val_declaration', 'var_declaration'],
  locals: ['parameter'],
  parameters: {
    class_parameter: (node) => node.children.some((child) => /^va[lr]$/.test(child?.type ?? '')),
  },
  heritage: ['extends_clause'],
  imports: 'import_declaration',
  leaves: comments,
});

export const bash = rulesFromTable({
  defines: { function_definition: 'function' },
  calls: { command: { name: 'name' } },
  names: { word: 'string' },
  locals: [],
  heritage: [],
  leaves: [...comments, 'heredoc_body'],
});

import type { Node } from 'web-tree-sitter';
import { chainText, type LanguageRules, type Rule, typeText, type Walker } from './walker.ts';

const isClass = (kind: string): boolean => kind === 'class';

/** The type of x in `x = A()`: the class that is called, if the call is written out. */
function valueType(node: Node | null): string | undefined {
  if (node === null) return undefined;
  if (node.type === 'call') {
    const chain = chainText(node.childForFieldName('function'));
    return chain === '?' ? undefined : `${chain}()`;
  }
  if (node.type === 'await') return valueType(node.namedChildren[0] ?? null);
  const builtin: Readonly<Record<string, string>> = {
    list: 'list',
    list_comprehension: 'list',
    dictionary: 'dict',
    dictionary_comprehension: 'dict',
    set: 'set',
    string: 'str',
    integer: 'int',
    float: 'float',
    tuple: 'tuple',
  };
  return builtin[node.type];
}

function bindPattern(w: Walker, node: Node | null, type?: string, isWritten = false): void {
  if (node === null) return;
  if (node.type === 'identifier') {
    const kind = w.scopeKind;
    if (kind === 'module' || kind === 'class') {
      if (kind === 'class') w.addField(w.currentDefinition, node.text, type, isWritten);
      // Assigning again to a name of the module counts as a use.
      if (kind === 'module' && w.isBoundInModule(node.text)) w.use(node, 'read');
      else
        w.define({
          name: node,
          node: findStatement(node),
          kind: kind === 'class' ? 'field' : 'variable',
          type,
        });
    } else w.bindLocal(node, type, 'function');
  } else if (node.type === 'attribute') {
    const receiver = chainText(node.childForFieldName('object'));
    const name = node.childForFieldName('attribute');
    if (name !== null && /^(?:self|cls)$/.test(receiver))
      w.addField(w.enclosingClass(isClass), name.text, type, isWritten);
    w.visit(node);
  } else if (/pattern|^tuple$|^list$|as_pattern_target|parenthesized/.test(node.type))
    for (const child of node.namedChildren) bindPattern(w, child);
  else w.visit(node);
}

function findStatement(node: Node): Node {
  let at = node;
  while (at.parent !== null && /assignment|expression_statement|pattern/.test(at.parent.type)) at = at.parent;
  return at;
}

function bindParameters(w: Walker, node: Node | null, first: string | undefined): void {
  let nth = 0;
  for (const child of node?.namedChildren ?? []) {
    const named = child.childForFieldName('name');
    const name =
      child.type === 'identifier'
        ? child
        : (named ?? child.namedChildren.find(({ type }) => /identifier|splat/.test(type)));
    const plain = name !== undefined && /splat/.test(name.type) ? name.namedChildren[0] : name;
    const type = child.childForFieldName('type');
    if (plain?.type === 'identifier')
      w.bindLocal(plain, nth === 0 && type === null ? (first ?? typeText(type)) : typeText(type));
    else if (child.type === 'tuple_pattern') bindPattern(w, child);
    w.visit(type);
    w.visit(child.childForFieldName('value'));
    nth += 1;
  }
}

const functionDefinition: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  const body = node.childForFieldName('body');
  if (name === null) return w.visitChildren(node);
  const inClass = w.scopeKind === 'class';
  const owner = w.currentDefinition;
  const decorators = (node.parent?.type === 'decorated_definition' ? node.parent.namedChildren : [])
    .filter(({ type }) => type === 'decorator')
    .map(({ text }) => text.slice(1).trim());
  const plain =
    /^(?:staticmethod|classmethod|property|abstractmethod|abc\.abstractmethod|functools\.(?:wraps|lru_cache|cached_property|cache)\b.*|cached_property|override|typing\.override|overload|typing\.overload|contextmanager|contextlib\.(?:async)?contextmanager|final|\w+\.(?:setter|getter|deleter))$/s;
  const isStatic = decorators.includes('staticmethod');
  const result = node.childForFieldName('return_type');
  const index = w.define({
    name,
    node,
    body,
    kind: inClass ? 'method' : 'function',
    type: typeText(result),
    flags: [
      decorators.some((text) => !plain.test(text)) && 'decorated',
      isStatic && 'static',
      /^_[^_]/.test(name.text) ? 'private' : 'exported',
      decorators.some((text) => /property$/.test(text)) && 'object',
    ],
  });
  const doc = body?.namedChildren[0];
  if (doc?.type === 'expression_statement' && doc.namedChildren[0]?.type === 'string')
    w.amend(index, { doc: [doc.startPosition.row + 1, doc.endPosition.row + 1] });
  w.visit(result);
  w.withParent(index, () =>
    w.withScope('function', () => {
      bindParameters(w, node.childForFieldName('parameters'), inClass && !isStatic ? `@${owner}` : undefined);
      w.visit(body);
    }),
  );
};

const classDefinition: Rule = (w, node) => {
  const name = node.childForFieldName('name');
  const body = node.childForFieldName('body');
  if (name === null) return w.visitChildren(node);
  const supers = (node.childForFieldName('superclasses')?.namedChildren ?? []).filter(
    ({ type }) => type !== 'comment',
  );
  const decorated = node.parent?.type === 'decorated_definition';
  const bases = supers
    .filter(({ type }) => type !== 'keyword_argument')
    .map((base) => chainText(base.type === 'subscript' ? base.childForFieldName('value') : base));
  if (supers.some(({ type }) => type === 'keyword_argument')) bases.push('?metaclass');
  const index = w.define({
    name,
    node,
    body,
    bases,
    kind: 'class',
    flags: [
      decorated &&
        !/^@(?:dataclasses\.)?dataclass\b/.test(node.parent?.namedChildren[0]?.text ?? '') &&
        'decorated',
      'exported',
    ],
  });
  for (const base of supers) {
    if (base.type === 'identifier') w.use(base, 'base');
    else if (base.type === 'attribute') {
      const last = base.childForFieldName('attribute');
      if (last !== null) w.use(last, 'base', chainText(base.childForFieldName('object')));
      w.visit(base.childForFieldName('object'));
    } else if (base.type === 'keyword_argument') w.visit(base.childForFieldName('value'));
    else w.visit(base);
  }
  const doc = body?.namedChildren[0];
  if (doc?.type === 'expression_statement' && doc.namedChildren[0]?.type === 'string')
    w.amend(index, { doc: [doc.startPosition.row + 1, doc.endPosition.row + 1] });
  w.withParent(index, () => w.withScope('class', () => w.visit(body)));
};

const assignment: Rule = (w, node) => {
  const type = node.childForFieldName('type');
  const right = node.childForFieldName('right');
  const left = node.childForFieldName('left');
  if (left?.text === '__all__' && right !== null)
    for (const item of right.namedChildren)
      if (item.type === 'string') w.useName(item.text.replace(/^\w*['"]|['"]$/g, ''), item, 'export');
  bindPattern(w, left, typeText(type) ?? valueType(right), type !== null);
  w.visit(type);
  if (left?.text !== '__all__') w.visit(right);
};

const toDottedName = (node: Node): string => node.text.replace(/\s+/g, '');

const importStatement: Rule = (w, node) => {
  const line = node.startPosition.row + 1;
  for (const child of node.namedChildren) {
    const alias = child.childForFieldName('alias');
    const module = toDottedName(alias === null ? child : (child.childForFieldName('name') ?? child));
    const last = (alias === null ? child : (child.childForFieldName('name') ?? child)).namedChildren.at(-1);
    if (last !== undefined) w.use(last, 'import', '?');
    // `import a.b` binds a, and makes a.b known.
    w.addImport({
      local: alias?.text ?? module.split('.')[0]!,
      module: alias === null ? module.split('.')[0]! : module,
      name: '*',
      line,
    });
    if (alias === null && module.includes('.'))
      w.addImport({ local: module, module, name: '*', line }, false);
    if (alias !== null) w.use(alias, 'import');
  }
};

const importFrom: Rule = (w, node) => {
  const from = node.childForFieldName('module_name');
  const line = node.startPosition.row + 1;
  const module = from === null ? '' : toDottedName(from);
  for (const child of node.namedChildren) {
    if (child.id === from?.id) continue;
    if (child.type === 'wildcard_import') w.addImport({ local: '*', module, name: '*', line });
    else {
      const name = child.type === 'aliased_import' ? child.childForFieldName('name') : child;
      const alias = child.childForFieldName('alias');
      if (name === null || !/dotted_name|identifier/.test(name.type)) continue;
      const local = (alias ?? name).text;
      w.addImport({ local, module, name: name.text, line });
      // Recorded under its own name and under its name here.
      if (alias === null) w.use(name, 'import');
      else {
        w.useAs(name, 'import', local);
        w.use(alias, 'import');
      }
    }
  }
};

/**
 * A type written as a string, such as `dict[str, "A"]` or `A | B`, which `cast`, `TypeVar` and `TypeAlias` accept.
 */
const writtenType = /^(?=.*(?:\w\[|\|))[\w.,|'"[\]\s]{2,400}$/s;

/** Gets the role as an argument: finding the parent of a node means searching from the root. */
function visitAttribute(w: Walker, node: Node, role: 'call' | 'read'): void {
  const name = node.childForFieldName('attribute');
  const object = node.childForFieldName('object');
  if (name !== null) w.use(name, role, chainText(object));
  w.visit(object);
}

export const python: LanguageRules = {
  names: { identifier: 'read' },
  leaves: new Set([
    'comment',
    'integer',
    'float',
    'true',
    'false',
    'none',
    'pass_statement',
    'import_prefix',
    'string_start',
    'string_end',
    'escape_sequence',
  ]),
  blocks: new Set(),
  comments: new Set(['comment']),
  rules: {
    function_definition: functionDefinition,
    class_definition: classDefinition,
    assignment,
    import_statement: importStatement,
    import_from_statement: importFrom,
    future_import_statement: () => {},
    attribute: (w, node) => visitAttribute(w, node, 'read'),
    call(w, node) {
      const callee = node.childForFieldName('function');
      if (callee?.type === 'identifier') w.use(callee, 'call');
      else if (callee?.type === 'attribute') visitAttribute(w, callee, 'call');
      else w.visit(callee);
      w.visit(node.childForFieldName('arguments'));
    },
    keyword_argument: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.use(name, 'key');
      w.visit(node.childForFieldName('value'));
    },
    decorator: (w, node) => {
      const [applied] = node.namedChildren;
      if (applied?.type === 'identifier') w.use(applied, 'decorator');
      else w.visit(applied);
    },
    type: (w, node) => {
      for (const child of node.namedChildren)
        if (child.type === 'identifier') w.use(child, 'type');
        else if (child.type === 'string')
          for (const word of child.text.match(/[A-Za-z_]\w*/g) ?? []) w.useName(word, child, 'type');
        else w.visit(child);
    },
    string: (w, node) => {
      for (const child of node.namedChildren)
        if (child.type !== 'string_content') w.visit(child);
        else if (writtenType.test(child.text))
          for (const word of new Set(child.text.match(/[A-Za-z_]\w*/g))) w.useName(word, child, 'string');
        else w.addWords(child.text, child);
    },
    lambda: (w, node) =>
      w.withScope('function', () => {
        bindParameters(w, node.childForFieldName('parameters'), undefined);
        w.visit(node.childForFieldName('body'));
      }),
    for_statement: (w, node) => {
      const list = node.childForFieldName('right');
      bindPattern(
        w,
        node.childForFieldName('left'),
        list?.type === 'identifier' ? w.elementType(list.text) : undefined,
      );
      w.visitChildren(node, (child) => child.id === node.childForFieldName('left')?.id);
    },
    for_in_clause: (w, node) => {
      const left = node.childForFieldName('left');
      const list = node.childForFieldName('right');
      if (left?.type === 'identifier')
        w.bindLocal(left, list?.type === 'identifier' ? w.elementType(list.text) : undefined);
      else bindComprehension(w, left);
      w.visit(node.childForFieldName('right'));
    },
    ...Object.fromEntries(
      ['list_comprehension', 'set_comprehension', 'dictionary_comprehension', 'generator_expression'].map(
        (type) => [type, ((w, node) => w.withScope('function', () => w.visitChildren(node))) satisfies Rule],
      ),
    ),
    as_pattern: (w, node) => {
      const [value] = node.namedChildren;
      const isWith = node.parent?.type === 'with_item';
      bindPattern(w, node.childForFieldName('alias'), isWith ? valueType(value ?? null) : undefined);
      const [target] = node.childForFieldName('alias')?.namedChildren ?? [];
      // `with X as name`: the name has the type of X.
      if (isWith && target?.type === 'identifier' && w.scopeKind === 'function')
        w.bindLocal(target, valueType(value ?? null), 'function');
      w.visit(value);
    },
    named_expression: (w, node) => {
      const name = node.childForFieldName('name');
      if (name !== null) w.bindLocal(name, valueType(node.childForFieldName('value')), 'function');
      w.visit(node.childForFieldName('value'));
    },
    global_statement: (w, node) => {
      for (const name of node.namedChildren) w.declareOuter(name.text);
    },
    delete_statement: (w, node) => w.visitChildren(node),
  },
};

function bindComprehension(w: Walker, node: Node | null): void {
  if (node === null) return;
  if (node.type === 'identifier') w.bindLocal(node);
  else for (const child of node.namedChildren) bindComprehension(w, child);
}

/**
 * Walks a syntax tree once, and records what the rules of a language find: definitions, uses of names, and their
 * bindings.
 */
import type { Node } from 'web-tree-sitter';
import type { LanguageName } from '../syntax/languages.ts';
import type { OneBranch } from './branches.ts';
import {
  type Binding,
  type Definition,
  type Export,
  type Field,
  type FileFacts,
  type Flag,
  findEnclosingDefinition,
  type Import,
  packUses,
  type Role,
} from './facts.ts';

/** `inline`: a module inside a file, which sees only those outer names that it imports. */
export type ScopeKind = 'module' | 'inline' | 'class' | 'function' | 'block';

/** The name that marks an inline module which imports everything around it. */
export const outerStarImport = 'super::*';

interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  readonly names: Map<string, Binding>;
  /** Names declared `global` and the like: assignments here belong to the module. */
  readonly outer: Set<string>;
  /** For each name, how many nodes had been visited when it was bound. */
  readonly since: Map<string, number>;
}

interface PendingUse {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly role: Role;
  readonly receiver: string | null;
  /**
   * The name to look up: the first identifier of the receiver, or without a receiver the name itself, as it is called
   * here. Null if the receiver begins with something else.
   */
  readonly root: string | null;
  readonly scope: Scope;
  readonly within: number;
  readonly order: number;
}

export type Rule = (walker: Walker, node: Node) => void;

export interface LanguageRules {
  readonly rules: Readonly<Record<string, Rule>>;
  /** Node types that are names, with the role of each unless a rule says otherwise. */
  readonly names: Readonly<Record<string, Role>>;
  /** Node types that contain no code. */
  readonly leaves: ReadonlySet<string>;
  /** Node types that only open a scope. */
  readonly blocks: ReadonlySet<string>;
  readonly comments: ReadonlySet<string>;
  /** True if methods can name the members of their class without a receiver. */
  readonly ownMembers?: true;
  /** True if a local variable hides outer names only from its declaration on. */
  readonly sequential?: true;
}

interface DefinitionFields {
  readonly name: Node;
  /** The node of the whole definition; decorators may begin before it. */
  readonly node: Node;
  readonly kind: string;
  readonly flags?: readonly (Flag | false | undefined)[];
  readonly owner?: string | undefined;
  readonly bases?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly body?: Node | null | undefined;
  /** True if it can only be named through its parent, so that its bare name is not bound. */
  readonly unbound?: boolean;
  /** The name, if it differs from the text of the node. */
  readonly givenName?: string;
}

const maxDepth = 1_500;
const maxErrors = 100;
const maxSignatureLength = 200;
const maxReceiverLength = 120;
const maxTypeLength = 160;

/** Thrown to end a walk; caught where the walk was started. */
export class WalkEnded extends Error {}

export class Walker {
  readonly #rules: LanguageRules;
  readonly #languageName: LanguageName;
  readonly #lines: readonly string[];
  readonly #isOver: () => boolean;
  readonly #definitions: Definition[] = [];
  readonly #uses: PendingUse[] = [];
  readonly #imports: Import[] = [];
  readonly #exports: Export[] = [];
  readonly #fields: Field[] = [];
  readonly #errors: number[] = [];
  readonly #moduleScope: Scope = {
    kind: 'module',
    parent: null,
    names: new Map(),
    outer: new Set(),
    since: new Map(),
  };
  #scope: Scope = this.#moduleScope;
  #enclosing = -1;
  #depth = 0;
  #visitedCount = 0;
  package = '';

  constructor(language: LanguageRules, name: LanguageName, text: string, isOver: () => boolean) {
    this.#rules = language;
    this.#languageName = name;
    this.#lines = text.split('\n');
    this.#isOver = isOver;
  }

  visit(node: Node | null | undefined): void {
    if (node === null || node === undefined) return;
    this.#visitedCount += 1;
    if (this.#visitedCount % 512 === 0 && this.#isOver()) throw new WalkEnded('its time was over');
    const { type } = node;
    const { rules, names, leaves, blocks } = this.#rules;
    if (leaves.has(type)) return;
    const role = names[type];
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new WalkEnded('it is nested too deeply');
    const rule = rules[type];
    if (rule !== undefined) rule(this, node);
    else if (role !== undefined) this.use(node, role);
    else if (blocks.has(type)) this.withScope('block', () => this.visitChildren(node));
    else this.visitChildren(node);
    this.#depth -= 1;
  }

  visitChildren(node: Node, isSkipped?: (child: Node) => boolean): void {
    for (const child of node.namedChildren) if (isSkipped?.(child) !== true) this.visit(child);
  }

  /** Runs `work` in a new scope. */
  withScope(kind: ScopeKind, work: () => void): void {
    const outerScope = this.#scope;
    this.#scope = { kind, parent: outerScope, names: new Map(), outer: new Set(), since: new Map() };
    work();
    this.#scope = outerScope;
  }

  /** Makes a definition the parent of everything visited during `work`. */
  withParent(index: number, work: () => void): void {
    const outerDefinition = this.#enclosing;
    if (index >= 0) this.#enclosing = index;
    work();
    this.#enclosing = outerDefinition;
  }

  get scopeKind(): ScopeKind {
    return this.#scope.kind;
  }

  /** Whether a declaration here is a local variable of a function. False in a class body, even inside a function. */
  get isInFunction(): boolean {
    let at: Scope | null = this.#scope;
    while (at?.kind === 'block') at = at.parent;
    return at?.kind === 'function';
  }

  /** Index of the definition that encloses the current node; -1: none. */
  get currentDefinition(): number {
    return this.#enclosing;
  }

  definitionAt(index: number): Definition | undefined {
    return this.#definitions[index];
  }

  /** The nearest enclosing definition whose kind has members. */
  enclosingClass(isClass: (kind: string) => boolean): number {
    let at = this.#enclosing;
    while (at >= 0 && !isClass(this.#definitions[at]!.kind)) at = this.#definitions[at]!.parent;
    return at;
  }

  define({
    name,
    node,
    kind,
    flags = [],
    owner,
    bases,
    type: writtenType,
    body,
    unbound,
    givenName,
  }: DefinitionFields): number {
    const type = this.#anchor(writtenType);
    const wholeNode = this.#wholeOf(node);
    const row = name.startPosition.row;
    const bodyRow = body === null || body === undefined ? node.endPosition.row : body.startPosition.row;
    const start = wholeNode.startPosition.row + 1;
    const isLocal = this.#isLocal();
    // If the body begins on a line of its own, the signature ends on the line above.
    const isBodyOnOwnLine =
      bodyRow > row && /^[\s{]*$/.test(this.#lines[bodyRow]!.slice(0, (body ?? node).startPosition.column));
    const header = Math.max(row + 1, isBodyOnOwnLine ? bodyRow : bodyRow + 1);
    const doc = this.#commentAbove(start) ?? undefined;
    const definedName = givenName ?? name.text;
    const index =
      this.#definitions.push({
        name: definedName.length > 200 ? definedName.slice(0, 200) : definedName,
        kind,
        line: row + 1,
        column: name.startPosition.column,
        start,
        end: endRow(node) + 1,
        header: Math.min(header, endRow(node) + 1),
        signature: this.#signature(node, name, body),
        parent: this.#enclosing,
        flags: [
          ...flags.filter((flag) => flag !== false && flag !== undefined),
          ...(isLocal ? ['local' as const] : []),
        ],
        ...(owner !== undefined && { owner }),
        ...(bases !== undefined && bases.length > 0 && { bases }),
        ...(type !== undefined && { type }),
        ...(doc !== undefined && { doc }),
      }) - 1;
    if (unbound !== true) this.bind(definedName, { kind: 'definition', index });
    return index;
  }

  /** The number of definitions so far. */
  get definitionCount(): number {
    return this.#definitions.length;
  }

  amend(index: number, changes: Partial<Definition>): void {
    this.#definitions[index] = { ...this.#definitions[index]!, ...changes };
  }

  bind(name: string, binding: Binding, scope: 'nearest' | 'function' = 'nearest'): void {
    let targetScope = this.#scope;
    if (scope === 'function')
      while (targetScope.kind === 'block' && targetScope.parent !== null) targetScope = targetScope.parent;
    for (let up: Scope | null = targetScope; up !== null; up = up.parent) if (up.outer.has(name)) return;
    const boundBefore = targetScope.names.get(name);
    if (boundBefore === undefined) targetScope.since.set(name, this.#visitedCount);
    // A name with several types has no known type; a function stays a function.
    if (boundBefore?.kind === 'local' && binding.kind === 'local' && boundBefore.type !== binding.type)
      targetScope.names.set(name, { kind: 'local' });
    else if (boundBefore === undefined || binding.kind !== 'local') targetScope.names.set(name, binding);
  }

  bindLocal(node: Node, writtenType?: string, scope: 'nearest' | 'function' = 'nearest'): void {
    const type = this.#anchor(writtenType);
    this.bind(node.text, { kind: 'local', ...(type !== undefined && { type }) }, scope);
  }

  /**
   * `a.f()`, where the type of `a` is known only within this function, is written with that type: `{A}.f()`.
   * Undefined if the type is not known.
   */
  #anchor(writtenType: string | undefined): string | undefined {
    const [, firstName, rest = ''] =
      /^=?([\p{L}_$][\p{L}\p{N}_$]*)((?:\(\))?(?:\.[\p{L}_$#][\p{L}\p{N}_$#]*(?:\(\))?)*)$/u.exec(
        writtenType ?? '',
      ) ?? [];
    if (firstName === undefined || !(writtenType!.startsWith('=') || rest.includes('()'))) return writtenType;
    if (firstName === 'this' || firstName === 'self') {
      const classIndex = this.enclosingClass((kind) => kind === 'class');
      return classIndex < 0 || rest === '' ? writtenType : `{@${classIndex}}${rest}`;
    }
    if (/^(?:cls|super|Self)$/.test(firstName)) return writtenType;
    for (let scope: Scope | null = this.#scope; scope !== null; scope = scope.parent) {
      const found = scope.names.get(firstName);
      if (found === undefined) continue;
      const definition = found.kind === 'definition' ? this.#definitions[found.index] : undefined;
      if (found.kind === 'import' || (definition !== undefined && !definition.flags.includes('local')))
        return writtenType;
      const isCalled = rest.startsWith('()');
      const type =
        found.kind === 'local'
          ? isCalled
            ? undefined
            : found.type
          : isCalled
            ? definition?.type
            : undefined;
      const steps = isCalled ? rest.slice(2) : rest;
      return type === undefined || type.length > 200 ? undefined : steps === '' ? type : `{${type}}${steps}`;
    }
    return writtenType;
  }

  /** The element type of a list, if it is written: `xs` in `for (const x of xs)`. */
  elementType(name: string): string | undefined {
    for (let scope: Scope | null = this.#scope; scope !== null; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found === undefined) continue;
      const type =
        found.kind === 'local'
          ? found.type
          : found.kind === 'definition'
            ? this.#definitions[found.index]?.type
            : undefined;
      return type === undefined ? undefined : elementTypeOf(type);
    }
    return undefined;
  }

  /** From here on, assignments to this name belong to the module. */
  declareOuter(name: string): void {
    this.#scope.outer.add(name);
    this.#scope.names.delete(name);
  }

  isBoundInModule(name: string): boolean {
    return this.#moduleScope.names.has(name);
  }

  use(node: Node, role: Role, receiver?: string | null): void {
    this.useName(node.text, node, role, receiver);
  }

  useName(name: string, at: Node, role: Role, receiver: string | null = null): void {
    const { row, column } = at.startPosition;
    this.useAt(name, row + 1, column, role, receiver);
  }

  /** Records a use of a name that is imported under another name: `a` of `import { a as b }`. */
  useAs(node: Node, role: Role, local: string): void {
    const { row, column } = node.startPosition;
    this.useAt(node.text, row + 1, column, role, null, local);
  }

  useAt(
    name: string,
    line: number,
    column: number,
    role: Role,
    receiver: string | null = null,
    local = name,
  ): void {
    const root =
      receiver === null ? local : (/^(?:new )?([\p{L}_$@#][\p{L}\p{N}_$]*)/u.exec(receiver)?.[1] ?? null);
    this.#uses.push({
      name,
      line,
      column,
      role,
      receiver,
      root,
      scope: this.#scope,
      within: this.#enclosing,
      order: this.#visitedCount,
    });
  }

  addImport(importFact: Import, isBound = true): void {
    const index = this.#imports.push(importFact) - 1;
    if (isBound && importFact.local !== '*') this.bind(importFact.local, { kind: 'import', index });
  }

  addExport(exportFact: Export): void {
    this.#exports.push(exportFact);
  }

  addField(owner: number, name: string, type: string | undefined, isWritten = false): void {
    const anchoredType = this.#anchor(type);
    if (owner >= 0 && anchoredType !== undefined)
      this.#fields.push({ owner, name, type: anchoredType, ...(isWritten && { written: true }) });
  }

  /** Records the words of a string that may be a path to a name rather than a sentence. */
  addWords(text: string, at: Node): void {
    if (!/^[\w$.:/#@\-[\]{}|%]{2,160}$/.test(text)) return;
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])) this.useName(word, at, 'string');
  }

  /** Records the names in code that the grammar gives as plain text, and the words of its strings as such. */
  addMacroWords(text: string, at: Node, isOpen = false): void {
    const code = text.slice(0, 20_000);
    const quotedRanges = [...code.matchAll(literalPattern)].map(
      ({ 0: { length }, index }) => [index, index + length] as const,
    );
    let { row, column } = at.startPosition;
    let lineStart = 0;
    let nextRange = 0;
    for (const line of code.split('\n')) {
      // In Rust, `$name` stands for an argument of the macro.
      for (const match of line.matchAll(/(?<!\$)\b[A-Za-z_]\w*/g)) {
        const index = lineStart + match.index;
        while (nextRange < quotedRanges.length && quotedRanges[nextRange]![1] <= index) nextRange += 1;
        const isQuoted =
          nextRange < quotedRanges.length &&
          quotedRanges[nextRange]![0] <= index &&
          !/\{\s*$/.test(line.slice(0, match.index));
        const receiver = isQuoted ? null : readReceiverBefore(line, match.index);
        const isAlone =
          receiver === null && !/^\s*(?:[({.!<]|::)/.test(line.slice(match.index + match[0].length));
        const role = isQuoted ? 'string' : isOpen && isAlone ? 'word' : 'macro';
        this.useAt(match[0], row + 1, column + match.index, role, receiver);
      }
      lineStart += line.length + 1;
      row += 1;
      column = 0;
    }
  }

  /** Records the lines that the grammar could not parse. Applies no language rules. */
  #findErrors(node: Node): void {
    if (!node.hasError || this.#errors.length >= maxErrors) return;
    this.#visitedCount += 1;
    if (this.#visitedCount % 512 === 0 && this.#isOver()) throw new WalkEnded('its time was over');
    if (node.isError || node.isMissing) {
      this.#errors.push(node.startPosition.row + 1);
      return;
    }
    for (const child of node.children) if (child !== null) this.#findErrors(child);
  }

  /** `dropped`: lines that were not parsed. Their words may refer to anything. */
  walk(root: Node, dropped: OneBranch['dropped'] = []): FileFacts {
    this.visit(root);
    for (const { line, text } of dropped) {
      this.#enclosing = findEnclosingDefinition({ definitions: this.#definitions }, line);
      for (const { 0: word, index } of text.matchAll(/[A-Za-z_]\w*/g)) this.useAt(word, line, index, 'word');
    }
    this.#findErrors(root);
    const uses = this.#uses.map(
      ({ name, line, column, role, receiver, root: rootName, scope, within, order }) => ({
        name,
        line,
        column,
        role,
        receiver,
        within,
        binding:
          rootName === null || role === 'string' || role === 'key'
            ? null
            : this.#lookUp(rootName, scope, order),
      }),
    );
    return {
      language: this.#languageName,
      errors: this.#errors,
      package: this.package,
      definitions: this.#definitions,
      imports: this.#imports,
      exports: this.#exports,
      fields: this.#fields,
      uses: packUses(uses),
    };
  }

  #lookUp(name: string, from: Scope, order: number): Binding | null {
    let isInnermost = true;
    for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
      if (scope.kind === 'class' && !isInnermost && this.#rules.ownMembers !== true) continue;
      const found = scope.outer.has(name) ? this.#moduleScope.names.get(name) : scope.names.get(name);
      const isLater =
        found?.kind === 'local' && this.#rules.sequential === true && (scope.since.get(name) ?? 0) > order;
      if (found !== undefined && !isLater) return found;
      if (scope.outer.has(name)) return null;
      if (scope.kind === 'inline' && !scope.names.has(outerStarImport)) return null;
      if (scope.kind !== 'block') isInnermost = false;
    }
    return null;
  }

  #isLocal(): boolean {
    for (let scope: Scope | null = this.#scope; scope !== null; scope = scope.parent)
      if (scope.kind === 'function') return true;
    return false;
  }

  #wholeOf(node: Node): Node {
    const { parent } = node;
    return parent !== null &&
      /^(?:decorated_definition|export_statement|ambient_declaration)$/.test(parent.type)
      ? this.#wholeOf(parent)
      : node;
  }

  #signature(node: Node, name: Node, body: Node | null | undefined): string {
    const signatureStart = node.startIndex;
    const nodeAfterName = node.namedChildren.find(
      ({ type, startIndex }) => startIndex >= name.endIndex && /comment$|(?:^|_)body$/.test(type),
    );
    const signatureEnd = Math.min(
      body?.startIndex ?? node.endIndex,
      nodeAfterName?.startIndex ?? node.endIndex,
    );
    const text = node.text.slice(0, Math.max(0, Math.min(signatureEnd - signatureStart, 2_000)));
    const line = text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/(?:=>|[{=:])$/, '')
      .trim();
    return line.length > maxSignatureLength ? `${line.slice(0, maxSignatureLength - 1)}…` : line;
  }

  #commentAbove(start: number): readonly [number, number] | null {
    let firstLine = start;
    const isComment = (line: string) =>
      /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma))|--)/.test(line);
    while (firstLine > 1 && start - firstLine < 60 && isComment(this.#lines[firstLine - 2]!)) firstLine -= 1;
    return firstLine === start ? null : [firstLine, start - 1];
  }
}

const listTypes =
  /^(?:readonly\s+|&\s*(?:mut\s+)?)?(?:Array|ReadonlyArray|Set|ReadonlySet|Iterable|AsyncIterable|list|List|Sequence|set|Iterator|frozenset|deque|Collection|Vec|typing\.\w+)[<[]\s*([^<>[\],]+)[>\]]$/;

/** A character or a string, of C and Rust. */
const literalPattern = /'(?:\\.|[^'\\\n])'|"(?:[^"\\]|\\[\s\S])*"/g;

function elementTypeOf(type: string): string | undefined {
  const definedType = type.replace(/\s*\|\s*(?:undefined|null|None)$/, '').trim();
  return (/^(?:readonly\s+)?([\w.$]+)\[\]$/.exec(definedType) ??
    /^&?\[\]?\s*(\*?[\w.]+)\]?$/.exec(definedType) ??
    listTypes.exec(definedType))?.[1]?.trim();
}

/** If a node includes its line break, it ends on the line before. */
function endRow({ endPosition, startPosition }: Node): number {
  return endPosition.column === 0 && endPosition.row > startPosition.row
    ? endPosition.row - 1
    : endPosition.row;
}

/** Most receivers already have this form. */
const plainChain = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** `a.b.c` as one text without white space; `?` if it contains more than names, calls and dots. */
export function chainText(node: Node | null): string {
  if (node === null || node.endIndex - node.startIndex > maxReceiverLength) return '?';
  const nodeText = node.text;
  if (plainChain.test(nodeText)) return nodeText;
  const text = nodeText
    .replace(/\bawait\s+/g, '')
    // A space between two words stays: `(a or b).c` is not a chain of names.
    .replace(/(?<![\p{L}\p{N}_$])\s+|\s+(?![\p{L}\p{N}_$])/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/\?\./g, '.')
    .replace(/->|::/g, '.')
    .replace(/!(?=\.|$)/g, '')
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^[*&]+/, '');
  const [, type] = / as (\p{Lu}[\p{L}\p{N}_$]*)$/u.exec(text) ?? [];
  if (type !== undefined) return `new ${type}`;
  // The arguments of a call don't affect the type of its result.
  const withoutArguments = text.replace(/\([^()]*\)/g, '()');
  return /^(?:new )?[\p{L}_$#][\p{L}\p{N}_$#]*(?:\(\))?(?:\.[\p{L}_$#][\p{L}\p{N}_$#]*(?:\(\))?)*$/u.test(
    withoutArguments,
  )
    ? withoutArguments
    : '?';
}

/** The receiver before a name in plain text: `a.b` of `a.b.name` and of `a::b->name`; null if no dot precedes it. */
function readReceiverBefore(line: string, at: number): string | null {
  const textBefore = line.slice(Math.max(0, at - maxReceiverLength), at);
  if (!/(?:(?:^|[^.])\.|::|->)\s*$/.test(textBefore)) return null;
  const chain = /(?<![\w$.)\]>:])[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*(?=(?:\.|::|->)\s*$)/.exec(
    textBefore,
  );
  return chain?.[0].replace(/::|->/g, '.') ?? '?';
}

/** A type as written, on one line. */
export function typeText(node: Node | null | undefined): string | undefined {
  if (node === null || node === undefined || node.endIndex - node.startIndex > maxTypeLength)
    return undefined;
  const text = node.text.replace(/^:\s*/, '').replace(/\s+/g, ' ').trim();
  const name = text.replace(/^["']|["']$/g, '').replace(/\s*\|\s*(?:None|null|undefined)\b/g, '');
  if (uninformativeTypes.test(name)) return undefined;
  const typeBound = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? findTypeBound(node, name) : undefined;
  return (typeBound === undefined ? text : typeBound.replace(/^(?:any|comparable)$/, '')) || undefined;
}

/** Types that say nothing about a value. */
const uninformativeTypes = /^(?:unknown|never|any|Any|typing\.Any|object)$/;

/**
 * The bound of a type parameter; empty if it may be any type; undefined if the name is no type parameter. Rust has
 * its own rules.
 */
function findTypeBound(node: Node, name: string): string | undefined {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type.endsWith('_item')) return undefined;
    for (const parameter of at.childForFieldName('type_parameters')?.namedChildren ?? []) {
      const [, names = '', typeBound = ''] =
        /^(?:(?:const|in|out)\s+)*([\p{L}\p{N}_$]+(?:\s*,\s*[\p{L}\p{N}_$]+)*)\s*(?:\bextends\b|:)?\s*([^=]*)/su.exec(
          parameter.text,
        ) ?? [];
      if (names.split(/\s*,\s*/).includes(name)) return typeBound.trim();
    }
  }
  return undefined;
}

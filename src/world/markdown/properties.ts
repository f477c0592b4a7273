/** Changes the lines of some properties; all other lines stay as they are. */
import type { Node, Pair } from 'yaml';
import { canonicalJson } from '../../core/index.ts';
import { findYaml, parseFrontMatter } from './front-matter.ts';
import type { FrontMatter } from './markdown.ts';
import { loadYaml } from './yaml-library.ts';

type Newline = '\n' | '\r\n';

interface PropertyLines {
  readonly name: string;
  /** The range in the YAML, from the beginning of its first line to the end of its last line. */
  readonly start: number;
  readonly end: number;
}

export function changeProperties(
  frontMatter: FrontMatter,
  set: Readonly<Record<string, unknown>>,
  newline: Newline,
): FrontMatter {
  if (frontMatter.problem !== null) return frontMatter;
  const changes = Object.entries(set).filter(
    ([name, value]) => value !== null || Object.hasOwn(frontMatter.properties, name),
  );
  if (changes.length === 0) return frontMatter;
  const yamlRange = frontMatter.raw === '' ? null : findYaml(frontMatter.raw);
  const yaml = yamlRange === null ? '' : frontMatter.raw.slice(yamlRange.start, yamlRange.end);
  const expected = canonicalJson(applyChanges(frontMatter, changes));
  for (const write of [changeYaml, rewriteProperties, rewriteAll]) {
    const changedYaml = write(yaml, new Map(changes), newline, frontMatter);
    const changedFrontMatter = parseFrontMatter(
      changedYaml === ''
        ? ''
        : yamlRange === null
          ? `---${newline}${changedYaml}---${newline}`
          : frontMatter.raw.slice(0, yamlRange.start) + changedYaml + frontMatter.raw.slice(yamlRange.end),
    );
    // An edit by lines can go wrong, since YAML has aliases: it is used only if it gives the expected properties.
    if (changedFrontMatter.problem === null && canonicalJson(changedFrontMatter.properties) === expected)
      return changedFrontMatter;
  }
  return Object.freeze({ ...frontMatter, problem: 'the properties cannot be written as YAML' });
}

function applyChanges(
  frontMatter: FrontMatter,
  changes: readonly (readonly [string, unknown])[],
): Readonly<Record<string, unknown>> {
  const unchanged = Object.entries(frontMatter.properties).filter(
    ([name]) => !changes.some(([changedName]) => changedName === name),
  );
  return Object.fromEntries([...unchanged, ...changes.filter(([, value]) => value !== null)]);
}

function changeYaml(yaml: string, set: Map<string, unknown>, newline: Newline): string {
  const propertyLines = findPropertyLines(yaml);
  if (propertyLines === null) return rewriteProperties(yaml, set, newline);
  let changed = '';
  let from = 0;
  for (const { name, start, end } of propertyLines) {
    changed += yaml.slice(from, start);
    if (set.has(name)) changed += writeProperty(name, set.get(name), newline);
    else changed += yaml.slice(start, end);
    set.delete(name);
    from = end;
  }
  changed += yaml.slice(from);
  if (changed !== '' && set.size > 0 && !/[\r\n]$/.test(changed)) changed += newline;
  for (const [name, value] of set) changed += writeProperty(name, value, newline);
  return changed;
}

function writeProperty(name: string, value: unknown, newline: Newline): string {
  if (value === null) return '';
  return loadYaml()
    .stringify({ [name]: value }, { lineWidth: 0 })
    .replaceAll('\n', newline);
}

/** The range of each property; null if properties share lines, as in `{a: 1, b: 2}`. */
function findPropertyLines(yaml: string): readonly PropertyLines[] | null {
  const { isMap, isScalar, parseDocument } = loadYaml();
  const map = parseDocument(yaml, { logLevel: 'silent' }).contents;
  if (map === null) return [];
  if (!isMap(map) || map.flow === true) return null;
  const lineStart = (offset: number): number =>
    Math.max(yaml.lastIndexOf('\n', offset - 1), yaml.lastIndexOf('\r', offset - 1)) + 1;
  const propertyLines: PropertyLines[] = [];
  for (const { key, value } of map.items as readonly Pair<Node, Node | null>[]) {
    if (!isScalar(key) || !key.range) return null;
    const start = lineStart(key.range[0]);
    if (yaml.slice(start, key.range[0]).trim() !== '') return null;
    const last = value?.range?.[1] ?? key.range[1];
    propertyLines.push({ name: String(key.value), start, end: findNextLine(yaml, last) });
  }
  return propertyLines.every((place, index) => place.start >= (propertyLines[index - 1]?.end ?? 0))
    ? propertyLines
    : null;
}

/** The beginning of the line after a value. The range of a list or a multi-line text already ends there. */
function findNextLine(yaml: string, offset: number): number {
  if (offset > 0 && /[\r\n]/.test(yaml[offset - 1]!)) return offset;
  const end = /\r\n|\n|\r/g;
  end.lastIndex = offset;
  return end.exec(yaml) === null ? yaml.length : end.lastIndex;
}

function rewriteProperties(yaml: string, set: Map<string, unknown>, newline: Newline): string {
  const { isMap, parseDocument } = loadYaml();
  const document = parseDocument(yaml, { logLevel: 'silent' });
  for (const [name, value] of set) {
    if (value === null) document.delete(name);
    else document.set(name, value);
  }
  if (isMap(document.contents) && document.contents.items.length === 0) return '';
  return document.toString({ lineWidth: 0 }).replaceAll('\n', newline);
}

/** The last fallback: writes all properties again, without comments. */
function rewriteAll(_yaml: string, set: Map<string, unknown>, newline: Newline, before: FrontMatter): string {
  const properties = applyChanges(before, [...set]);
  if (Object.keys(properties).length === 0) return '';
  return loadYaml().stringify(properties, { lineWidth: 0 }).replaceAll('\n', newline);
}

/** Invalid front matter, and properties whose values have different types on different pages. */
import { plainLine } from '../../../../core/index.ts';
import { groupAlike } from '../names.ts';
import { frontLine, type PageFacts } from '../survey.ts';
import {
  count,
  type Draft,
  type Finder,
  groupBy,
  listImportedPages,
  maxEvidence,
  noRepair,
  quoteEvidence,
  tagEvidence,
} from './draft.ts';

export const unreadFrontMatter: Finder = (survey) =>
  listImportedPages(survey).flatMap((page): readonly Draft[] => {
    const line = page.front.split(/\r?\n/).find((each) => /^\s*[\w"'-]+\s*:/.test(each));
    if (line === undefined || Object.keys(page.properties).length > 0) return [];
    return [
      {
        kind: 'front_matter_unread',
        statement: plainLine(
          `The front matter of ${page.path} is no YAML, so none of its properties is known`,
        ),
        pages: 1,
        evidence: [quoteEvidence(page, null, line.trim().slice(0, 160))],
        ...noRepair,
      },
    ];
  });

type ValueKind = 'list' | 'number' | 'yes or no' | 'date' | 'time' | 'text' | 'group';

/** Null: the property is empty, which is allowed for any type. */
function kindOf(value: unknown): ValueKind | null {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'yes or no';
  if (typeof value !== 'string') return 'group';
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'date';
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value) ? 'time' : 'text';
}

/** With fewer pages, no type counts as usual. */
const minPages = 5;
const minShare = 0.8;

/** A text property may also hold a number or a date, but no list or group. */
const fitsText: ReadonlySet<ValueKind> = new Set(['text', 'number', 'yes or no', 'date', 'time']);

interface Use {
  readonly page: PageFacts;
  readonly name: string;
  readonly kind: ValueKind;
}

export const propertyKinds: Finder = (survey) => {
  const uses = listImportedPages(survey).flatMap((page) =>
    Object.entries(page.properties).flatMap(([name, value]): readonly Use[] => {
      const kind = kindOf(value);
      return kind === null ? [] : [{ page, name, kind }];
    }),
  );
  return [...groupBy(uses, ({ name }) => name)].flatMap(([name, all]) => {
    const kinds = [...groupBy(all, ({ kind }) => kind)].sort((a, b) => b[1].length - a[1].length);
    const [usual, max] = kinds[0]!;
    if (all.length < minPages || max.length / all.length < minShare) return [];
    return kinds.slice(1).flatMap(([kind, found]): readonly Draft[] => {
      if (usual === 'text' && fitsText.has(kind as ValueKind)) return [];
      const evidence = found.flatMap(({ page }) => lineEvidence(page, name)).slice(0, maxEvidence);
      if (evidence.length === 0) return [];
      return [
        {
          kind: 'property_kind',
          statement: plainLine(
            `The property ${name} is a ${usual} on ${count(max.length, 'page')}, and a ${kind} on ${found.length}: ` +
              found
                .slice(0, maxEvidence)
                .map(({ page }) => page.path)
                .join(', '),
          ),
          pages: found.length,
          evidence,
          ...noRepair,
        },
      ];
    });
  });
};

function lineEvidence(page: PageFacts, name: string) {
  const line = frontLine(page.front, name);
  return line === null ? [] : [quoteEvidence(page, null, line)];
}

export const propertyNames: Finder = (survey) => {
  const pages = listImportedPages(survey);
  const uses = groupBy(
    pages.flatMap((page) => Object.keys(page.properties).map((name) => ({ page, name }))),
    ({ name }) => name,
  );
  return groupAlike(uses.keys()).flatMap((group): readonly Draft[] => {
    const named = group
      .map((name) => ({ name, on: uses.get(name)! }))
      .sort((a, b) => b.on.length - a.on.length);
    const evidence = named.flatMap(({ name, on }) => lineEvidence(on[0]!.page, name)).slice(0, maxEvidence);
    if (evidence.length < 2) return [];
    return [
      {
        kind: 'property_names',
        statement: plainLine(
          `One property under several names: ${named.map(({ name, on }) => `${name} on ${count(on.length, 'page')}`).join(', ')}`,
        ),
        pages: named.slice(1).reduce((sum, { on }) => sum + on.length, 0),
        evidence,
        ...noRepair,
      },
    ];
  });
};

export const similarTags: Finder = (survey) => {
  const uses = groupBy(
    listImportedPages(survey).flatMap((page) => page.tags.map((tag) => ({ page, tag }))),
    ({ tag }) => tag,
  );
  return groupAlike(uses.keys())
    .map((group): Draft => {
      const tags = group
        .map((tag) => ({ tag, on: uses.get(tag)! }))
        .sort((a, b) => b.on.length - a.on.length);
      const [usual, ...others] = tags as [(typeof tags)[number], ...typeof tags];
      const repaired = others.flatMap(({ on }) => on).filter(({ page }) => !page.tags.includes(usual.tag));
      return {
        kind: 'similar_tags',
        statement: plainLine(
          `Tags that read the same: ${tags.map(({ tag, on }) => `#${tag} on ${count(on.length, 'page')}`).join(', ')}`,
        ),
        pages: others.reduce((sum, { on }) => sum + on.length, 0),
        evidence: tags.map(({ tag, on }) => tagEvidence(on[0]!.page, tag)).slice(0, maxEvidence),
        likely: usual.tag,
        certain: usual.on.length > others[0]!.on.length,
        repairs: repaired.map(({ page }) => ({ kind: 'add_tag', page: page.id, tag: usual.tag })),
      };
    })
    .sort((a, b) => b.pages - a.pages);
};

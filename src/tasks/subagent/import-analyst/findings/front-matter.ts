/** Invalid front matter, and properties whose values have different types on different pages. */
import { plainLine } from '../../../../core/index.ts';
import { groupAlike } from '../names.ts';
import { frontLine, type PageFacts } from '../survey.ts';
import {
  countText,
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
/** A type is usual if at least this share of the pages has it. 0 to 1. */
const minUsualShare = 0.8;

/** A text property may also hold a number or a date, but no list or group. */
const kindsAllowedInText: ReadonlySet<ValueKind> = new Set(['text', 'number', 'yes or no', 'date', 'time']);

interface PropertyUse {
  readonly page: PageFacts;
  readonly name: string;
  readonly kind: ValueKind;
}

export const propertyKinds: Finder = (survey) => {
  const uses = listImportedPages(survey).flatMap((page) =>
    Object.entries(page.properties).flatMap(([name, value]): readonly PropertyUse[] => {
      const kind = kindOf(value);
      return kind === null ? [] : [{ page, name, kind }];
    }),
  );
  return [...groupBy(uses, ({ name }) => name)].flatMap(([name, usesOfName]) => {
    const kinds = [...groupBy(usesOfName, ({ kind }) => kind)].sort((a, b) => b[1].length - a[1].length);
    const [usualKind, usualUses] = kinds[0]!;
    if (usesOfName.length < minPages || usualUses.length / usesOfName.length < minUsualShare) return [];
    return kinds.slice(1).flatMap(([kind, unusualUses]): readonly Draft[] => {
      if (usualKind === 'text' && kindsAllowedInText.has(kind as ValueKind)) return [];
      const evidence = unusualUses.flatMap(({ page }) => lineEvidence(page, name)).slice(0, maxEvidence);
      if (evidence.length === 0) return [];
      return [
        {
          kind: 'property_kind',
          statement: plainLine(
            `The property ${name} is a ${usualKind} on ${countText(usualUses.length, 'page')}, and a ${kind} on ${unusualUses.length}: ` +
              unusualUses
                .slice(0, maxEvidence)
                .map(({ page }) => page.path)
                .join(', '),
          ),
          pages: unusualUses.length,
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
    const namesByUse = group
      .map((name) => ({ name, on: uses.get(name)! }))
      .sort((a, b) => b.on.length - a.on.length);
    const evidence = namesByUse
      .flatMap(({ name, on }) => lineEvidence(on[0]!.page, name))
      .slice(0, maxEvidence);
    if (evidence.length < 2) return [];
    return [
      {
        kind: 'property_names',
        statement: plainLine(
          `One property under several names: ${namesByUse.map(({ name, on }) => `${name} on ${countText(on.length, 'page')}`).join(', ')}`,
        ),
        pages: namesByUse.slice(1).reduce((sum, { on }) => sum + on.length, 0),
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
      const [mostUsed, ...others] = tags as [(typeof tags)[number], ...typeof tags];
      const usesToRepair = others
        .flatMap(({ on }) => on)
        .filter(({ page }) => !page.tags.includes(mostUsed.tag));
      return {
        kind: 'similar_tags',
        statement: plainLine(
          `Tags that read the same: ${tags.map(({ tag, on }) => `#${tag} on ${countText(on.length, 'page')}`).join(', ')}`,
        ),
        pages: others.reduce((sum, { on }) => sum + on.length, 0),
        evidence: tags.map(({ tag, on }) => tagEvidence(on[0]!.page, tag)).slice(0, maxEvidence),
        likely: mostUsed.tag,
        certain: mostUsed.on.length > others[0]!.on.length,
        repairs: usesToRepair.map(({ page }) => ({ kind: 'add_tag', page: page.id, tag: mostUsed.tag })),
      };
    })
    .sort((a, b) => b.pages - a.pages);
};

import { checkTag } from '../limits.ts';
import { findTags } from '../markdown/index.ts';
import type { BlockRow } from '../rows/rows.ts';
import { fitUpdatedText, updateBlock } from './edit-block.ts';
import { setProperties } from './edit-page.ts';
import { readTags } from './properties.ts';
import { refuse } from './refusal.ts';
import type { Targets } from './targets.ts';
import { type UnitOfWork, withAct } from './unit-of-work.ts';

/** Adds a tag to the front matter of a page, or after the text of a block. */
export function addTag(unit: UnitOfWork, { page, block }: Targets, givenTag: string): void {
  const tag = checkTag(givenTag);
  if (block === null) {
    const tags = [...readTags(page!.properties), tag];
    setProperties(unit, page!, withTags(page!.properties, tags));
    return;
  }
  const end = block.text.trimEnd().length;
  const tagSuffix = end === 0 ? `#${tag}` : ` #${tag}`;
  const text = block.text.slice(0, end) + tagSuffix + block.text.slice(end);
  if (!findTags(text).includes(tag)) {
    refuse('bad_value', `A tag has no place in ${block.id}, a block of ${block.kind}.`, 'Tag its page.', {
      id: block.id,
      kind: block.kind,
    });
  }
  updateBlock(tagWithoutAccepting(unit, block), page!, block, fitUpdatedText(unit.db, page!, block, text));
}

export function removeTag(unit: UnitOfWork, { page, block }: Targets, givenTag: string): void {
  const tag = checkTag(givenTag);
  if (block === null) {
    const tags = readTags(page!.properties).filter((each) => each !== tag);
    setProperties(unit, page!, withTags(page!.properties, tags));
    return;
  }
  // The characters of a tag need no escape in a pattern.
  const pattern = new RegExp(`[ \\t]?#${tag}(?![\\p{L}\\p{N}\\p{M}\\p{S}_/-])`, 'gu');
  const text = block.text.replace(pattern, '');
  if (text === '' || findTags(text).includes(tag)) {
    refuse('bad_value', `The tag cannot be taken out of ${block.id}.`, 'Change the text of the block.', {
      id: block.id,
    });
  }
  updateBlock(tagWithoutAccepting(unit, block), page!, block, fitUpdatedText(unit.db, page!, block, text));
}

/** A unit of work in which tagging a candidate does not accept it. */
function tagWithoutAccepting(unit: UnitOfWork, block: BlockRow): UnitOfWork {
  return block.lifecycle === 'Candidate' ? withAct(unit, { asked: 'Candidate' }) : unit;
}

/** The properties to set, so that all tags are in `tags`, and none in `tag`, which Obsidian also reads. */
function withTags(
  properties: Readonly<Record<string, unknown>>,
  tags: readonly string[],
): Readonly<Record<string, unknown>> {
  const clearedTag = Object.hasOwn(properties, 'tag') ? { tag: null } : {};
  return { ...clearedTag, tags: tags.length === 0 ? null : tags };
}

/** Finds commit ids in texts of a delivery: tags of images, and messages of commits that change a tag. */

const hash = /(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/g;

/** Requires a digit and a letter: digits alone are a version or a build, letters alone a word. */
const isHash = (text: string): boolean => /\d/.test(text) && /[a-f]/.test(text);

export const findCommitIds = (text: string): readonly string[] => [
  ...new Set((text.match(hash) ?? []).filter(isHash)),
];

/**
 * The commit in the tag of an image, such as `registry/shop:main-3f2a91c`. A digest identifies an image and no commit.
 */
export function findImageCommits(image: string): readonly string[] {
  const [reference = ''] = image.split('@');
  const tag = reference.slice(reference.lastIndexOf('/') + 1).split(':')[1] ?? '';
  return findCommitIds(tag);
}

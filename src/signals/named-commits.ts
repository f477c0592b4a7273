/** Commits that texts of a delivery name: tags of images, and messages of commits that move a tag. */

const hash = /(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/g;

/** A number alone is a version or a build, and letters alone are a word: a hash has both. */
const isHash = (text: string): boolean => /\d/.test(text) && /[a-f]/.test(text);

export const commitsNamedIn = (text: string): readonly string[] => [
  ...new Set((text.match(hash) ?? []).filter(isHash)),
];

/**
 * The commit in the tag of an image, such as `registry/shop:main-3f2a91c`. A digest identifies an image and no commit.
 */
export function commitsOfImage(image: string): readonly string[] {
  const [named = ''] = image.split('@');
  const tag = named.slice(named.lastIndexOf('/') + 1).split(':')[1] ?? '';
  return commitsNamedIn(tag);
}

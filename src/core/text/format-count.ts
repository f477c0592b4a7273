/** A number with its noun, which is in the singular after 1: `1 page`, `2 pages`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

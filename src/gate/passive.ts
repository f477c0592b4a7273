/** `is done`, `was written by them`: the one who acts comes last, or is not named. */
interface Passive {
  /** Position of the verb. */
  readonly verb: number;
  /** Position of `by`, which precedes the one who acts. */
  readonly by: number | null;
}

const form =
  /\b(?:is|are|was|were|be|been|being|gets?|got) (?:(?:not|never|\p{L}+ly|also|then|still|again|only) ){0,2}(?<verb>\p{L}+ed|\p{L}{2,}[eo]wn|\p{L}+(?:tt|[kvs])en|done|made|sent|kept|held|set|put|cut|found|lost|built|read|run|hit|bound|caught|thrown|given|left|paid|met)\b/iu;

export function passiveOf(text: string): Passive | null {
  const match = form.exec(text);
  if (match === null) return null;
  const end = match.index + match[0].length;
  const by = /^[^.;,]{0,40}?\bby (?!\d)/.exec(text.slice(end));
  return {
    verb: end - match.groups!['verb']!.length,
    by: by === null ? null : end + by[0].length - 1,
  };
}

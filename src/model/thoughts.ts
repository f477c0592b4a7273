/** Removes the thinking that some models print before their answer. */
const aloud = /^\s*<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)/i;
/** Some chat formats open the thinking themselves, so that only its end is in the reply. */
const tail = /^(?:(?!<think)[\s\S])*?<\/(?:think|thinking)>/i;

/** The answer alone; empty if the reply ended within its thoughts. */
export function withoutThoughts(text: string): string {
  let left = text.replace(/^\uFEFF/, '');
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replace(aloud, '');
  }
  return left.replace(tail, '').trim();
}

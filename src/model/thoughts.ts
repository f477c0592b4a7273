/** Removes the thinking that some models print before their answer. */
const leadingThoughts = /^\s*<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)/i;
/** Some chat formats open the thinking themselves, so that only its end is in the reply. */
const unopenedThoughts = /^(?:(?!<think)[\s\S])*?<\/(?:think|thinking)>/i;

/** The answer alone; empty if the reply ended within its thoughts. */
export function withoutThoughts(text: string): string {
  let rest = text.replace(/^\uFEFF/, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(leadingThoughts, '');
  }
  return rest.replace(unopenedThoughts, '').trim();
}

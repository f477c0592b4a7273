/** Patterns that recognise a definition from one line. */

/**
 * What closes a definition; its end is estimated from that. `lifetimes`: braces, in a language where `'a` is no
 * string.
 */
export type Closing = 'braces' | 'lifetimes' | 'indentation' | 'end' | 'semicolon' | 'heading';

export interface DefinitionForm {
  readonly kind: string;
  readonly pattern: string;
}

export interface Language {
  readonly closing: Closing;
  readonly forms: readonly DefinitionForm[];
}

export const form = (kind: string, pattern: string): DefinitionForm => ({ kind, pattern });
/** Any of the words, repeated any number of times, each followed by space. */
export const repeatWords = (list: string) => `(?:(?:${list})\\s+)*`;
/** Parameters of a type. */
export const generic = '(?:<[^>]*>)?';
/** Words that stand before a call or a jump, but never before a definition. */
export const notUse =
  '(?!\\s*(?:return|throw|new|else|await|yield|case|goto|delete|if|while|for|switch|assert|using|import|package)\\b)';
/** The rest of a line that opens a body or goes on to the next line. */
export const restOfHeader = '[^;]*$';

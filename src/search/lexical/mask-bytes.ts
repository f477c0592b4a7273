import { type MaskRecipe, masker, mayHoldSecret, sha256 } from '../../core/index.ts';
import { defaultSettings, type IndexSettings } from './settings.ts';

/** Hides secrets in content before it is indexed, so that no word of one is kept on disk. */
export interface ByteMask {
  /** Puts the content to index into `room(length)`; its lines keep their numbers. */
  apply(bytes: Uint8Array, length: number, room: (length: number) => Uint8Array): number;
}

export function byteMask(recipe: MaskRecipe): ByteMask {
  // Keys of the process are left to what reads the lines: an index is shared by processes that have others.
  const { text: hide } = masker({ ...recipe, known: [] });
  return {
    apply(bytes, length, room) {
      if (!mayHoldSecret(bytes, length)) return length;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8');
      const clean = hide(text);
      if (clean === text) return length;
      const masked = Buffer.from(clean);
      room(masked.length).set(masked);
      return masked.length;
    },
  };
}

export function settingsUnder(
  settings: IndexSettings = defaultSettings,
  mask: MaskRecipe | undefined,
): IndexSettings {
  return mask === undefined ? settings : { ...settings, masks: maskId(mask) };
}

/**
 * A part of what decides the contents of a segment: an index that masked less, or under another key, is built
 * again.
 */
function maskId({ key }: MaskRecipe): string {
  return `2:${sha256(key).slice(0, 8)}`;
}

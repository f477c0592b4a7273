import { type MaskRecipe, masker, mayHoldSecret } from '../../core/index.ts';
import { defaultSettings, type IndexSettings } from './settings.ts';

/** Hides secrets in content before it is indexed, so that no word of one is kept on disk. */
export interface ByteMask {
  /** Puts the content to index into `room(length)`; its lines keep their numbers. */
  apply(bytes: Uint8Array, length: number, reserve: (length: number) => Uint8Array): number;
}

/** The last part of a mark depends on the key of a home, and an index does not. */
const markId = /(?<=\[secret:[a-z0-9_]+):[0-9a-f]{6}(?=\])/g;

export function createByteMask(recipe: MaskRecipe): ByteMask {
  // Keys of the process are left to what reads the lines: an index is shared by processes that have others.
  const { text: mask } = masker({ ...recipe, known: [] });
  const hide = (text: string) => {
    const masked = mask(text);
    return masked === text ? text : masked.replaceAll(markId, '');
  };
  return {
    apply(bytes, length, reserve) {
      if (!mayHoldSecret(bytes, length)) return length;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8');
      const maskedText = hide(text);
      if (maskedText === text) return length;
      const masked = Buffer.from(maskedText);
      reserve(masked.length).set(masked);
      return masked.length;
    },
  };
}

export function addMaskVersion(
  settings: IndexSettings = defaultSettings,
  mask: MaskRecipe | undefined,
): IndexSettings {
  return mask === undefined ? settings : { ...settings, masks };
}

/** A part of what decides the contents of a segment: an index that hid less is built again. */
const masks = '3';

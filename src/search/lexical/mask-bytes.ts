import { type MaskRecipe, masker, mayHoldSecret } from '../../core/index.ts';
import { defaultSettings, type IndexSettings } from './settings.ts';

/** Masks secrets in content before it is indexed, so that none of their words is stored. */
export interface ByteMask {
  /** Writes the masked content into `reserve(length)` if it differs. Returns its length. Line numbers stay the same. */
  apply(bytes: Uint8Array, length: number, reserve: (length: number) => Uint8Array): number;
}

/** The last part of a mark. It depends on the key of a home, on which an index must not depend. */
const markId = /(?<=\[secret:[a-z0-9_]+):[0-9a-f]{6}(?=\])/g;

export function createByteMask(recipe: MaskRecipe): ByteMask {
  // API keys of this process are not masked here, since processes with other keys share the index. Readers mask them.
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

/** Part of an index's settings: raised when more is masked, so that older indexes are rebuilt. */
const masks = '3';

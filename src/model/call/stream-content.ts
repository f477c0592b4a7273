/** Joins the pieces of a stream into the content of a whole reply. */
import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

interface PartialContent {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

export interface ContentReader {
  /** In the order in which it began. Grows with each event. */
  readonly content: readonly LanguageModelV4Content[];
  take(part: LanguageModelV4StreamPart): void;
}

export function contentReader(): ContentReader {
  const content: LanguageModelV4Content[] = [];
  const openParts = new Map<string, PartialContent>();
  const begin = (id: string, type: PartialContent['type']): PartialContent => {
    const partial: PartialContent = { type, text: '' };
    openParts.set(`${type} ${id}`, partial);
    content.push(partial);
    return partial;
  };
  return {
    content,
    take(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end': {
          const type = part.type.startsWith('text') ? 'text' : 'reasoning';
          const isStart = part.type.endsWith('start');
          const partial = (isStart ? undefined : openParts.get(`${type} ${part.id}`)) ?? begin(part.id, type);
          if ('delta' in part) partial.text += part.delta;
          // A signature comes with the last piece, or with the end.
          if (part.providerMetadata) partial.providerMetadata = part.providerMetadata;
          return;
        }
        case 'tool-call':
          content.push(part);
      }
    },
  };
}

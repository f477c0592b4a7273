import type { Masker } from '../core/index.ts';
import { maskDialogue, maskReply } from './dialogue/mask-reply.ts';
import type { DialogueRequest } from './dialogue/reply.ts';
import type { Model, ModelRequest } from './model.ts';

/**
 * Masks secrets in all texts that are sent to a model, and in its replies before they are stored, shown or executed.
 */
export function maskModel(model: Model, mask: Pick<Masker, 'text'>): Model {
  const reply = model.reply?.bind(model);
  return Object.freeze({
    ...model,
    ...(reply && {
      async reply(request: DialogueRequest) {
        const stream = request.onText === undefined ? null : maskStream(request.onText, mask);
        const answer = await reply({
          ...request,
          dialogue: maskDialogue(request.dialogue, mask.text),
          ...(stream !== null && { onText: stream.take }),
        });
        stream?.end();
        return answer.kind === 'reply'
          ? maskReply(answer, mask.text)
          : Object.freeze({ ...answer, message: mask.text(answer.message) });
      },
    }),
    async generate(request: ModelRequest) {
      const stream = request.onText === undefined ? null : maskStream(request.onText, mask);
      const answer = await model.generate({
        ...request,
        messages: request.messages.map((message) => ({ ...message, text: mask.text(message.text) })),
        ...(stream !== null && { onText: stream.take }),
      });
      stream?.end();
      return answer.kind === 'reply'
        ? Object.freeze({ ...answer, text: mask.text(answer.text) })
        : Object.freeze({ ...answer, message: mask.text(answer.message) });
    },
  });
}

/** Passes text on up to the last space, since an incomplete secret can't be recognised yet. */
function maskStream(onText: (piece: string) => void, mask: Pick<Masker, 'text'>) {
  let text = '';
  let passedOn = 0;
  const passOn = (upTo: number) => {
    const maskedText = mask.text(text.slice(0, upTo));
    if (maskedText.length <= passedOn) return;
    const piece = maskedText.slice(passedOn);
    passedOn = maskedText.length;
    onText(piece);
  };
  return {
    take(piece: string) {
      text += piece;
      const lastSpace = /\s\S*$/.exec(text);
      if (/\s/.test(piece) && lastSpace !== null) passOn(lastSpace.index + 1);
    },
    end: () => passOn(text.length),
  };
}

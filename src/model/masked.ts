import type { Masker } from '../core/index.ts';
import { maskDialogue, maskReply } from './dialogue/mask-reply.ts';
import type { DialogueRequest } from './dialogue/reply.ts';
import type { Model, ModelRequest } from './model.ts';

/**
 * A model that is sent no secret and says none: every text of a message goes through here. Replies too,
 * before anything keeps, shows or runs them.
 */
export function maskModel(model: Model, mask: Pick<Masker, 'text'>): Model {
  const asked = model.reply?.bind(model);
  return Object.freeze({
    ...model,
    ...(asked && {
      async reply(request: DialogueRequest) {
        const stream = request.onText === undefined ? null : maskStream(request.onText, mask);
        const answer = await asked({
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

/** Pieces are passed on up to the last space: a secret that is still being written can't be recognised yet. */
function maskStream(onText: (piece: string) => void, mask: Pick<Masker, 'text'>) {
  let text = '';
  let told = 0;
  const tell = (upTo: number) => {
    const clean = mask.text(text.slice(0, upTo));
    if (clean.length <= told) return;
    const piece = clean.slice(told);
    told = clean.length;
    onText(piece);
  };
  return {
    take(piece: string) {
      text += piece;
      const blank = /\s\S*$/.exec(text);
      if (/\s/.test(piece) && blank !== null) tell(blank.index + 1);
    },
    end: () => tell(text.length),
  };
}

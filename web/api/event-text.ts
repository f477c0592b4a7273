/** Server-sent events, piece by piece as they arrive. */

export interface StreamEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: string;
}

/** An id is a number, or one in each of several logs (`120-45`): none of them ever falls. */
const sumOf = (id: string): number => id.split('-').reduce((sum, part) => sum + Number(part), 0);

export const isLater = (id: string, than: string): boolean => sumOf(id) > sumOf(than);

/** Gives the events that are whole so far; a piece may end anywhere. */
export function eventReader(): (piece: string) => readonly StreamEvent[] {
  let rest = '';
  return (piece) => {
    const parts = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = parts.pop() ?? '';
    return parts.flatMap((part) => {
      let [id, kind] = ['', 'message'];
      const data: string[] = [];
      for (const line of part.split('\n')) {
        const at = line.indexOf(':');
        if (at <= 0) continue;
        const value = line.slice(at + 1).replace(/^ /, '');
        const name = line.slice(0, at);
        if (name === 'id') id = value;
        else if (name === 'event') kind = value;
        else if (name === 'data') data.push(value);
      }
      return data.length === 0 ? [] : [{ id, kind, data: data.join('\n') }];
    });
  };
}

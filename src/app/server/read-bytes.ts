/** Reads the bytes of a request, up to a maximum; null if there are more. */
export async function readBytes(request: Request, max: number): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > max) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

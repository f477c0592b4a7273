/** A line on standard error that counts, where somebody is watching. */
export function counter(what: string): (done: number, total?: number) => void {
  return (done, total) => {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r${done}${total === undefined ? '' : ` of ${total}`} ${what}\u001b[K`);
    if (done === total) process.stderr.write('\r\u001b[K');
  };
}

/** A progress counter on one line of standard error, if that is a terminal. */
import { currentProcess } from '../../current-process.ts';
export function progressCounter(unit: string): (done: number, total?: number) => void {
  return (done, total) => {
    const { stderr } = currentProcess();
    if (!stderr.isTTY) return;
    stderr.write(`\r${done}${total === undefined ? '' : ` of ${total}`} ${unit}\u001b[K`);
    if (done === total) stderr.write('\r\u001b[K');
  };
}

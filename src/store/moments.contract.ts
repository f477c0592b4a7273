/** Counts the moments at which a worker writes something, and kills it at the n-th. */
export function momentsUntil(dieAt: number) {
  let seen = 0;
  function moment(): void {
    seen += 1;
    if (seen === dieAt) process.kill(process.pid, 'SIGKILL');
  }
  return {
    moment,
    seen: () => seen,
    /** The same function, with a moment before each call and one behind it. */
    around:
      <Args extends readonly unknown[], Value>(act: (...args: Args) => Value) =>
      (...args: Args): Value => {
        moment();
        const value = act(...args);
        moment();
        return value;
      },
    async call<Value>(act: () => Promise<Value>): Promise<Value> {
      moment();
      const value = await act();
      moment();
      return value;
    },
  };
}

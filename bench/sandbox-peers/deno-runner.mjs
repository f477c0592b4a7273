// Pyodide in Deno, as DSPy runs it: a process that reads JSON lines and writes JSON lines. The host is asked over the
// same two pipes.
import { loadPyodide } from 'npm:pyodide';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const buffer = new Uint8Array(1 << 16);
let rest = '';

function readLine() {
  while (!rest.includes('\n')) {
    const length = Deno.stdin.readSync(buffer);
    if (length === null) Deno.exit(0);
    rest += decoder.decode(buffer.subarray(0, length));
  }
  const end = rest.indexOf('\n');
  const line = rest.slice(0, end);
  rest = rest.slice(end + 1);
  return line;
}

function writeLine(text) {
  Deno.stdout.writeSync(encoder.encode(`${text}\n`));
}

const python = await loadPyodide({ stdout: () => {}, stderr: () => {} });
python.registerJsModule('host', {
  ask: (text) => {
    writeLine(JSON.stringify({ ask: text }));
    return readLine();
  },
});
python.runPython(
  'import json, host\ndef call_host(op, **args): return json.loads(host.ask(json.dumps([op, args])))["value"]',
);
for (;;) {
  const { code } = JSON.parse(readLine());
  python.runPython(code);
  writeLine('{"done":true}');
}

// Pyodide in a worker thread, as a program would embed it: cells in, results out, and one function that asks the
// main thread and waits for its answer.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

const { loadPyodide } = await import(workerData.pyodide);
const flag = new Int32Array(workerData.signal);
const port = workerData.port;

function ask(text) {
  for (;;) {
    const seen = Atomics.load(flag, 0);
    const received = receiveMessageOnPort(port);
    if (received) return received.message;
    if (text !== null) port.postMessage(text);
    text = null;
    Atomics.wait(flag, 0, seen);
  }
}

let python;
const commands = {
  async open() {
    python = await loadPyodide({ stdout: () => {}, stderr: () => {} });
    python.registerJsModule('host', { ask });
    python.runPython(
      'import json, host\ndef call_host(op, **args): return json.loads(host.ask(json.dumps([op, args])))["value"]',
    );
  },
  async run({ code }) {
    python.runPython(code);
  },
};
parentPort.on('message', async (message) => {
  await commands[message.do](message);
  parentPort.postMessage('done');
});

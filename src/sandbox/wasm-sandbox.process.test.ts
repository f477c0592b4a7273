import { sandboxContract } from './sandbox.contract.ts';
import { createSandbox } from './wasm-sandbox.ts';

sandboxContract('in a child process', () => createSandbox({ isolation: 'process' }));
sandboxContract('in threads of this process', () => createSandbox({ isolation: 'thread' }));

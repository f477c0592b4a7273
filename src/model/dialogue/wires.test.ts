import { dialogueContract } from './dialogue.contract.ts';
import { openWire, type Wire, wires } from './wires.contract.ts';

for (const wire of Object.keys(wires) as Wire[])
  for (const whole of [false, true])
    dialogueContract(
      `${wire}, ${whole ? 'whole' : 'streamed'}`,
      // A whole answer of Anthropic was parsed by its server: what is no JSON can't come in it.
      { rawArguments: !(whole && wire.startsWith('anthropic')), reasons: wire !== 'anthropic' },
      () => openWire(wire, whole),
    );

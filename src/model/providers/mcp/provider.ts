import { defineProvider } from '../provider.ts';
import { unusableModelError } from '../unusable-model.ts';

export const provider = defineProvider({
  name: 'mcp',
  form: 'mcp',
  meaning: 'the model of the MCP client that called, where it offers sampling',
  autoOrder: 70,
  settings: {},
  whyAuto: (_, { sample }) => (sample === undefined ? null : 'the MCP client offers its model'),
  async open(_, { contextWindow, maxOutput }, { sample }) {
    if (sample === undefined)
      throw unusableModelError(
        'mcp',
        'the client that called offers no sampling',
        'Configure a model of your own.',
      );
    const { samplingModel } = await import('./sampling.ts');
    return samplingModel(sample, {
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutput !== undefined && { maxOutput }),
    });
  },
});

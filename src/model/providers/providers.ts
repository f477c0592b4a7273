// biome-ignore-all format: written by scripts/folders.ts from the folders of src/model/providers: run npm run docs
import type { Provider } from './provider.ts';

export const providers: Readonly<Record<string, () => Promise<Provider>>> = {
  'anthropic': async () => (await import('./anthropic/provider.ts')).provider,
  'claude-cli': async () => (await import('./claude-cli/provider.ts')).provider,
  'codex-cli': async () => (await import('./codex-cli/provider.ts')).provider,
  'lmstudio': async () => (await import('./lmstudio/provider.ts')).provider,
  'mcp': async () => (await import('./mcp/provider.ts')).provider,
  'ollama': async () => (await import('./ollama/provider.ts')).provider,
  'openai': async () => (await import('./openai/provider.ts')).provider,
  'openai-compatible': async () => (await import('./openai-compatible/provider.ts')).provider,
  'scripted': async () => (await import('./scripted/provider.ts')).provider,
  'vllm': async () => (await import('./vllm/provider.ts')).provider,
};

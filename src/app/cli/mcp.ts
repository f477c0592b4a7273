import { Command } from 'commander';

export function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'serve code_deep_research to other agents: the Model Context Protocol on standard input and output',
    )
    .argument('[path]', 'the folder that questions are about', '.')
    .action(async (path: string) => {
      const { serve } = await import('../mcp/serve.ts');
      await serve(path);
    });
}

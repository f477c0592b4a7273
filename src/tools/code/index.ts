export { type CodeMaterial, codeTool, codeTools } from './code-tools.ts';
export { collector, maxLines, pathWithin } from './spans.ts';

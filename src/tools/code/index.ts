export { type CodeMaterial, codeTool, codeTools } from './code-tools.ts';
export { createCollector, maxLines, requireInside } from './spans.ts';

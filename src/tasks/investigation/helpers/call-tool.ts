/**
 * `call_tool()` of the sandbox: calls tools that look up symbols, and tools that the program passed to this run. Each
 * call is recorded like any other operation.
 */
import { z } from 'zod';
import { symbolEntries } from '../../../catalogue/code/code-entries.ts';
import type { CodeContext, OwnTool } from '../../../catalogue/index.ts';
import { type Capability, quoteMaterial, SondeError } from '../../../core/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { collect, evidenceLines } from '../../research/material/collect.ts';
import type { Material } from '../material.ts';
import { toolCallDocs } from '../talk/helper-docs.ts';
import { type Arguments, type Helper, refuse, textArgument } from './helper.ts';
import { fromPort } from './ports.ts';

export const callTool: Helper = async (args, { runContext, place, signal }) => {
  const name = textArgument(args, 'name', 100);
  const { text } = runContext.material;
  const tools = listTools(runContext.material);
  const tool = tools.find((ownTool) => ownTool.name === name);
  if (tool === undefined)
    throw new SondeError('not_found', {
      message: `there is no tool ${name}`,
      remedy: tools.length === 0 ? 'There is none here.' : `There are: ${namesOf(tools)}.`,
    });
  const { capability } = tool;
  if (!runContext.capabilities.has(capability))
    throw new SondeError('bad_argument', { message: `the caller lacks the capability ${capability}` });
  const parsed = tool.parameters.safeParse(dropNones(args));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join('.') || 'the arguments'}: ${issue?.message ?? 'do not fit'}`);
  }
  const context = {
    scope: place.scope,
    pieces: 0,
    pieceLines: evidenceLines,
    held: [],
    signal,
    path: (path) => path,
    collect: (finds) => collect(text, place.scope, finds),
    ports: runContext.material,
  } satisfies CodeContext;
  const output = await fromPort(name, async () => tool.run(parsed.data, context));
  if (output.kind === 'failed') return refuse(output.message, output.remedy);
  const { spans, evidence, data, lines, summary } = output;
  return {
    value: (data ?? lines.join('\n')) as Value,
    ...(spans.length + evidence.length > 0 && { gains: { reads: spans, evidence } }),
    summary: `${name}: ${summary}`,
  };
};

const namesOf = (tools: readonly OwnTool[]): string => tools.map(({ name }) => name).join(', ');

/** Python's keywords. An argument with such a name is written with `_` after it. */
const pythonKeyword =
  /^(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;
const toPythonName = (field: string): string => (pythonKeyword.test(field) ? `${field}_` : field);
const toFieldName = (field: string): string =>
  field.endsWith('_') && pythonKeyword.test(field.slice(0, -1)) ? field.slice(0, -1) : field;

/** The tool's arguments, without those that are None in Python. */
function dropNones({ arguments: given }: Arguments): Arguments {
  const fields = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (value === null ? [] : [[toFieldName(name), value] as const])),
  );
}

/** Tools that were passed to the run take precedence over built-in ones of the same name. */
const listTools = ({ tools = [], symbols }: Pick<Material, 'tools' | 'symbols'>): readonly OwnTool[] =>
  symbols === undefined ? tools : [...tools, ...symbolEntries];

/** Describes to the planner each tool that the caller may use, with its parameters. Empty if there is none. */
export function toolsText(
  { tools = [], symbols }: Pick<Material, 'tools' | 'symbols'>,
  granted: ReadonlySet<Capability>,
): string {
  const entries = (symbols === undefined ? [] : symbolEntries).filter(({ capability }) =>
    granted.has(capability),
  );
  const usable = tools.filter(({ capability }) => granted.has(capability));
  if (entries.length + usable.length === 0) return '';
  const lines = usable.map((tool) => `call_tool(${formatSignature(tool)}): ${tool.description}`);
  const block = quoteMaterial(lines.join('\n'), {
    source: 'tools that were brought along',
    trust: 'untrusted',
  });
  const parts = [toolCallDocs, ...entries.map(formatBuiltIn), ...(lines.length > 0 ? [block] : [])];
  return `\n\n# Tools\n\n${parts.join('\n')}`;
}

/**
 * The line for a built-in tool, whose description is trusted, and so not quoted as material. `?` marks an optional
 * parameter.
 */
function formatBuiltIn({ name, parameters, description }: OwnTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input' });
  const fields = Object.keys(properties).map(
    (field) => `${toPythonName(field)}${required.includes(field) ? '' : '?'}`,
  );
  return `- ${name}(${fields.join(', ')}): ${description}`;
}

function formatSignature({ name, parameters }: OwnTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, {
    io: 'input',
    unrepresentable: 'any',
  });
  const fields = Object.entries(properties).map(([field, schema]) => {
    const { $schema: _, ...fieldSchema } = schema as Readonly<Record<string, unknown>>;
    return `${toPythonName(field)}${required.includes(field) ? '' : '?'}: ${JSON.stringify(fieldSchema)}`;
  });
  return [JSON.stringify(name), ...fields].join(', ');
}

/** The tool `verify_answer`: checks an answer of an agent against the lines that it cites. */
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { shortLine, toPlainText } from '../../core/index.ts';
import { claimFlags, claimVerdicts, isRefused, isSupported, type VerifiedAnswer } from '../../gate/index.ts';
import { failureResult } from './run-tools.ts';

const input = z.strictObject({
  answer: z
    .string()
    .min(1)
    .max(65_536)
    .describe('Markdown. A sentence cites by [1], the number of a citation, or by path:start-end.'),
  citations: z
    .array(
      z.object({
        path: z.string().min(1).describe('Relative to the folder.'),
        start: z.int().min(1),
        end: z.int().min(1),
        quote: z.string().optional().describe('Text that the lines must contain.'),
      }),
    )
    .max(200),
  question: z.string().optional().describe('Its terms count as known.'),
  reader: z
    .boolean()
    .default(false)
    .describe('Let the model of the server, if it has one, decide the claims that rules leave unclear.'),
  max_tokens: z
    .int()
    .min(1)
    .optional()
    .describe('Maximum tokens of that model, within the limits of the server.'),
  max_usd: z
    .number()
    .min(0)
    .optional()
    .describe('Maximum cost of that model in US dollars, within the limits of the server.'),
});

const output = z.looseObject({
  status: z.enum(['verified', 'partial', 'unverified']).describe('verified: every claim is supported.'),
  claims: z.array(
    z.looseObject({
      text: z.string(),
      verdict: z.enum(claimVerdicts),
      why: z.string().optional(),
      citations: z.array(z.int()).describe('Numbers of the citations it was checked against; empty: all.'),
      flags: z.array(z.enum(claimFlags)),
    }),
  ),
  citations: z.array(z.looseObject({ status: z.string(), reason: z.string().optional() })),
  note: z.string().optional().describe('Why the model did not read every unclear claim.'),
});

const description =
  'Splits an answer into claims and says for each whether the cited lines show it: shown, unclear, contradicted or not shown, and why. Re-reads each citation. It works by rules; with reader: true the model of the server decides unclear claims, and may say supported.';

export interface VerifyToolOptions {
  readonly root: string;
  /** Settings from the command line of the server. */
  readonly settings: { readonly model?: string };
  readonly redact: (text: string) => string;
}

export function registerVerifyTool(server: McpServer, options: VerifyToolOptions): void {
  const { redact } = options;
  server.registerTool(
    'verify_answer',
    {
      title: 'Verify an answer',
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    },
    async (input, { mcpReq }): Promise<CallToolResult> => {
      try {
        const result = await verify(input, options, mcpReq.signal);
        const text = redact(toPlainText(formatAnswer(result).join('\n')));
        return { content: [{ type: 'text', text }], structuredContent: cleanAnswer(result, redact) };
      } catch (thrown) {
        return failureResult(thrown, redact);
      }
    },
  );
}

async function verify(
  { answer, citations, question, reader, max_tokens, max_usd }: z.output<typeof input>,
  { root, settings }: VerifyToolOptions,
  signal: AbortSignal,
): Promise<VerifiedAnswer> {
  const [{ verifyMasked }, { openVerifyPorts }] = await Promise.all([
    import('../verify/verify-answers.ts'),
    import('../verify/verify-ports.ts'),
  ]);
  const citationList = citations.map(({ quote, ...rest }) => ({
    ...rest,
    ...(quote !== undefined && { quote }),
  }));
  const request = { answer, citations: citationList, ...(question !== undefined && { question }) };
  const ports = await openVerifyPorts(root);
  if (!reader) return verifyMasked(request, ports);
  const { openConfiguredReader } = await import('../verify/verify-models.ts');
  const limits = {
    ...(max_tokens !== undefined && { max_tokens }),
    ...(max_usd !== undefined && { max_usd }),
  };
  const { read } = await openConfiguredReader({ root, settings, max: limits, tier: 'analyst', signal });
  return verifyMasked(request, { ...ports, readClaims: read });
}

function formatAnswer({ status, claims, citations, note }: VerifiedAnswer): readonly string[] {
  const refusedClaims = claims.filter(isRefused);
  const supportedCount = claims.filter(isSupported).length;
  return [
    `${status}: ${supportedCount} of ${claims.length} claims are supported, ${refusedClaims.length} are contradicted or not shown.`,
    ...claims.flatMap(({ text, verdict, why, flags }) => {
      const flagText = flags.length === 0 ? '' : ` [${flags.join(', ')}]`;
      return verdict === 'shown' && flags.length === 0
        ? []
        : [`- ${verdict}: ${shortLine(text, 200)}${why === undefined ? '' : ` (${why})`}${flagText}`];
    }),
    ...citations.flatMap(({ status: citationStatus, reason }, index) =>
      citationStatus === 'valid'
        ? []
        : [`- citation ${index + 1}: ${citationStatus}${reason === undefined ? '' : ` (${reason})`}`],
    ),
    ...(note === undefined ? [] : [note]),
  ];
}

function cleanAnswer(
  { status, claims, citations, note }: VerifiedAnswer,
  redact: (text: string) => string,
): Record<string, unknown> {
  const formatClaim = (text: string): string => redact(toPlainText(text));
  return {
    status,
    claims: claims.map(({ text, why, ...rest }) => ({
      ...rest,
      text: formatClaim(text),
      ...(why !== undefined && { why: formatClaim(why) }),
    })),
    citations: citations.map(({ status: citationStatus, reason }) => ({
      status: citationStatus,
      ...(reason !== undefined && { reason: formatClaim(reason) }),
    })),
    ...(note !== undefined && { note: formatClaim(note) }),
  };
}

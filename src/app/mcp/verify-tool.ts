/** The tool `verify_answer`: what an agent says, held against the lines that it cites, before it is passed on. */
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { plain, shortLine } from '../../core/index.ts';
import { claimFlags, claimVerdicts, isCarried, isRefused, type VerifiedAnswer } from '../../gate/index.ts';
import { failureResult } from './run-tools.ts';

const input = z.object({
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
        quote: z.string().optional().describe('Text that must stand in the lines.'),
      }),
    )
    .max(200),
  question: z.string().optional().describe('Its terms count as known.'),
});

const output = z.looseObject({
  status: z.enum(['verified', 'partial', 'unverified']).describe('verified: every claim is carried.'),
  claims: z.array(
    z.looseObject({
      text: z.string(),
      verdict: z.enum(claimVerdicts),
      why: z.string().optional(),
      citations: z.array(z.int()).describe('Numbers of what it was held against; empty: all.'),
      flags: z.array(z.enum(claimFlags)),
    }),
  ),
  citations: z.array(z.looseObject({ status: z.string(), reason: z.string().optional() })),
});

const description =
  'Takes an answer apart into its claims and says of each whether the lines it cites say so: shown, unclear, contradicted or not shown, and why. Re-reads each citation. By code alone, no model takes part.';

export function registerVerifyTool(server: McpServer, root: string, redact: (text: string) => string): void {
  server.registerTool(
    'verify_answer',
    {
      title: 'Verify an answer',
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    },
    async (given): Promise<CallToolResult> => {
      try {
        const { verifyAnswer } = await import('../library.ts');
        const { question, citations, answer } = given;
        const cited = citations.map(({ quote, ...rest }) => ({
          ...rest,
          ...(quote !== undefined && { quote }),
        }));
        const asked = { answer, citations: cited, ...(question !== undefined && { question }) };
        const verified = await verifyAnswer(asked, { root });
        const text = redact(plain(lines(verified).join('\n')));
        return { content: [{ type: 'text', text }], structuredContent: clean(verified, redact) };
      } catch (thrown) {
        return failureResult(thrown, redact);
      }
    },
  );
}

function lines({ status, claims, citations }: VerifiedAnswer): readonly string[] {
  const refused = claims.filter(isRefused);
  const carried = claims.filter(isCarried).length;
  return [
    `${status}: ${carried} of ${claims.length} claims are carried, ${refused.length} are contradicted or not shown.`,
    ...claims.flatMap(({ text, verdict, why }) =>
      verdict === 'shown'
        ? []
        : [`- ${verdict}: ${shortLine(text, 200)}${why === undefined ? '' : ` (${why})`}`],
    ),
    ...citations.flatMap(({ status: found, reason }, index) =>
      found === 'valid'
        ? []
        : [`- citation ${index + 1}: ${found}${reason === undefined ? '' : ` (${reason})`}`],
    ),
  ];
}

function clean(
  { status, claims, citations }: VerifiedAnswer,
  redact: (text: string) => string,
): Record<string, unknown> {
  const formatClaim = (text: string): string => redact(plain(text));
  return {
    status,
    claims: claims.map(({ text, why, ...rest }) => ({
      ...rest,
      text: formatClaim(text),
      ...(why !== undefined && { why: formatClaim(why) }),
    })),
    citations: citations.map(({ status: found, reason }) => ({
      status: found,
      ...(reason !== undefined && { reason: formatClaim(reason) }),
    })),
  };
}

// biome-ignore-all format: written by scripts/folders.ts from the folders of src/model/providers: run npm run docs
import type { DeclaredSettings } from '../../core/index.ts';

export const providerSettings = {
  anthropic_api_key: {"form":"key","what":"Key for Anthropic.","allowed":"a key","env":["ANTHROPIC_API_KEY"]},
  anthropic_base_url: {"form":"address","what":"Address of the Anthropic interface, where it is not the usual one.","allowed":"an http or https address without credentials","env":["ANTHROPIC_BASE_URL"]},
  lmstudio_base_url: {"form":"address","what":"Address of LM Studio, with its /v1. Naming it lets `auto` use it.","allowed":"an http or https address without credentials","env":["LMSTUDIO_BASE_URL"]},
  ollama_host: {"form":"host","what":"Where Ollama is, when it is not at its usual address. Naming it lets `auto` use it.","allowed":"an address, or HOST:PORT","env":["OLLAMA_HOST"]},
  openai_api_key: {"form":"key","what":"Key for OpenAI, or for the server at openai_base_url where that is set.","allowed":"a key","env":["OPENAI_API_KEY"]},
  openai_base_url: {"form":"address","what":"Address of a server that speaks the OpenAI interface, with its /v1. The OpenAI key then goes there.","allowed":"an http or https address without credentials","env":["OPENAI_BASE_URL"]},
  vllm_base_url: {"form":"address","what":"Address of vLLM, with its /v1. Naming it lets `auto` use it.","allowed":"an http or https address without credentials","env":["VLLM_BASE_URL"]},
} as const satisfies DeclaredSettings;

export const providerForms: readonly Readonly<{ name: string; form: string; meaning: string; bare?: RegExp }>[] = [
  { name: "anthropic", form: "anthropic[:MODEL]", meaning: "the Anthropic API; a bare claude-... means the same", bare: /^claude-(?!cli$)/ },
  { name: "claude-cli", form: "claude-cli[:MODEL]", meaning: "an installed command-line agent with its own login" },
  { name: "codex-cli", form: "codex-cli[:MODEL]", meaning: "an installed command-line agent with its own login" },
  { name: "lmstudio", form: "lmstudio:MODEL", meaning: "a server on this machine, or where its address points" },
  { name: "mcp", form: "mcp", meaning: "the model of the MCP client that called, where it offers sampling" },
  { name: "ollama", form: "ollama:MODEL", meaning: "a server on this machine, or where its address points" },
  { name: "openai", form: "openai[:MODEL]", meaning: "the OpenAI API; a bare gpt-... means the same", bare: /^(gpt-|o\d)/ },
  { name: "openai-compatible", form: "openai-compatible:MODEL", meaning: "any server that speaks Chat Completions, at OPENAI_BASE_URL" },
  { name: "scripted", form: "scripted:FILE", meaning: "answers from a file of JSON lines (docs/guides/own-parts.md has the form), for tests and demonstrations" },
  { name: "vllm", form: "vllm:MODEL", meaning: "a server on this machine, or where its address points" },
];

/** The public API. A name is added here on purpose or not at all; `test/public-api.test.ts` lists them. */

export { createEngine } from "./engine.ts";
export { connectReviewer } from "./gate/reviewers/reviewer-connection.ts";
export { escalate } from "./gate/reviewers/escalate.ts";
export { firstOf } from "./gate/reviewers/first-of.ts";
export { assembleToolPool } from "./tools/tool-pool.ts";
export { BaseTool } from "./tools/base-tool.ts";
export { coreTools } from "./tools/core-tools.ts";
export { fetchUrlTool } from "./tools/builtin/fetch-url.ts";
export type { FetchUrlOptions } from "./tools/builtin/fetch-url.ts";
export { webSearchTool } from "./tools/builtin/web-search.ts";
export { defineTool } from "./tools/define-tool.ts";
export { ToolGroup } from "./tools/tool-group.ts";
export { tool } from "./tools/tool-decorator.ts";
export { toolsOfTier, toolsWithCapabilities } from "./tools/choose-tools.ts";
export { toolsOf } from "./tools/tools-of.ts";
export { toolsFromModule } from "./tools/module/tools-from-module.ts";
export { mcpServer } from "./tools/mcp/mcp-server.ts";
export { lintTools } from "./tools/providers/lint-tools.ts";
export { mapToolNames } from "./tools/providers/provider-names.ts";
export { fromStrictInput } from "./tools/providers/strict-input.ts";
export { toAnthropicToolResult } from "./tools/providers/to-anthropic-tool-result.ts";
export { toAnthropicTools } from "./tools/providers/to-anthropic-tools.ts";
export { toGeminiResponseParts } from "./tools/providers/to-gemini-response-parts.ts";
export { toGeminiTools } from "./tools/providers/to-gemini-tools.ts";
export { toMcpResult } from "./tools/providers/to-mcp-result.ts";
export { toMcpTools } from "./tools/providers/to-mcp-tools.ts";
export {
  toOpenAiFunctionOutput,
  toOpenAiToolMessage,
  toOpenAiToolMessages,
} from "./tools/providers/to-openai-tool-messages.ts";
export { toOpenAiChatTools, toOpenAiResponsesTools } from "./tools/providers/to-openai-tools.ts";
export { toToolCall } from "./tools/providers/to-tool-call.ts";

export { CofferdamError } from "./errors/cofferdam-error.ts";
export { ConfigurationError } from "./errors/configuration-error.ts";
export { LandingConflictError } from "./errors/landing-conflict-error.ts";
export { PermitError } from "./errors/permit-error.ts";
export { SandboxUnavailableError } from "./errors/sandbox-unavailable-error.ts";
export { StateError } from "./errors/state-error.ts";
export { ToolCrashError } from "./errors/tool-crash-error.ts";
export { ToolDefinitionError } from "./errors/tool-definition-error.ts";
export { ToolError } from "./errors/tool-error.ts";
export { WorkspacePathError } from "./errors/workspace-path-error.ts";

export type { WebSearchOptions, WebSearchResult } from "./tools/builtin/web-search.ts";
export type { AnswerOutcome, ApprovalReview, ConcludedState, PendingApproval } from "./contract/approval.ts";
export type { Change, ChangeKind, EntryType } from "./contract/change.ts";
export type {
  BreakerSettings,
  BackendReport,
  Engine,
  EngineOptions,
  ToolSearchSettings,
  WorkspaceReview,
  ToolReadiness,
} from "./contract/engine.ts";
export type { DispatchEvent, DispatchOptions } from "./contract/event.ts";
export type {
  ApprovalQuestion,
  ApprovalReach,
  ApprovalRequest,
  Decider,
  Effect,
  PolicyDefinition,
  PolicyMode,
  PolicyRule,
  ReviewDecision,
  Reviewer,
  SandboxSettings,
  WorkspaceLimits,
  ToolVerdict,
} from "./contract/gate.ts";
export type { ReviewerChannel, ReviewerConnection, SentRequest } from "./gate/reviewers/reviewer-connection.ts";
export type { HookCall, HookDecision, Hooks, ResultDecision } from "./contract/hooks.ts";
export type { InferSchema, JsonSchema, JsonValue, ObjectSchema } from "./contract/json-schema.ts";
export type {
  ChangeSelection,
  Landing,
  LandingConflict,
  LandingConflictKind,
  LandingSummary,
  ReviewedSelection,
} from "./contract/landing.ts";
export type { Layer, LayerMount, ManifestEntry } from "./contract/layer.ts";
export type { PartExplanation, PolicyExplanation } from "./contract/policy-explanation.ts";
export type { PolicyReview, RootPolicy } from "./contract/policy-review.ts";
export type { DispatchRecord, JournalRecord, JournalReview, JournalVerification } from "./contract/record.ts";
export type { Restriction } from "./contract/restriction.ts";
export type { Risk } from "./contract/risk.ts";
export type {
  BackendName,
  Capabilities,
  Execution,
  NetworkAccess,
  OutputChunk,
  RunOptions,
  SandboxBackend,
  SandboxCommand,
  SandboxLimits,
  SandboxRequest,
  SandboxSession,
  Termination,
} from "./contract/sandbox.ts";
export type {
  InferInput,
  InputSchema,
  OutputSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
  StandardSchemaOptions,
} from "./contract/standard-schema.ts";
export type { NestedCall, ToolCall } from "./contract/tool-call.ts";
export type { ContentBlock, ErrorKind, ToolFailure, ToolResult, ToolSuccess } from "./contract/tool-result.ts";
export type {
  AskUser,
  ContextFor,
  ExecContext,
  ReadContext,
  SandboxHandle,
  Tool,
  ToolChanges,
  ToolCollection,
  ToolContext,
  ToolOutcome,
  ToolResources,
  ToolSource,
  ToolSpec,
  WriteContext,
} from "./contract/tool.ts";
export type {
  DirectoryEntry,
  EntryStat,
  ReadableWorkspace,
  ReadFileOptions,
  WritableWorkspace,
  WriteFileOptions,
} from "./contract/workspace.ts";
export type { CapabilityFilter } from "./tools/choose-tools.ts";
export type { ToolPoolOptions } from "./tools/tool-pool.ts";
export type { MethodDefinition, ToolDecorator } from "./tools/tool-decorator.ts";
export type { ToolDefinition, ToolReturn } from "./tools/tool-definition.ts";
export type {
  McpAddress,
  McpCommand,
  McpServer,
  McpServerDefinition,
  McpServerOptions,
  McpToolOptions,
} from "./tools/mcp/mcp-options.ts";
export type { ModuleOptions } from "./tools/module/tools-from-module.ts";
export type { InputJsonSchema } from "./tools/providers/convert-parameters.ts";
export type { GeminiSchema } from "./tools/providers/gemini-form.ts";
export type { ToolProblem } from "./tools/providers/lint-tools.ts";
export type { ToolNames } from "./tools/providers/provider-names.ts";
export type { OpenAiOptions, Provider } from "./tools/providers/provider.ts";
export type {
  AnthropicImageType,
  AnthropicResultBlock,
  AnthropicToolResult,
} from "./tools/providers/to-anthropic-tool-result.ts";
export type { AnthropicTool } from "./tools/providers/to-anthropic-tools.ts";
export type { GeminiResponsePart } from "./tools/providers/to-gemini-response-parts.ts";
export type { GeminiFunction, GeminiTool } from "./tools/providers/to-gemini-tools.ts";
export type { McpContentBlock, McpToolResult } from "./tools/providers/to-mcp-result.ts";
export type { McpTool, McpToolAnnotations } from "./tools/providers/to-mcp-tools.ts";
export type {
  OpenAiFunctionOutput,
  OpenAiImageMessage,
  OpenAiToolMessage,
} from "./tools/providers/to-openai-tool-messages.ts";
export type { OpenAiChatTool, OpenAiFunction, OpenAiResponsesTool } from "./tools/providers/to-openai-tools.ts";
export type { ShownTools } from "./tools/providers/to-tool-call.ts";

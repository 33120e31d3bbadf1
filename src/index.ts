/** The public API. A name is added here on purpose or not at all; `test/public-api.test.ts` lists them. */

export { createEngine } from "./engine.ts";
export { assembleToolPool } from "./tools/tool-pool.ts";
export { BaseTool } from "./tools/base-tool.ts";
export { coreTools } from "./tools/core-tools.ts";
export { defineTool } from "./tools/define-tool.ts";
export { ToolGroup } from "./tools/tool-group.ts";
export { toolsOfTier, toolsWithCapabilities } from "./tools/choose-tools.ts";
export { toolsOf } from "./tools/tools-of.ts";
export { mcpServer } from "./tools/mcp/mcp-server.ts";

export { CofferdamError } from "./errors/cofferdam-error.ts";
export { ConfigurationError } from "./errors/configuration-error.ts";
export { LandingConflictError } from "./errors/landing-conflict-error.ts";
export { PermitError } from "./errors/permit-error.ts";
export { SandboxUnavailableError } from "./errors/sandbox-unavailable-error.ts";
export { StateError } from "./errors/state-error.ts";
export { ToolDefinitionError } from "./errors/tool-definition-error.ts";
export { ToolError } from "./errors/tool-error.ts";
export { WorkspacePathError } from "./errors/workspace-path-error.ts";

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
  ApprovalRequest,
  Decider,
  Effect,
  PolicyDefinition,
  PolicyMode,
  PolicyRule,
  ReviewDecision,
  Reviewer,
  SandboxSettings,
} from "./contract/gate.ts";
export type { HookCall, HookDecision, Hooks } from "./contract/hooks.ts";
export type { InferSchema, JsonSchema, JsonValue, ObjectSchema } from "./contract/json-schema.ts";
export type { ChangeSelection, Landing, LandingSummary, ReviewedSelection } from "./contract/landing.ts";
export type { Layer, LayerMount, ManifestEntry } from "./contract/layer.ts";
export type { DispatchRecord, JournalRecord, JournalReview, JournalVerification } from "./contract/record.ts";
export type { Risk } from "./contract/risk.ts";
export type {
  BackendName,
  Capabilities,
  Execution,
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
export type { ToolCall } from "./contract/tool-call.ts";
export type { ContentBlock, ErrorKind, ToolFailure, ToolResult, ToolSuccess } from "./contract/tool-result.ts";
export type {
  ContextFor,
  ExecContext,
  ReadContext,
  SandboxHandle,
  Tool,
  ToolChanges,
  ToolCollection,
  ToolContext,
  ToolOutcome,
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
export type { ToolDefinition, ToolReturn } from "./tools/tool-definition.ts";
export type {
  McpAddress,
  McpCommand,
  McpServer,
  McpServerDefinition,
  McpServerOptions,
  McpToolOptions,
} from "./tools/mcp/mcp-options.ts";

import { expect, it } from "vitest";
import * as api from "../src/index.ts";
import * as testing from "../src/testing/index.ts";

it("index.ts exports these values and no others", () => {
  expect(Object.keys(api).toSorted()).toEqual([
    "BaseTool",
    "CofferdamError",
    "ConfigurationError",
    "LandingConflictError",
    "PermitError",
    "SandboxUnavailableError",
    "StateError",
    "ToolCrashError",
    "ToolDefinitionError",
    "ToolError",
    "ToolGroup",
    "WorkspacePathError",
    "assembleToolPool",
    "connectReviewer",
    "coreTools",
    "createEngine",
    "defineTool",
    "escalate",
    "fetchUrlTool",
    "firstOf",
    "fromStrictInput",
    "lintTools",
    "mapToolNames",
    "mcpServer",
    "toAnthropicToolResult",
    "toAnthropicTools",
    "toGeminiResponseParts",
    "toGeminiTools",
    "toMcpResult",
    "toMcpTools",
    "toOpenAiChatTools",
    "toOpenAiFunctionOutput",
    "toOpenAiResponsesTools",
    "toOpenAiToolMessage",
    "toOpenAiToolMessages",
    "toToolCall",
    "tool",
    "toolsFromModule",
    "toolsOf",
    "toolsOfTier",
    "toolsWithCapabilities",
    "webSearchTool",
  ]);
});

it("testing/index.ts exports these values and no others", () => {
  expect(Object.keys(testing).toSorted()).toEqual([
    "approveAll",
    "backendContract",
    "denyAll",
    "examineBackend",
    "fakeBackend",
    "scriptedReviewer",
  ]);
});

it("every error class carries a stable code and its own name", () => {
  const errors = [
    new api.ConfigurationError("m"),
    new api.LandingConflictError("m", { conflicts: [] }),
    new api.PermitError("m"),
    new api.SandboxUnavailableError("m"),
    new api.StateError("m"),
    new api.ToolCrashError("m", { results: [], cause: undefined }),
    new api.ToolDefinitionError("m"),
    new api.ToolError("m"),
    new api.WorkspacePathError("m", { reason: "not-found", path: "p" }),
  ];
  expect(errors.map((error) => [error.name, error.code, error instanceof api.CofferdamError])).toEqual([
    ["ConfigurationError", "configuration", true],
    ["LandingConflictError", "landing-conflict", true],
    ["PermitError", "permit", true],
    ["SandboxUnavailableError", "sandbox-unavailable", true],
    ["StateError", "state", true],
    ["ToolCrashError", "tool-crash", true],
    ["ToolDefinitionError", "tool-definition", true],
    ["ToolError", "tool", true],
    ["WorkspacePathError", "workspace-path", true],
  ]);
});

/** Test doubles for code that uses Cofferdam, none of which belongs in front of a real agent, and the contract of backends. */

export { backendContract, examineBackend } from "./backend-contract/backend-contract.ts";
export type { BackendExamination } from "./backend-contract/backend-contract.ts";
export type {
  AvailableCapabilities,
  BackendCheck,
  BackendNeed,
  BackendUnderTest,
} from "./backend-contract/backend-check.ts";
export { fakeBackend } from "./fake-backend.ts";
export type { FakeBackend, FakeCommand } from "./fake-backend.ts";
export { approveAll, denyAll, scriptedReviewer } from "./reviewers.ts";
export type { ScriptedReviewer } from "./reviewers.ts";

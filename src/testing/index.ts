/** Test doubles for code that uses Cofferdam. None of them belongs in front of a real agent. */

export { fakeBackend } from "./fake-backend.ts";
export type { FakeBackend, FakeCommand } from "./fake-backend.ts";
export { approveAll, denyAll, scriptedReviewer } from "./reviewers.ts";
export type { ScriptedReviewer } from "./reviewers.ts";

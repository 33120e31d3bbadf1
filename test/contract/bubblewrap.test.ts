import { createBubblewrapBackend } from "../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { holdToContract } from "./hold-to-contract.ts";

await holdToContract("bubblewrap", createBubblewrapBackend(), {
  leavesOut: ["runs no images", "runs no javascript commands", "enforces every limit"],
});
